package dev.streamfence.internal.ptx.races;

import static dev.streamfence.internal.ptx.races.KernelRacesTest.at;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Threads that store to one element: a race that is certain, unless all store the same. Registers
 * are as in {@link KernelRacesTest}.
 */
final class StoredValuesTest {
  /** Loads the thread's own element of the second array. */
  private static final String OWN =
      "mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r10, [%rd7]; ";

  /** Loads the element of the thread's block. */
  private static final String BLOCKS =
      "mul.wide.s32 %rd6, %r1, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r10, [%rd7]; ";

  private static void isCertain(String code, boolean expected) {
    String store = at("%r1") + "st.global.u32 [%rd5], %r10; ";
    Verdict verdict = verdict(code + store);
    assertThat(verdict).as(code).isNotEqualTo(Verdict.PROVED);
    assertThat(verdict == Verdict.CERTAIN).as(code).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "'mov.u32 %r10, %r0;', true",
    "'xor.b32 %r10, %r0, %r5;', true",
    "'rem.u32 %r10, %r0, 3;', true",
    // The same in all threads of a block.
    "'mul.lo.s32 %r10, %r1, %r2;', false",
    "'and.b32 %r10, %r0, 0;', false",
    "'shr.u32 %r10, %r0, 10;', false"
  })
  void aValueIsComputed(String value, boolean isCertain) {
    isCertain(value + " ", isCertain);
  }

  @Test
  void aValueIsLoadedFromThePlaceOfTheThreadOrOfTheBlock() {
    isCertain(OWN, true);
    isCertain(BLOCKS, false);
    isCertain(OWN + "mul.lo.s32 %r10, %r10, %r5; ", true);
    isCertain(BLOCKS + "mul.lo.s32 %r10, %r10, %r5; ", false);
    String real = "cvt.rn.f32.s32 %f1, %r10; sqrt.rn.f32 %f1, %f1; mov.b32 %r10, %f1; ";
    isCertain(".reg .f32 %f<3>; " + OWN + real, true);
    isCertain(".reg .f32 %f<3>; " + BLOCKS + real, false);
  }

  @ParameterizedTest
  @CsvSource({
    "'shfl.sync.bfly.b32 %r10, %r10, 1, 31, -1;', false",
    "'shfl.sync.idx.b32 %r10, %r10, 0, 31, -1;', false",
    "'redux.sync.add.s32 %r10, %r10, -1;', false",
    "'setp.ne.s32 %p1, %r10, 0; vote.sync.ballot.b32 %r10, %p1, -1;', false",
    "'setp.ne.s32 %p1, %r10, 0; bar.red.popc.u32 %r10, 0, %p1;', false",
    // Each lane has the value of another one.
    "'shfl.sync.down.b32 %r10, %r10, 1, 31, -1;', true",
    "'shfl.sync.up.b32 %r10, %r10, 1, 0, -1;', true",
  })
  void aValueIsThatOfSeveralThreads(String exchange, boolean isCertain) {
    isCertain(OWN + exchange + " ", isCertain);
    isCertain(OWN + exchange + " add.s32 %r10, %r10, %r5; ", isCertain);
  }

  @Test
  void theSumOfAWarpIsMadeOfWhatTheLanesHave() {
    String step = "shfl.sync.bfly.b32 %r11, %r10, DISTANCE, 31, -1; add.s32 %r10, %r10, %r11; ";
    StringBuilder sum = new StringBuilder(OWN);
    for (int distance : new int[] {16, 8, 4, 2, 1}) {
      sum.append(step.replace("DISTANCE", "" + distance));
    }
    isCertain(sum.toString(), false);
    isCertain(sum.toString().replace(".bfly", ".down"), true);
  }

  @ParameterizedTest
  @CsvSource({
    "'[%rd5], 1', '[%rd5], 2', true",
    "'[%rd5], 1', '[%rd5], 1', false",
    "'[%rd5], 1', '[%rd5], %r11', false",
    "'[%rd5], 1', '[%rd5], %r12', true",
    "'.v2 [%rd5], {%r12, 1}', '.v2 [%rd5], {%r12, %r11}', false",
    "'.v2 [%rd5], {%r12, 1}', '.v2 [%rd5], {%r12, 2}', true",
    "'.v2 [%rd5], {%r12, %r12}', '.v2 [%rd5], {%r12, %r11}', true"
  })
  void constantsAreCompared(String one, String other, boolean isCertain) {
    String code =
        "shl.b32 %r13, %r1, 1; "
            + at("%r13")
            + "mov.u32 %r11, 1; add.s32 %r12, %r1, 7; setp.lt.u32 %p1, %r0, 4; @%p1 bra N;"
            + " st.global"
            + typed(one)
            + "; bra END; N: st.global"
            + typed(other)
            + ";";
    assertThat(verdict(code) == Verdict.CERTAIN).as(code).isEqualTo(isCertain);
  }

  private static String typed(String operands) {
    return operands.startsWith(".v2") ? ".v2.u32" + operands.substring(3) : ".u32 " + operands;
  }

  @Test
  void twoInstructionsStoreWhatIsLoadedFromOneArrayOrFromTwo() {
    String second =
        "add.s64 %rd8, %rd1, %rd6; ld.global.u32 %r11, [%rd8+400000]; setp.lt.u32 %p1, %r0, 4;"
            + " @%p1 bra N; st.global.u32 [%rd5], %r10; bra END; N: st.global.u32 [%rd5], %r11; ";
    assertThat(verdict(BLOCKS + at("%r1") + second.replace("%r11;", "%r10;")))
        .isNotEqualTo(Verdict.CERTAIN);
    assertThat(verdict(OWN + at("%r1") + second)).isEqualTo(Verdict.CERTAIN);
  }
}
