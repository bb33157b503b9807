package dev.streamfence.internal.ptx.races;

import static dev.streamfence.internal.ptx.races.KernelRacesTest.STORE;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Places whose bits the code exchanges, as compilers of tiles do so that the threads of a warp use
 * all banks of shared memory. They are compared thread by thread where the block is known.
 * Registers are as in {@link KernelRacesTest}.
 */
final class KnownBlockTest {
  /** {@code %r20} is the thread's number with some bits exchanged; no two threads have the same. */
  private static final String GRAY = "shr.u32 %r21, %r0, 1; xor.b32 %r20, %r0, %r21; ";

  private static final String IN_TILE =
      "mov.u32 %r12, tile; shl.b32 %r22, %r20, 2; add.s32 %r13, %r12, %r22; ";
  private static final String PUT = "st.shared.u32 [%r13], %r4; ";

  private static Verdict verdict(String code, int x, int y) {
    LaunchSpace space = new LaunchSpace(x, y, x == 0 ? 0 : 1, false, false);
    return KernelRacesTest.of(code, Map.of(), Map.of(), space).verdict();
  }

  private static boolean isProved(String code, int x, int y) {
    return verdict(code, x, y) == Verdict.PROVED;
  }

  @ParameterizedTest
  @CsvSource({"128, true", "100, true", "1024, true", "0, false"})
  void exchangedBitsTellThreadsOfAKnownBlockApart(int block, boolean isProved) {
    assertThat(isProved(GRAY + IN_TILE + PUT, block, 1)).isEqualTo(isProved);
  }

  @Test
  void placesThatTwoThreadsHaveAreNotProved() {
    String some = "and.b32 %r23, %r0, 63; shr.u32 %r21, %r0, 5; xor.b32 %r20, %r23, %r21; ";
    assertThat(isProved(some + IN_TILE + PUT, 128, 1)).isFalse();
    assertThat(isProved(some + IN_TILE + PUT, 32, 1)).isTrue();
  }

  @Test
  void placesThatOverlapInPartAreNotProved() {
    String two = "st.shared.v2.u32 [%r13], {%r4, %r4}; ";
    String pairs = "and.b32 %r24, %r20, 510; shl.b32 %r20, %r24, 1; ";
    String even = "shl.b32 %r20, %r20, 1; ";
    assertThat(isProved(GRAY + IN_TILE + two, 128, 1)).isFalse();
    assertThat(isProved(GRAY + even + IN_TILE + two, 128, 1)).isTrue();
    assertThat(isProved(GRAY + pairs + IN_TILE + two, 128, 1)).isFalse();
  }

  @Test
  void twoStoresAreComparedWithEachOther() {
    String next = "st.shared.u32 [%r13+512], %r4; ";
    assertThat(isProved(GRAY + IN_TILE + PUT + next, 128, 1)).isTrue();
    assertThat(isProved(GRAY + IN_TILE + PUT + next, 160, 1)).isFalse();
    String own = "ld.shared.u32 %r25, [%r13]; ";
    assertThat(isProved(GRAY + IN_TILE + PUT + own, 128, 1)).isTrue();
    String other = "ld.shared.u32 %r25, [%r13+4]; ";
    assertThat(isProved(GRAY + IN_TILE + PUT + other, 128, 1)).isFalse();
    assertThat(isProved(GRAY + IN_TILE + PUT + "bar.sync 0; " + other, 128, 1)).isTrue();
  }

  @Test
  void threadsThatDoNotComeThereDoNotCount() {
    String row = "and.b32 %r23, %r0, 31; shr.u32 %r21, %r23, 1; xor.b32 %r20, %r23, %r21; ";
    assertThat(isProved(row + IN_TILE + PUT, 128, 1)).isFalse();
    assertThat(isProved(unless("setp.ge.u32 %p1, %r0, 32; ") + row + IN_TILE + PUT, 128, 1))
        .isTrue();
    assertThat(isProved(unless("setp.ge.u32 %p1, %r0, 33; ") + row + IN_TILE + PUT, 128, 1))
        .isFalse();
    String warp = "shr.u32 %r26, %r0, 5; ";
    assertThat(isProved(warp + unless("setp.ne.u32 %p1, %r26, 2; ") + row + IN_TILE + PUT, 128, 1))
        .isTrue();
    assertThat(isProved(warp + unless("setp.eq.u32 %p1, %r26, 2; ") + row + IN_TILE + PUT, 64, 1))
        .isFalse();
    assertThat(isProved(warp + unless("setp.eq.u32 %p1, %r26, 1; ") + row + IN_TILE + PUT, 64, 1))
        .isTrue();
    // What a launch decides lets all threads come.
    assertThat(isProved(unless("setp.ge.s32 %p1, %r0, %r5; ") + row + IN_TILE + PUT, 128, 1))
        .isFalse();
  }

