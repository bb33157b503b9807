package dev.streamfence.internal.ptx.races;

import static dev.streamfence.internal.ptx.races.KernelRacesTest.GET;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.PUT;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.TILE;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Threads of a block that come from a barrier stay together through branches that all of them take
 * alike. Registers are as in {@link KernelRacesTest}.
 */
final class CommonPathsTest {
  private static void isProved(String code, boolean expected) {
    assertThat(verdict(code) == Verdict.PROVED).as(code).isEqualTo(expected);
  }

  /** Half of the threads add what the other half has, then half of these, down to one. */
  private static String tree(String compare, String inBranch, String behind, String next) {
    return TILE
        + PUT
        + "bar.sync 0; shr.u32 %r14, %r2, 1; setp.eq.s32 %p1, %r14, 0; @%p1 bra E;"
        + " L: "
        + compare
        + " @%p2 bra S; shl.b32 %r15, %r14, 2; add.s32 %r16, %r13, %r15;"
        + " ld.shared.u32 %r17, [%r13]; ld.shared.u32 %r18, [%r16]; add.s32 %r17, %r17, %r18;"
        + " st.shared.u32 [%r13], %r17; "
        + inBranch
        + " S: "
        + behind
        + next
        + " setp.ne.s32 %p3, %r14, 0; @%p3 bra L; E: setp.ne.s32 %p4, %r0, 0; @%p4 bra END;"
        + " ld.shared.u32 %r19, [tile]; ";
  }

