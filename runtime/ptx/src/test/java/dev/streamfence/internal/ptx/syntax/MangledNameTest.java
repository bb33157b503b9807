package dev.streamfence.internal.ptx.syntax;

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

  @ParameterizedTest
  @CsvSource({
    "_ZZ4copyPKiPiiE4tile, tile",
    "_ZZN4math5scaleIfEEvPT_iE1t, t",
    "_ZZ4tilePfE4tile_0, tile",
    "_ZZ4tilePfE9tile, _ZZ4tilePfE9tile",
    "_ZZ4tilePfE, _ZZ4tilePfE",
    "tile, tile",
    "_ZZ, _ZZ"
  })
  void theNameOfALocalVariableIsFound(String mangled, String name) {
    assertThat(MangledName.variable(mangled)).isEqualTo(name);
  }
}
