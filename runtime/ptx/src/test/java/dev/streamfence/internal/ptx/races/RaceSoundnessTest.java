package dev.streamfence.internal.ptx.races;

import static dev.streamfence.internal.ptx.races.KernelRacesTest.LINES;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.at;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.of;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import java.util.List;
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

  private static final String STORE_AT_11 = at("%r11") + "st.global.u32 [%rd5], %r4; ";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cvt.u32.u8 %r10, %r4; xor.b32 %r11, %r10, %r5; ",
        "cvt.u32.u16 %r10, %r4; xor.b32 %r11, %r10, %r5; ",
        "cvt.s32.s8 %r10, %r4; xor.b32 %r11, %r10, %r5; ",
        "shl.b32 %r10, %r4, 28; xor.b32 %r11, %r10, %r5; setp.gt.u32 %p1, %r11, 100; @%p1 bra END; ",
        "mul.lo.s32 %r10, %r4, -2147483648; xor.b32 %r11, %r10, %r5; setp.lt.s32 %p1, %r11, 0;"
            + " @%p1 bra END; "
      })
  void partnersOfPartsOfAnIndexAreNotApart(String index) {
    isNotProved(index + STORE_AT_11);
  }

  @Test
  void threadsWithOnePartOfAnIndexHaveOnePartner() {
    isNotProved(
        "cvt.u32.u8 %r20, %r4; xor.b32 %r11, %r20, 1; setp.ge.u32 %p1, %r20, %r11; @%p1 bra END; "
            + at("%r4")
            + "st.global.u32 [%rd5], %r0; "
            + STORE_AT_11);
  }

  @Test
  void ofTwoNegativePartnersEachMayBeSmallerIfOneAloneHasASign() {
    String places =
        "add.s32 %r22, %r20, 128; add.s32 %r11, %r21, 128; "
            + at("%r22")
            + "st.global.u32 [%rd5], %r0; "
            + STORE_AT_11;
    String partners =
        "sub.s32 %r20, %r4, 128; xor.b32 %r21, %r20, 1; cvt.s64.s32 %rd10, %r20; EXTEND"
            + " setp.ge.s64 %p1, %rd10, %rd11; @%p1 bra END; ";
    isNotProved(partners.replace("EXTEND", "cvt.u64.u32 %rd11, %r21;") + places);
  }

  @Test
  void theQuotientOfANegativeDivisorHasASign() {
    isNotProved(
        "rem.s32 %r10, %r0, -2; setp.ne.s32 %p1, %r10, 0; @%p1 bra END; div.u32 %r11, %r0, -2;"
            + " setp.ne.s32 %p1, %r11, 0; @%p1 bra END; setp.lt.s32 %p1, %r0, 1; @%p1 bra END; "
            + at("0")
            + "st.global.u32 [%rd5], %r0; ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mul.lo.s32 %r10, %r10, 69069; add.s32 %r10, %r10, 1; ",
        "shl.b32 %r13, %r10, 5; add.s32 %r10, %r10, %r13; add.s32 %r10, %r10, %r4; "
      })
  void whatALoopMultipliesByALargeNumberMayBeNegative(String next) {
    String loop =
        "add.s32 %r10, %r4, 1; mov.u32 %r11, 0; L: "
            + next
            + "add.s32 %r11, %r11, 1; setp.lt.s32 %p1, %r11, 10; @%p1 bra L; ";
    isNotProved(loop + "shr.u32 %r12, %r10, 31; add.s32 %r11, %r12, %r4; " + STORE_AT_11);
    isNotProved(loop + "setp.ge.s32 %p1, %r10, 0; @%p1 bra END; " + ALL_STORE);
  }

  /** Each choice is between sums of two choices, so that there are 2^40 ways through them. */
  @Test
  void signsOfManyChoicesAreFoundInTime() {
    String level =
        "selp.b32 %r21, %r20, %r0, %p1; selp.b32 %r22, %r20, %r1, %p1; selp.b32 %r23, %r2, LEVEL,"
            + " %p1; add.s32 %r21, %r21, %r23; add.s32 %r22, %r22, %r23;"
            + " selp.b32 %r20, %r21, %r22, %p2; ";
    StringBuilder code =
        new StringBuilder(
            "setp.lt.s32 %p1, %r4, %r5; setp.lt.s32 %p2, %r4, %r6; mov.u32 %r20, %r2; ");
    for (int i = 1; i <= 40; i++) {
      code.append(level.replace("LEVEL", Integer.toString(i)));
    }
    isNotProved(code + at("%r20") + "st.global.u32 [%rd5], %r4; ");
  }

  /** Each number of a loop is the sum of the signs of two others, down to two that are negative. */
  @Test
  void signsOfManyNumbersOfALoopAreFoundInTime() {
    int levels = 30;
    StringBuilder first = new StringBuilder(".reg .b32 %x<99>; .reg .b32 %y<99>; .reg .b32 %s<9>;");
    StringBuilder next = new StringBuilder();
    for (int i = 0; i <= levels; i++) {
      first.append(" mov.u32 %x" + i + ", 1; mov.u32 %y" + i + ", 2;");
    }
    // Of the iteration before: no number is changed before it is read.
    next.append("mov.u32 %s4, %x0; ");
    for (int i = 0; i < levels; i++) {
      for (String number : List.of("%x", "%y")) {
        next.append("add.s32 %s3, %s4, " + (2 * i + (number.equals("%x") ? 1 : 2)) + "; ")
            .append("shr.u32 %s1, %x" + (i + 1) + ", 31; shr.u32 %s2, %y" + (i + 1) + ", 31; ")
            .append("shr.u32 %s3, %s3, 31; add.s32 %s1, %s1, %s2; add.s32 %s5, %s1, %s3; ")
            .append(number.equals("%x") ? "mov.u32 %s6, %s5; " : "");
      }
      next.append("mov.u32 %x" + i + ", %s6; mov.u32 %y" + i + ", %s5; ");
    }
    next.append("shr.u32 %s1, %s4, 31; sub.s32 %x" + levels + ", %s1, %r4; ")
        .append("sub.s32 %y" + levels + ", %s1, %r0; ");
    isNotProved(
        first
            + "mov.u32 %r21, 0; L: shr.s32 %r20, %x0, 1; "
            + at("%r20")
            + "st.global.u32 [%rd5], %r4; "
            + next
            + "add.s32 %r21, %r21, 1; setp.lt.s32 %p1, %r21, %r5; @%p1 bra L; ");
  }
}
