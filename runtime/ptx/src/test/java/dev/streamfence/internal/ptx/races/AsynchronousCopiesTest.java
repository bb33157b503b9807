package dev.streamfence.internal.ptx.races;

import static dev.streamfence.internal.ptx.races.KernelRacesTest.STORE;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.TILE;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.at;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Copies to shared memory that the thread waits for before others may depend on them. */
final class AsynchronousCopiesTest {
  private static final String BEGIN =
      TILE + "mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; ";
  private static final String COPY = "cp.async.ca.shared.global [%r13], [%rd7], 4; ";
  private static final String NEIGHBOUR = "ld.shared.u32 %r10, [%r13+4]; ";
  private static final String OWN = "ld.shared.u32 %r10, [%r13]; ";
  private static final String END = at("%r4") + "st.global.u32 [%rd5], %r10; ";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cp.async.wait_all; bar.sync 0; | PROVED",
        "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0; | PROVED",
        "@%p1 bra W; cp.async.wait_all; bra B; W: cp.async.wait_all; B: bar.sync 0; | PROVED",
        "cp.async.wait_all; | CERTAIN",
        // The barrier orders threads, and not the copy.
        "bar.sync 0; cp.async.wait_all; | UNKNOWN",
        "bar.red.popc.u32 %r20, 0, %p1; cp.async.wait_all; | UNKNOWN",
        "barrier.cta.red.or.pred %p2, 0, %p1; cp.async.wait_all; | UNKNOWN",
        "bar.warp.sync -1; cp.async.wait_all; bar.sync 0; | UNKNOWN",
        "bar.sync 0; | UNKNOWN",
        "cp.async.commit_group; cp.async.wait_group 1; bar.sync 0; | UNKNOWN",
        "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0; | PROVED",
        "@%p1 cp.async.wait_all; bar.sync 0; | UNKNOWN",
        // A copy that is in no group yet is not waited for.
        "cp.async.wait_group 0; bar.sync 0; | UNKNOWN",
        "cp.async.wait_group 0; cp.async.commit_group; bar.sync 0; | UNKNOWN",
        "@%p1 cp.async.commit_group; cp.async.wait_group 0; bar.sync 0; | UNKNOWN",
        "cp.async.commit_group; @%p1 cp.async.wait_group 0; bar.sync 0; | UNKNOWN",
        "@%p1 bra W; cp.async.commit_group; W: cp.async.wait_group 0; bar.sync 0; | UNKNOWN",
        "@%p1 bra W; cp.async.wait_all; W: bar.sync 0; | UNKNOWN",
        "@%p1 bra W; bra B; W: cp.async.wait_all; B: bar.sync 0; | UNKNOWN",
        "@%p1 ret; cp.async.wait_all; bar.sync 0; | UNKNOWN",
        // It waits for what a barrier in memory counts.
        "cp.async.mbarrier.arrive.shared.b64 [%r13]; cp.async.wait_all; bar.sync 0; | UNKNOWN",
        "cp.async.bulk.wait_group 0; bar.sync 0; | UNKNOWN",
      })
  void aNeighbourReadsACopyOnceItIsOverAndAllHaveMet(String code, Verdict expected) {
    assertThat(verdict("setp.gt.s32 %p1, %r5, 3; " + BEGIN + COPY + code + NEIGHBOUR + END))
        .as(code)
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cp.async.wait_all; ld.shared.u32 %r10, [%r13]; | PROVED",
        "ld.global.u32 %r11, [%rd7]; cp.async.wait_all; ld.shared.u32 %r10, [%r13]; | PROVED",
        "ld.shared.u32 %r10, [%r13]; cp.async.wait_all; | UNKNOWN",
        "cp.async.wait_all; ld.u32 %r10, [%rd8]; | PROVED",
        "ld.u32 %r10, [%rd8]; cp.async.wait_all; | UNKNOWN",
        "ld.shared.u32 %r10, [%r13]; | UNKNOWN",
        "st.shared.u32 [%r13], 1; cp.async.wait_all; ld.shared.u32 %r10, [%r13]; | UNKNOWN",
        "st.global.u32 [%rd7], 1; cp.async.wait_all; ld.shared.u32 %r10, [%r13]; | UNKNOWN",
        "atom.shared.add.u32 %r10, [%r13], 1; cp.async.wait_all; | UNKNOWN",
        "fence.acq_rel.cta; cp.async.wait_all; ld.shared.u32 %r10, [%r13]; | UNKNOWN",
      })
  void aThreadTouchesWhatItHasCopiedOnceThatIsOver(String code, Verdict expected) {
    String generic = "cvt.u64.u32 %rd9, %r13; cvta.shared.u64 %rd8, %rd9; ";

    assertThat(verdict(BEGIN + generic + COPY + code + END)).as(code).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "'cp.async.cg.shared.global [%r13], [%rd7], 16;', CERTAIN",
    "'cp.async.ca.shared.global [%r13], [%rd7], 4, 0;', PROVED",
    "'cp.async.ca.shared.global [%r13], [%rd7], %r5;', UNKNOWN",
    "'cp.async.bulk.shared::cta.global.mbarrier [%r13], [%rd7], 4, [%r14];', UNKNOWN",
  })
  void aCopyTouchesItsBytes(String copy, Verdict expected) {
    assertThat(verdict(BEGIN + copy + "cp.async.wait_all; " + OWN + END))
        .as(copy)
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "cp.async.wait_all; bar.sync 0;, PROVED",
    // The next round's copy may come before a slower thread has read.
    "cp.async.wait_all;, UNKNOWN",
    "bar.sync 0;, UNKNOWN"
  })
  void aCopyInALoopIsOverInItsRound(String code, Verdict expected) {
    String loop =
        "mov.u32 %r20, 0; L: "
            + COPY
            + code
            + NEIGHBOUR
            + "bar.sync 0; add.s32 %r20, %r20, 1; setp.lt.s32 %p2, %r20, %r5; @%p2 bra L; ";

    assertThat(verdict(BEGIN + loop + at("%r4") + STORE)).as(code).isEqualTo(expected);
  }
}
