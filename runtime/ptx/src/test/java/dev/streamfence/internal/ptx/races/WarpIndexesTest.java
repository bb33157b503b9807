package dev.streamfence.internal.ptx.races;

import static dev.streamfence.internal.ptx.races.KernelRacesTest.STORE;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Indexes of warps and lanes, which tell threads apart if a block has whole warps. Registers are as
 * in {@link KernelRacesTest}.
 */
final class WarpIndexesTest {
  private static final String WARP_OF_THE_GRID = "shr.u32 %r20, %r4, 5; ";
  private static final String WARP_OF_THE_BLOCK =
      "shr.u32 %r21, %r0, 5; shr.u32 %r22, %r2, 5; mad.lo.s32 %r20, %r1, %r22, %r21; ";
  private static final String ONE_LANE =
      "and.b32 %r23, %r0, 31; setp.ne.s32 %p1, %r23, 3; @%p1 bra END; ";
  private static final String LANE_OF_THE_WARP =
      "and.b32 %r21, %r4, -32; and.b32 %r22, %r0, 31; or.b32 %r20, %r21, %r22; ";

  /** A loop over rows, one per warp, whose place the compiler has in bytes. */
  private static final String ROWS =
      "mul.lo.s32 %r21, %r3, %r2; shr.u32 %r22, %r21, 5; shr.u32 %r23, %r4, 3;"
          + " cvt.u64.u32 %rd10, %r23; and.b64 %rd11, %rd10, 536870908; add.s64 %rd9, %rd1, %rd11;"
          + " shr.u32 %r24, %r21, 3; cvt.u64.u32 %rd12, %r24; and.b64 %rd13, %rd12, 536870908;"
          + " shr.u32 %r25, %r4, 5; LOOP: st.global.u32 [%rd9], 1; add.s64 %rd9, %rd9, %rd13;"
          + " add.s32 %r25, %r25, %r22; setp.lt.s32 %p2, %r25, %r5; @%p2 bra LOOP; ";

  private static Verdict verdict(String code, int block) {
    LaunchSpace space = new LaunchSpace(block, 1, 1, true, false);
    return KernelRacesTest.of(code, Map.of(), Map.of(), space).verdict();
  }

  @ParameterizedTest
  @CsvSource({"256, true", "32, true", "1024, true", "48, false", "16, false", "0, false"})
  void oneLaneOfEachWarpHasAnElementOfItsOwn(int block, boolean isProved) {
    for (String index : new String[] {WARP_OF_THE_GRID, WARP_OF_THE_BLOCK}) {
      assertThat(verdict(ONE_LANE + index + at("%r20") + STORE, block) == Verdict.PROVED)
          .as(index)
          .isEqualTo(isProved);
    }
  }

  @ParameterizedTest
  @CsvSource({"256, true", "64, true", "48, false", "0, false"})
  void aLaneHasAnElementOfItsWarpsRow(int block, boolean isProved) {
    assertThat(verdict(LANE_OF_THE_WARP + at("%r20") + STORE, block) == Verdict.PROVED)
        .isEqualTo(isProved);
  }

  @ParameterizedTest
  @CsvSource({"256, true", "48, false"})
  void warpsTakeRowsInTurns(int block, boolean isProved) {
    assertThat(verdict(ONE_LANE + ROWS, block) == Verdict.PROVED).isEqualTo(isProved);
  }

  @ParameterizedTest
  @CsvSource({"256", "32"})
  void severalLanesOfAWarpMeet(int block) {
    String some = ONE_LANE.replace("31", "15");
    assertThat(verdict(some + WARP_OF_THE_GRID + at("%r20") + STORE, block))
        .isEqualTo(Verdict.CERTAIN);
    assertThat(verdict(WARP_OF_THE_GRID + at("%r20") + STORE, block)).isEqualTo(Verdict.CERTAIN);
  }

  /** A divisor that has more bits than the thread's number is no divisor of that. */
  @ParameterizedTest
  @CsvSource({"4294967301, u64", "8589934597, s64", "4294967296, u64"})
  void aNumberIsNotDividedByWhatHasMoreBits(String divisor, String type) {
    String remainder =
        "cvt.u64.u32 %rd10, %r0; add.s64 %rd11, %rd10, "
            + divisor
            + "; rem."
            + type
            + " %rd12, %rd11, "
            + divisor
            + "; cvt.u32.u64 %r20, %rd12; mad.lo.s32 %r21, %r4, 8, %r20; ";
    String both = remainder + at("%r21") + STORE + "shl.b32 %r22, %r4, 3; " + at("%r22") + STORE;

    assertThat(verdict(both, 0)).isNotEqualTo(Verdict.PROVED);
  }

  /**
   * In the first block, of two threads, the quotient is one number for both, or one more for the
   * second.
   */
  @ParameterizedTest
  @CsvSource({"30, true", "31, false", "32, true"})
  void aSumThatReachesTheDivisorIsNoPartOfTheQuotient(int more, boolean isProved) {
    String code =
        "setp.ne.s32 %p1, %r1, 0; @%p1 bra END; shl.b32 %r20, %r1, 5; add.s32 %r21, %r20, %r0;"
            + " add.s32 %r21, %r21, "
            + more
            + "; shr.u32 %r22, %r21, 5; sub.s32 %r23, %r22, %r0; ";

    assertThat(verdict(code + at("%r23") + STORE, 2) == Verdict.PROVED).isEqualTo(isProved);
  }

  /** As nvcc masks what it loads into an unsigned char. */
  @Test
  void theColumnMayBeAMaskedByte() {
    String code =
        ".reg .b16 %rs<3>; cvt.s64.s32 %rd6, %r4; add.s64 %rd7, %rd2, %rd6;"
            + " ld.global.u8 %rs1, [%rd7]; cvt.u32.u16 %r20, %rs1; and.b32 %r21, %r20, 15;"
            + " mad.lo.s32 %r22, %r4, 16, %r21; ";

    assertThat(verdict(code + at("%r22") + STORE, 0)).isEqualTo(Verdict.PROVED);
  }
}
