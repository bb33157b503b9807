package dev.streamfence.internal.ptx.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The comments have the declarations that compilers give these names. */
final class MangledParametersTest {
  private static String types(String mangled) {
    return MangledParameters.of(mangled).stream()
        .map(type -> type.map(Enum::name).orElse("-"))
        .collect(Collectors.joining(" "));
  }

  @ParameterizedTest
  @CsvSource({
    // add(float*, unsigned)
    "_Z3addPfj, - UNSIGNED_INT",
    // all(bool, char, signed char, unsigned char, short, unsigned short)
    "_Z3allbcahst, BOOL CHAR SIGNED_CHAR UNSIGNED_CHAR SHORT UNSIGNED_SHORT",
    // all(int, unsigned, long, unsigned long, long long, unsigned long long, float, double)
    "_Z3allijlmxyfd, INT UNSIGNED_INT LONG UNSIGNED_LONG LONG_LONG UNSIGNED_LONG_LONG FLOAT DOUBLE",
    // a::b::add(const int* const*, size_t)
    "_ZN1a1b3addEPKPKim, - UNSIGNED_LONG",
    // add<float>(T*, unsigned)
    "_Z3addIfEvPT_j, - UNSIGNED_INT",
    // a::add<float, 256, -1, true>(T*, T, unsigned)
    "_ZN1a3addIfLi256ELin1ELb1EEEvPT_S1_j, - - UNSIGNED_INT",
    // add(a::Box<float>, std::pair<int, int>, unsigned)
    "_Z3addN1a3BoxIfEESt4pairIiiEj, - - UNSIGNED_INT",
    // add(Box, Box*, const Box&, int (*)[4], unsigned short)
    "_Z3add3BoxPS_RKS_PA4_it, - - - - UNSIGNED_SHORT",
    // static add(unsigned)
    "_ZL3addj, UNSIGNED_INT",
    // add(float*, unsigned), cloned by a compiler
    "_Z3addPfj.constprop.0, - UNSIGNED_INT",
    // add(unsigned, void (*)(int), unsigned): a function's type is not read
    "_Z3addjPFviEj, UNSIGNED_INT",
    // add(unsigned, __nv_bfloat16, unsigned)
    "_Z3addj13__nv_bfloat16j, UNSIGNED_INT - UNSIGNED_INT",
    // none()
    "_Z4nonev, -",
  })
  void numbersAreFoundBesideOtherTypes(String mangled, String types) {
    assertThat(types(mangled)).isEqualTo(types);
  }

  @ParameterizedTest
  @CsvSource({"add", "_Z", "_ZN", "_Z9add", "_Z99999999999addj", "_Z3addS", "_Z3addPPPP", "_ZSt"})
  void otherNamesSayNothing(String text) {
    assertThat(types(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "j | 4 | a 32-bit unsigned integer (unsigned int), passed as an int",
        "m | 8 | a 64-bit unsigned integer (unsigned long), passed as a long",
        "m | 4 | a 32-bit unsigned integer (unsigned long), passed as an int",
        "h | 1 | an 8-bit unsigned integer (unsigned char), passed as a byte",
        "t | 2 | a 16-bit unsigned integer (unsigned short), passed as a char",
        "s | 2 | a 16-bit integer (short), passed as a short",
        "x | 8 | a 64-bit integer (long long), passed as a long",
        "b | 1 | a truth value (bool), passed as a boolean",
        "f | 4 | a 32-bit floating-point number (float), passed as a float",
        "d | 8 | a 64-bit floating-point number (double), passed as a double",
      })
  void aNumberIsNamedWithTheTypeOfJavaThatPassesIt(String letter, int bytes, String inWords) {
    assertThat(MangledParameters.inWords("_Z3add" + letter, 0, bytes)).contains(inWords);
  }

  @Test
  void aNameThatContradictsTheCodeSaysNothing() {
    assertThat(MangledParameters.inWords("_Z3addj", 0, 8)).isEmpty();
    assertThat(MangledParameters.inWords("_Z3addm", 0, 2)).isEmpty();
    assertThat(MangledParameters.inWords("_Z3addj", 1, 4)).isEmpty();
    assertThat(MangledParameters.inWords("_Z3addPf", 0, 8)).isEmpty();
  }

  /** Of others, and as long as a file. */
  @Test
  void noNameIsTooMuch() {
    for (String part : new String[] {"P", "N", "A1_", "I", "1aI", "St", "S_I", "K"}) {
      String name = "_Z3add" + part.repeat(200_000);
      assertThatCode(() -> MangledParameters.of(name)).doesNotThrowAnyException();
    }
    Random random = new Random(5);
    String letters = "_ZNEISTPKVALRO0123456789abcfhijmtvxyCD.$";
    for (int i = 0; i < 100_000; i++) {
      String name =
          "_Z3add"
              + random
                  .ints(random.nextInt(20), 0, letters.length())
                  .mapToObj(at -> letters.substring(at, at + 1))
                  .collect(Collectors.joining());
      assertThatCode(() -> MangledParameters.of(name)).doesNotThrowAnyException();
    }
  }
}
