package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses in the elements of vector registers. */
class VectorRegistersTest {
  private static IndexBounds bounds(String body) {
    return IndexBounds.of(
        """
        .version 7.0
        .target sm_80
        .address_size 64
        .visible .entry k(.param .u64 p0, .param .u64 p1, .param .u32 n) {
        .reg .v2 .b64 %v; .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
        mov.u32 %r1, %tid.x;
        ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u32 %r2, [n];
        setp.lt.s32 %p1, %r1, 8; setp.lt.s32 %p2, %r1, %r2;
        BODY
        ret;
        }
        """
            .replace("BODY", body),
        "k",
        2,
        Map.of());
  }

  private static List<String> touched(IndexBounds bounds) {
    IndexBounds.Launch launch = IndexBounds.Launch.of("1x16 lengths 100 100 numbers 5");
    return List.of(bounds.touched(0, launch), bounds.touched(1, launch));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mov.b64 %v.x, 0;", "@%p2 mov.b64 %v.x, 0;", "mov.b64 %v.x, %rd2;"})
  void anAddressStaysInItsElementWhileAnotherOneIsAssigned(String other) {
    IndexBounds bounds =
        bounds("mov.b64 %v.y, %rd1; " + other + " mov.b64 %rd5, %v.y; st.global.u32 [%rd5], 1;");

    assertThat(touched(bounds).get(0)).isEqualTo("any");
  }

  @Test
  void anAddressThatABranchPutThereIsNotForgotten() {
    String choice =
        "@%p1 bra L; mov.b64 %v.y, ONE; bra J; L: mov.b64 %v.y, OTHER; J: @%p2 mov.b64 %v.x, 0;"
            + " mov.b64 %rd5, %v.y; st.global.u32 [%rd5], 1;";

    assertThat(touched(bounds(choice.replace("ONE", "%rd1").replace("OTHER", "%rd2"))))
        .containsExactly("any", "any");
    assertThat(touched(bounds(choice.replace("ONE", "%rd2").replace("OTHER", "%rd1"))))
        .containsExactly("any", "any");
  }

  @Test
  void theWholeVectorIsMadeOfItsElements() {
    IndexBounds bounds =
        bounds("mov.b64 %v.x, %rd1; mov.b64 %v.y, 7; st.global.v2.b64 [%rd2], %v;");

    assertThat(bounds.isLimited(0)).isFalse();
    assertThat(touched(bounds).get(1)).isEqualTo("0..16");
  }
}