  private static String unless(String comparison) {
    return comparison + "@%p1 bra END; ";
  }

  /** The product of an odd thread wraps around when it is multiplied again. */
  private static final String LARGE =
      "and.b32 %r23, %r0, 1; mul.lo.s32 %r24, %r23, 1073741825; shr.u32 %r25, %r0, 1;"
          + " xor.b32 %r20, %r24, %r25; ";

  @ParameterizedTest
  @CsvSource({"4", "128"})
  void numbersThatWrapAroundTellNoThreadsApart(int block) {
    assertThat(isProved(LARGE + IN_TILE + PUT, block, 1)).isFalse();
    String guard = "shl.b32 %r26, %r20, 2; setp.ge.s32 %p1, %r26, 64; @%p1 bra END; ";
    String both = "shr.u32 %r27, %r0, 1; xor.b32 %r20, %r27, 65; ";
    assertThat(isProved(LARGE + guard + both + IN_TILE + PUT, block, 1)).isFalse();
  }

  @Test
  void rowsAndColumnsOfABlockCount() {
    String tile = "mov.u32 %r27, %tid.y; xor.b32 %r28, %r0, %r27; ";
    String wide = tile + "mad.lo.s32 %r20, %r27, 16, %r28; ";
    String narrow = tile + "mad.lo.s32 %r20, %r27, 8, %r28; ";
    assertThat(isProved(wide + IN_TILE + PUT, 16, 8)).isTrue();
    assertThat(isProved(narrow + IN_TILE + PUT, 16, 8)).isFalse();
    assertThat(isProved(narrow + IN_TILE + PUT, 8, 8)).isTrue();
  }

  /** In each iteration of a loop, a part of the tile that is the same for all threads. */
  @Test
  void whatIsTheSameInABlockDoesNotMatterBetweenTwoBarriers() {
    String stages =
        "mov.u32 %r17, 0; mov.u32 %r18, 0; LOOP: add.s32 %r19, %r13, %r18;"
            + " st.shared.u32 [%r19], %r4; BARRIER"
            + " add.s32 %r18, %r18, 512; add.s32 %r17, %r17, 1;"
            + " setp.lt.s32 %p2, %r17, %r5; @%p2 bra LOOP; ";
    String ordered = stages.replace("BARRIER", "bar.sync 0;");
    assertThat(isProved(GRAY + IN_TILE + ordered, 128, 1)).isTrue();
    assertThat(isProved(GRAY + IN_TILE + stages.replace("BARRIER", ""), 128, 1)).isFalse();
    // What a thread adds of its own is not the same in all.
    String own = "ld.global.u32 %r16, [%rd1]; add.s32 %r13, %r13, %r16; ";
    String loaded = at("%r0") + own.replace("[%rd1]", "[%rd5]");
    assertThat(isProved(GRAY + IN_TILE + loaded + PUT, 128, 1)).isFalse();
    assertThat(isProved(GRAY + IN_TILE + own + PUT, 128, 1)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"128, PROVED", "64, CERTAIN"})
  void blocksOfTheSizeInTheCodeHavePartsOfAnArray(int rows, Verdict expected) {
    String code = "mad.lo.s32 %r20, %r1, " + rows + ", %r20; ";
    assertThat(ofRequiredBlock(GRAY + code + at("%r20") + STORE)).isEqualTo(expected);
  }

  /** A block of 128 threads, with four elements of a row each. */
  @ParameterizedTest
  @CsvSource({"500, PROVED", "501, UNKNOWN", "497, PROVED", "496, PROVED"})
  void threadsWithSeveralElementsStayInARow(int last, Verdict expected) {
    String four =
        "shl.b32 %r21, %r0, 2; setp.ge.u32 %p1, %r21, "
            + last
            + "; @%p1 bra END; mad.lo.s32 %r20, %r1, 500, %r21; ";
    String store = "st.global.v4.u32 [%rd5], {%r4, %r4, %r4, %r4}; ";
    Verdict verdict = ofRequiredBlock(four + at("%r20") + store);
    assertThat(verdict == Verdict.PROVED).isEqualTo(expected == Verdict.PROVED);
  }

  private static Verdict ofRequiredBlock(String code) {
    PtxModule module =
        PtxModule.parse(
            """
            .version 7.0
            .target sm_75
            .address_size 64
            .visible .entry k(.param .u64 a)
            .reqntid 128
            {
            .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<30>;
            ld.param.u64 %rd1, [a];
            mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
            mad.lo.s32 %r4, %r1, %r2, %r0;
            """
                + code
                + " END: ret; }");
    return KernelRaces.of(
            new KernelFlow(module, module.entries().get(0)),
            List.of(new ArrayPlace(0, 0)),
            List.of(),
            Map.of(),
            Map.of(),
            new LaunchSpace(128, 1, 1, false, false))
        .verdict();
  }
}
