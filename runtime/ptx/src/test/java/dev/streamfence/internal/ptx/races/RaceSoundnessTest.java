package dev.streamfence.internal.ptx.races;

import static dev.streamfence.internal.ptx.races.KernelRacesTest.LINES;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.at;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.of;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kernels that look as if they had no races and have some, or the other way round. Registers are as
 * in {@link KernelRacesTest}.
 */
final class RaceSoundnessTest {
  private static final String ALL_STORE = "st.global.u32 [%rd1], %r0; ";

  /** Stores to an element of the tile. */
  private static String tile(String index) {
    return "shl.b32 %r25, INDEX, 2; mov.u32 %r26, tile; add.s32 %r26, %r26, %r25; "
            .replace("INDEX", index)
        + "st.shared.u32 [%r26], %r0; ";
  }

  private static void isNotProved(String code) {
    assertThat(verdict(code)).isNotEqualTo(Verdict.PROVED);
  }

  @Test
  void theWayToTheNextIterationMayDifferBetweenThreads() {
    String loop =
        "mov.u32 %r20, 0; mov.u32 %r21, 0; setp.eq.s32 %p2, %r0, 0;"
            + " L: setp.ge.s32 %p1, %r21, 2; @%p1 bra END; bar.sync 0; add.s32 %r22, %r0, %r20; "
            + tile("%r22")
            + "add.s32 %r21, %r21, 1; ";
    // Thread 0 has another offset from the second iteration on.
    isNotProved(loop + "@!%p2 bra L; mov.u32 %r20, 1; bra L;");
    assertThat(verdict(loop + "mov.u32 %r20, 1; bra L;")).isEqualTo(Verdict.PROVED);
  }

  @Test
  void threadsMayLeaveALoopAfterDifferentIterations() {
    String counted = "mov.u32 %r21, 0; L: setp.ge.s32 %p1, %r21, LIMIT; @%p1 bra X; ";
    String split =
        "add.s32 %r21, %r21, 1; bra L; X: setp.gt.s32 %p2, %r21, 5; @%p2 bra A; bar.sync 0;"
            + " setp.ne.s32 %p3, %r0, 1; @%p3 bra END; mov.u32 %r7, tile;"
            + " st.shared.u32 [%r7], %r0; bra END;"
            + " A: bar.sync 0; mov.u32 %r7, tile; ld.shared.u32 %r20, [%r7];";
    isNotProved(counted.replace("LIMIT", "%r0") + split);
    isNotProved(
        counted.replace("LIMIT", "%r5") + "setp.eq.s32 %p4, %r21, %r0; @%p4 bra X; " + split);
    assertThat(verdict(counted.replace("LIMIT", "%r5") + split)).isEqualTo(Verdict.PROVED);
  }

  @Test
  void aLoopWithinOneThatThreadsLeaveApartEndsApart() {
    String loops =
        "mov.u32 %r20, 0; O: mov.u32 %r21, 0; I: add.s32 %r21, %r21, 1;"
            + " setp.le.s32 %p1, %r21, %r20; @%p1 bra I; add.s32 %r20, %r20, 1;"
            + " setp.lt.s32 %p2, %r20, LIMIT; @%p2 bra O; setp.lt.s32 %p3, %r21, 5; @%p3 bra A;"
            + " mov.u32 %r7, tile; bar.sync 0; setp.ne.s32 %p4, %r0, 1; @%p4 bra END;"
            + " st.shared.u32 [%r7], %r0; bra END;"
            + " A: bar.sync 0; mov.u32 %r7, tile; ld.shared.u32 %r22, [%r7];";
    isNotProved("shr.u32 %r23, %r0, 5; " + loops.replace("LIMIT", "%r23"));
    assertThat(verdict(loops.replace("LIMIT", "%r5"))).isEqualTo(Verdict.PROVED);
  }