  private static final String HALVED = "shr.u32 %r14, %r14, 1;";
  private static final String BARRIER = "bar.sync 0; ";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ge.u32 | '' | bar.sync 0; | true",
        "ge.s32 | '' | bar.sync 0; | true",
        "ge.u32 | '' | barrier.sync 0; | true",
        "ge.u32 | '' | bar.red.popc.u32 %r20, 0, %p5; | true",
        "ge.u32 | '' | '' | false",
        "ge.u32 | '' | bar.warp.sync -1; | false",
        "ge.u32 | bar.sync 0; | '' | false",
        "gt.u32 | '' | bar.sync 0; | false",
        "lt.u32 | '' | bar.sync 0; | false"
      })
  void aTreeOfSumsNeedsABarrierInEachStepAndThreadsBelowItsHalf(
      String compare, String inBranch, String behind, boolean expected) {
    String comparison = "setp." + compare + " %p2, %r0, %r14;";
    isProved(tree(comparison, inBranch, behind + " ", HALVED), expected);
  }

  @ParameterizedTest
  @CsvSource({"%r2, true", "%r0, false", "%r10, false"})
  void stepsOfALoopAreThoseOfAllThreadsIfItsCounterIs(String number, boolean expected) {
    String loaded = "mov.u32 %r10, 0; ld.global.u32 %r10, [%rd1]; ";
    String next = "min.u32 %r14, %r14, %r9; shr.u32 %r14, %r14, 1;".replace("%r9", number);
    String comparison = "setp.ge.u32 %p2, %r0, %r14;";
    String loadedByEach = "mul.wide.s32 %rd8, %r4, 4; add.s64 %rd9, %rd1, %rd8; ";
    isProved(
        loadedByEach + loaded.replace("[%rd1]", "[%rd9]") + tree(comparison, "", BARRIER, next),
        expected);
  }

  @ParameterizedTest
  @CsvSource({"%r5, true", "%r1, true", "%r2, true", "%r0, false", "%r4, false"})
  void waysOfABranchThatAllThreadsTakeAlikeAreNotBetweenTheSameBarriers(
      String number, boolean expected) {
    String branch = "setp.lt.s32 %p1, NUMBER, 7; @%p1 bra A; ".replace("NUMBER", number);
    isProved(TILE + branch + PUT + "bra B; A: " + GET + "B: bar.sync 0; ", expected);
    isProved(TILE + BARRIER + branch + PUT + "bra B; A: " + GET + "B: ", expected);
  }

  @ParameterizedTest
  @CsvSource({"'bar.sync 0;', true", "'', false"})
  void waysOfOneIterationAreApartFromThoseOfTheNextByABarrierAlone(
      String barrier, boolean expected) {
    isProved(
        TILE
            + BARRIER
            + "mov.u32 %r14, 0; L: and.b32 %r15, %r14, 1; setp.eq.s32 %p1, %r15, 0; @%p1 bra A; "
            + PUT
            + "bra B; A: "
            + GET
            + "B: "
            + barrier
            + " add.s32 %r14, %r14, 1; setp.lt.s32 %p2, %r14, %r5; @%p2 bra L; ",
        expected);
  }

  @Test
  void threadsThatPartMeetAgainBehindBothWays() {
    String parted = "setp.gt.s32 %p1, %r0, 7; @%p1 bra A; add.s32 %r20, %r5, 1; A: ";
    String branch = "setp.gt.s32 %p2, %r5, 7; @%p2 bra B; ";
    isProved(TILE + BARRIER + parted + branch + PUT + "bra C; B: " + GET + "C: ", true);
    // What one of the two ways stores, threads on both ways of the later branch may load.
    String storing = "setp.gt.s32 %p1, %r0, 7; @%p1 bra A; " + PUT + "A: ";
    isProved(TILE + BARRIER + storing + branch + GET + "bra C; B: " + GET + "C: ", false);
  }

  @Test
  void threadsThatGoOnAtOnceAreIterationsAhead() {
    String loop =
        "mov.u32 %r14, 0; L: add.s32 %r14, %r14, 1; setp.ge.s32 %p1, %r14, %r5; @%p1 bra END;"
            + " setp.gt.s32 %p2, %r0, %r14; @%p2 bra L; and.b32 %r15, %r14, 1;"
            + " setp.eq.s32 %p3, %r15, 0; @%p3 bra A; ";
    isProved(TILE + BARRIER + loop + PUT + "bra END; A: " + GET, false);
  }

  @Test
  void theFirstStepOfATreeIsApartFromWhatIsStoredBefore() {
    String unordered = tree("setp.ge.u32 %p2, %r0, %r14;", "", BARRIER, HALVED);
    isProved(unordered.replaceFirst("bar.sync 0; ", ""), false);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "@%p1 bar.sync 0; | false",
        "@!%p1 barrier.sync 0; | false",
        "@%p1 bar.red.popc.u32 %r20, 0, %p1; | false",
        "@!%p1 bra A; bar.sync %r20; A: | false",
        "@!%p1 bra A; bar.sync 0, 32; A: | false",
        "@!%p1 bra A; bar.arrive 0, 64; A: | false",
        "@!%p1 bra A; bar.sync 1, 32; A: | true",
        "@%p1 bar.warp.sync -1; | true",
        "bar.sync 0; | true"
      })
  void aBarrierOfSomeThreadsEndsTheWaitOfTheOthers(String barrier, boolean expected) {
    // The second warp goes on while the first one has waited, and has not stored.
    String warp = "mov.u32 %r20, 0; setp.lt.s32 %p1, %r0, 32; ";
    String get = "@!%p1 ld.shared.u32 %r10, [%r13+-128]; ";
    isProved(TILE + warp + barrier + " " + PUT + BARRIER + get, expected);
  }

  @Test
  @Timeout(15)
  void accessesOnManyWaysAreComparedInTime() {
    StringBuilder code = new StringBuilder(TILE + BARRIER);
    String branch = "setp.gt.s32 %p1, %r5, 1; @%p1 bra N; add.s32 %r21, %r21, 1; N: ";
    for (int i = 0; i < 190; i++) {
      String store = "st.shared.u32 [%r13+" + 4 * i + "], %r4; N: ";
      code.append(branch.replace("add.s32 %r21, %r21, 1; N: ", store).replace("N", "A" + i));
      for (int j = 0; j < 8; j++) {
        code.append(branch.replace("N", "B" + i + "_" + j));
      }
    }
    // Every way of a branch has two accesses that no barrier orders.
    isProved(code + "", false);
  }
}
