package dev.streamfence.internal.ptx.symbolic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The words that a kernel accesses in arrays. */
final class ElementAccessTest {
  /** Each word as {@code array: bytes at first + step n, kind}. */
  private static Stream<String> words(String body) {
    PtxModule module =
        PtxModule.parse(
            """
            .version 8.0
            .target sm_90
            .address_size 64
            .visible .entry k(.param .u64 a, .param .u64 b, .param .u64 t, .param .u32 n)
            {
            .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;
            ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [t];
            mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 12; add.s64 %rd5, %rd1, %rd4;
            """
                + body
                + "\nret; }");
    KernelFlow kernel = new KernelFlow(module, module.entries().get(0));
    List<ArrayPlace> arrays = List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0));
    List<ArrayPlace> tables = List.of(new ArrayPlace(2, 0));
    return ElementAccess.of(kernel, arrays, tables, Map.of()).stream()
        .map(
            word ->
                "%d: %d at %d + %d n, %s"
                    .formatted(word.array(), word.bytes(), word.first(), word.step(), word.kind()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ld.global.u32 %r2, [%rd5];                              | 0: 4 at 0 + 12 n, MOVED",
        "ld.global.u32 %r2, [%rd5]; add.s32 %r3, %r2, 1;         | 0: 4 at 0 + 12 n, INTEGER",
        "ld.global.f32 %f1, [%rd5+8]; add.f32 %f2, %f1, %f1;     | 0: 4 at 8 + 12 n, FLOAT",
        "ld.global.u16 %h1, [%rd5+-2];                           | 0: 2 at -2 + 12 n, MOVED",
        "st.global.u32 [%rd2+16], %r1;                           | 1: 4 at 16 + 0 n, MOVED",
        "shl.b64 %rd6, %rd4, 1; add.s64 %rd6, %rd6, %rd5; ld.global.u32 %r2, [%rd6]; |"
            + " 0: 4 at 0 + 36 n, MOVED",
      })
  void aWordHasItsPlaceInAnElement(String access, String expected) {
    assertThat(words(access)).containsExactly(expected);
  }

  @Test
  void eachWordOfAVectorHasAPlaceAndAKindOfItsOwn() {
    assertThat(words("ld.global.v2.b32 {%r2, %f1}, [%rd5+4]; add.f32 %f2, %f1, %f1;"))
        .containsExactly("0: 4 at 4 + 12 n, MOVED", "0: 4 at 8 + 12 n, FLOAT");
  }

  @Test
  void accessesOfUnknownPlacesAreLeftOut() {
    // From a table, through one of two arrays, of a number of bytes that is unknown, and to no
    // array.
    assertThat(
            words(
                """
                ld.global.u64 %rd6, [%rd3]; ld.global.u32 %r2, [%rd6];
                setp.eq.u32 %p1, %r1, 3; selp.b64 %rd7, %rd1, %rd2, %p1;
                st.global.u32 [%rd7], %r1;
                st.bulk.shared.u64 [%rd5], %rd4, 0;
                st.global.u32 [%rd4], %r1;
                """))
        .isEmpty();
  }

  @Test
  void codeThatIsTooInvolvedHasNone() {
    assertThat(words("ld.global.u32 %r2, [%rd5]; " + "add.s32 %r3, %r3, 1;\n".repeat(20_000)))
        .isEmpty();
    assertThat(words("L: @%p1 bra M; bra N; M: ld.global.u32 %r2, [%rd5]; N: @%p2 bra M; bra L;"))
        .isEmpty();
  }
}