  @Test
  void aLoopThatIsEnteredAgainBeginsAtItsFirstIteration() {
    String nested =
        "mov.u32 %r20, 0; O: mov.u32 %r21, 0; I: add.s32 %r22, %r0, %r21; "
            + tile("%r22")
            + "add.s32 %r21, %r21, 1; setp.ge.s32 %p2, %r21, 5; @%p2 bra N; bar.sync 0; bra I;"
            + " N: BARRIER add.s32 %r20, %r20, 1; setp.lt.s32 %p1, %r20, 3; @%p1 bra O; ";
    isNotProved(nested.replace("BARRIER", ""));
    assertThat(verdict(nested.replace("BARRIER", "bar.sync 0;"))).isEqualTo(Verdict.PROVED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "setp.lt.u32 %p2, %r10, 4294967280; @!%p2 bra END; ",
        "setp.le.u32 %p2, %r10, -16; @!%p2 bra END; ",
        "setp.ge.u32 %p2, %r10, 4294967280; @%p2 bra END; ",
        "add.s32 %r10, %r10, -2147483647; setp.le.u32 %p2, %r10, 2147483648; @!%p2 bra END; "
      })
  void whatIsBelowALargeNumberWithoutASignMayBeNegative(String guard) {
    isNotProved("not.b32 %r10, %r0; " + guard + ALL_STORE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "not.b32 %r10, %r0; rem.u32 %r11, %r4, %r10; sub.s32 %r11, %r11, %r4; ",
        "xor.b32 %r10, %r0, -2147483648; rem.u32 %r11, %r10, -1; setp.lt.s32 %p1, %r11, 0;"
            + " @!%p1 bra END; mov.u32 %r11, 0; ",
        "cvt.u32.u16 %r10, %r4; sub.s32 %r11, %r4, %r10; shr.u32 %r12, %r11, 1;"
            + " sub.s32 %r11, %r4, %r12; ",
        "shl.b32 %r10, %r0, 24; shr.s32 %r11, %r10, 24; setp.lt.s32 %p1, %r11, 0;"
            + " @!%p1 bra END; mov.u32 %r11, 0; ",
        "shl.b32 %r10, %r4, 16; shr.s32 %r11, %r10, 16; setp.lt.s32 %p1, %r11, 0;"
            + " @!%p1 bra END; mov.u32 %r11, 0; "
      })
  void aRemainderOrAPartOfANumberMayBeNegativeOrAnother(String index) {
    isNotProved(index + at("%r11") + "st.global.u32 [%rd5], %r0; ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"selp.b64 %rd10, %rd10, 0, %p1; ", "and.b64 %rd10, %rd10, -1; "})
  void anAddressThatIsMadeOfTwoArraysMayBeInEither(String difference) {
    isNotProved(
        "sub.s64 %rd10, %rd2, %rd1; setp.gt.s32 %p1, %r5, 5; "
            + difference
            + "mul.wide.s32 %rd4, %r4, 4; add.s64 %rd11, %rd1, %rd4; add.s64 %rd11, %rd11, %rd10;"
            + " st.global.u32 [%rd11], %r0; add.s64 %rd12, %rd2, %rd4;"
            + " ld.global.u32 %r10, [%rd12+4]; ");
  }

  @Test
  void aMultiplicationOfMatricesReadsSharedMemory() {
    String product =
        tile("%r0")
            + "mov.u64 %rd10, tile; shr.u64 %rd10, %rd10, 4; and.b64 %rd10, %rd10, 16383;"
            + " tcgen05.mma.cta_group::1.kind::f16 [%r10], %rd10, %rd10, %r11, %p1; ";
    assertThat(of(product, LINES).reason()).isEqualTo("'tcgen05' reads matrices in shared memory");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "and.b32 %r10, %r5, 3; setp.eq.s32 %p1, %r10, 0; @%p1 bra END; ",
        "setp.ge.s32 %p1, %r5, %r6; @%p1 bra END; ",
        "setp.le.s32 %p1, %r5, %r6; @%p1 bra END; ",
        "setp.eq.s32 %p1, %r5, %r6; @%p1 bra END; ",
        "and.b32 %r10, %r6, 1; setp.ne.s32 %p1, %r10, 0; @%p1 bra END; ",
        "and.b32 %r10, %r6, 1; setp.eq.s32 %p1, %r10, 0; @%p1 bra END; ",
        "and.b32 %r10, %r5, 1023; setp.gt.s32 %p1, %r10, 300; @%p1 bra END; ",
        "and.b32 %r10, %r5, 1023; setp.gt.s32 %p1, %r10, 620; @%p1 bra END; ",
        "and.b32 %r10, %r6, 1023; setp.lt.s32 %p1, %r10, 300; @%p1 bra END; ",
        "rem.u32 %r10, %r6, 5; setp.eq.s32 %p1, %r10, 2; @%p1 bra END; ",
        "rem.u32 %r10, %r5, 7; setp.eq.s32 %p1, %r10, 0; @%p1 bra END; ",
        "mov.u32 %r10, %ctaid.x; and.b32 %r10, %r3, 1; setp.eq.s32 %p1, %r10, 0; @%p1 bra END; "
      })
  void aRaceThatOnlySomeNumbersOfTheLaunchBringIsNotCertain(String guard) {
    assertThat(verdict(guard + ALL_STORE)).isNotEqualTo(Verdict.CERTAIN);
    assertThat(verdict(ALL_STORE)).isEqualTo(Verdict.CERTAIN);
  }
}
