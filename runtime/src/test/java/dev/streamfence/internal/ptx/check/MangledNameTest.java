package dev.streamfence.internal.ptx.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MangledNameTest {
  @ParameterizedTest
  @CsvSource({
    "_Z4copyPKiPii, copy",
    "_ZN4math5scaleIfEEvPT_i, scale",
    "_ZN1a1b1cEv, c",
    "_Z5scaleIfEvPT_i, scale",
  })
  void theFunctionsNameIsFound(String mangled, String name) {
    assertThat(MangledName.function(mangled)).contains(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"copy", "_Z", "_ZN", "_Z9copy", "_Z99999999999copy", "", "_Zcopy"})
  void otherNamesContainNoFunctionName(String text) {
    assertThat(MangledName.function(text)).isEmpty();
  }
}
