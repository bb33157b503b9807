package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bounds of accesses whose addresses differ by a constant, as an unrolled loop makes them. */
class NeighbouringAccessesTest {
  private static IndexBounds bounds(String body) {
    return IndexBounds.of(
        """
        .version 7.0
        .target sm_80
        .address_size 64
        .visible .entry k(.param .u64 p0) {
        .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
        mov.u32 %r1, %tid.x;
        ld.param.u64 %rd1, [p0];
        mul.wide.s32 %rd2, %r1, 4;
        add.s64 %rd3, %rd1, %rd2;
        setp.lt.s32 %p1, %r1, 8;
        BODY
        ret;
        }
        """
            .replace("BODY", body),
        "k",
        1,
        Map.of());
  }

  private static String touched(IndexBounds bounds) {
    return bounds.touched(0, IndexBounds.Launch.of("1x16 lengths 100"));
  }

  @ParameterizedTest
  @CsvSource({
    "'st.global.u32 [%rd3+8], 1; st.global.u32 [%rd3+-4], 1; st.global.u32 [%rd3+4], 1;', -4..72",
    "'st.global.u32 [%rd3], 1; st.global.u32 [%rd3+12], 1; st.global.u32 [%rd3+4], 1;', 0..76",
    "'st.global.u32 [%rd3], 1; st.global.v4.u32 [%rd3+4], {%r2, %r2, %r2, %r2};"
        + " st.global.u32 [%rd3+8], 1;', 0..80",
    "'ld.global.u32 %r2, [%rd3+64]; st.global.u32 [%rd3], 1;', 0..128"
  })
  void theFirstAndTheLastByteCountInWhateverOrder(String accesses, String touched) {
    assertThat(touched(bounds(accesses))).isEqualTo(touched);
  }

  @ParameterizedTest
  @CsvSource({
    "'@%p1 st.global.u32 [%rd3+16], 1; st.global.u32 [%rd3], 1; st.global.u32 [%rd3+8], 1;', 0..72",
    "'@%p1 st.global.u32 [%rd3+80], 1; st.global.u32 [%rd3], 1; st.global.u32 [%rd3+8], 1;',"
        + " 0..112",
    "'@!%p1 bra N; st.global.u32 [%rd3+16], 1; st.global.u32 [%rd3], 1;"
        + " N: st.global.u32 [%rd3+8], 1;', 0..72"
  })
  void accessesUnderOtherConditionsCountForThemselves(String accesses, String touched) {
    assertThat(touched(bounds(accesses))).isEqualTo(touched);
  }

  @Test
  void anAccessWhoseEndIsBeyondAllNumbersCounts() {
    IndexBounds bounds =
        bounds("st.global.u32 [%rd3+9223372036854775806], 1; st.global.u32 [%rd3], 1;");

    assertThat(touched(bounds)).isEqualTo("any");
  }

  @Test
  void moreNeighboursTakeNoMoreSteps() {
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 64; i++) {
      many.append("st.global.u32 [%rd3+").append(4 * i).append("], 1;\n");
    }
    IndexBounds two = bounds("st.global.u32 [%rd3], 1; st.global.u32 [%rd3+252], 1;");

    IndexBounds all = bounds(many.toString());

    assertThat(touched(all)).isEqualTo(touched(two)).isEqualTo("0..316");
    assertThat(all.bounds().launches().program().size())
        .isEqualTo(two.bounds().launches().program().size());
  }
}
