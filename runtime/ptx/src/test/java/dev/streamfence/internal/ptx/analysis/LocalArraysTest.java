package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.AccessMemoryTest.DEPOT;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.NONE;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.READS;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.UNKNOWN;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The access analysis keeps elements of local arrays apart by the limits of their index. */
class LocalArraysTest {
  /** Two arrays of two pointers each, the first at 0, the second at 16, in one local variable. */
  private static final String TWO_ARRAYS =
      DEPOT
          + "st.local.u64 [%SPL], %rd1; add.s64 %rd7, %rd1, 4; st.local.u64 [%SPL+8], %rd7;"
          + "st.local.u64 [%SPL+16], %rd2; add.s64 %rd7, %rd2, 4; st.local.u64 [%SPL+24], %rd7;";

  /** Stores through the element at %rd7, which some instructions compute; c is shared. */
  private static AnalysedKernel storingAt(String index) {
    return AnalysedKernel.in(
        ".shared .u32 c;",
        TWO_ARRAYS
            + index
            + "add.s64 %rd8, %SPL, %rd7; ld.local.u64 %rd10, [%rd8]; st.global.u32 [%rd10], 7;");
  }

  private static boolean mayWrite(ParameterAccess access) {
    return access.write().isPresent() || access.possibleWrite().isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "and.b32 %r5, %r1, 1; mul.wide.u32 %rd7, %r5, 8;",
        "shl.b32 %r5, %r1, 3; and.b32 %r6, %r5, 8; cvt.u64.u32 %rd7, %r6;",
        "rem.u32 %r5, %r1, 2; mul.wide.u32 %rd7, %r5, 8;",
        "min.u32 %r5, %r1, 1; shl.b32 %r6, %r5, 3; cvt.u64.u32 %rd7, %r6;",
        "bfe.u32 %r5, %r1, 7, 1; mul.wide.u32 %rd7, %r5, 8;",
        "shr.u32 %r5, %r1, 31; mul.wide.u32 %rd7, %r5, 8;",
        "selp.u64 %rd7, 8, 0, %p1;",
        "mov.u32 %r6, 9; and.b32 %r5, %r6, 1; mul.wide.u32 %rd7, %r5, 8;",
        "bfe.u32 %r5, %r1, 7, 0; mul.wide.u32 %rd7, %r5, 8;",
        "shr.u64 %rd7, %rd4, 63; shl.b64 %rd7, %rd7, 3;",
        "and.b32 %r5, %r1, 1; mad.wide.u32 %rd7, %r5, 8, 0;",
        "ld.global.u32 %r6, [%rd4]; and.b32 %r5, %r6, 1; mul.wide.u32 %rd7, %r5, 8;",
      })
  void aBoundedIndexLeadsToOneArrayAlone(String index) {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            TWO_ARRAYS
                + index
                + "add.s64 %rd8, %SPL, %rd7; ld.local.u64 %rd9, [%rd8+16]; ld.global.u32 %r7, [%rd9];"
                + "ld.local.u64 %rd10, [%rd8]; st.global.u32 [%rd10], %r7;");

    assertThat(kernel.verdicts().subList(0, 2)).containsExactly(WRITES, READS);
  }

  @Test
  void aBoundedStoreReplacesNothingInTheOtherArray() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            DEPOT
                + "st.local.u64 [%SPL+16], %rd2; and.b32 %r5, %r1, 1; mul.wide.u32 %rd7, %r5, 8;"
                + "add.s64 %rd8, %SPL, %rd7; st.local.u64 [%rd8], %rd1;"
                + "ld.local.u64 %rd9, [%SPL+16]; ld.global.u32 %r7, [%rd9];"
                + "ld.local.u64 %rd10, [%SPL+8]; st.global.u32 [%rd10], %r7;");

    assertThat(kernel.verdicts()).containsExactly(WRITES, READS, NONE, NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Up to the second array.
        "and.b32 %r5, %r1, 2; mul.wide.u32 %rd7, %r5, 8;",
        "rem.s32 %r5, %r1, 2; mul.wide.s32 %rd7, %r5, 8;",
        "shr.s32 %r5, %r1, 31; mul.wide.s32 %rd7, %r5, 8;",
        "and.b32 %r5, %r1, 1; sub.s32 %r6, %r5, 1; mul.wide.s32 %rd7, %r6, -16;",
        "and.b32 %r5, %r1, 1; shl.b32 %r6, %r5, 31; shr.u32 %r6, %r6, 27; cvt.u64.u32 %rd7, %r6;",
        "shr.u64 %rd7, %rd4, 0;",
        "min.s32 %r5, %r1, 1; mul.wide.s32 %rd7, %r5, 8;",
        "bfe.s32 %r5, %r1, 7, 1; mul.wide.s32 %rd7, %r5, -16;",
        "and.b32 %r5, %r1, 1; add.u32 %r5, %r5, 16777216; mul24.lo.u32 %r6, %r5, 16;"
            + " cvt.u64.u32 %rd7, %r6;",
        "and.b32 %r5, %r1, 1; add.u32 %r5, %r5, 16777216; mad24.lo.u32 %r6, %r5, 16, 0;"
            + " cvt.u64.u32 %rd7, %r6;",
        "st.shared.u32 [c], 8; atom.shared.add.u32 %r6, [c], 8; ld.shared.u32 %r6, [c];"
            + " cvt.u64.u32 %rd7, %r6;",
        "mov.u32 %r5, 272; cvt.u64.u8 %rd7, %r5;",
      })
  void anIndexThatLeavesItsArrayMayFindTheOther(String index) {
    AnalysedKernel kernel = storingAt(index);

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
  }

  @Test
  void aBoundedStoreIsFoundWhereItMayBe() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            DEPOT
                + "st.local.u64 [%SPL+8], %rd2; and.b32 %r5, %r1, 1; mul.wide.u32 %rd7, %r5, 8;"
                + "add.s64 %rd8, %SPL, %rd7; st.local.u64 [%rd8], %rd1;"
                + "ld.local.u64 %rd9, [%SPL+8]; st.global.u32 [%rd9], 7;");

    assertThat(kernel.p().possibleWrite()).isPresent();
    assertThat(kernel.q().possibleWrite()).isPresent();
  }

  /** Leaves in %rd7 what is 16 in some thread. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        // The halves of packed numbers are computed by themselves.
        "and.b32 %r5, %r1, 8; add.u32 %r5, %r5, 65528; mov.u32 %r7, 65536;"
            + " min.u16x2 %r6, %r5, %r7; cvt.u64.u32 %rd7, %r6; add.s64 %rd7, %rd7, 16;",
        // A narrow number may be the upper half of a wide one.
        "and.b32 %r5, %r1, 1; cvt.u16.u32 %h1, %r5; st.local.u32 [%SPL+40], 0;"
            + " st.local.u16 [%SPL+42], %h1; ld.local.u32 %r6, [%SPL+40]; cvt.u64.u32 %rd7, %r6;"
            + " sub.s64 %rd7, 65552, %rd7;",
        // A byte may replace one of a number.
        "and.b32 %r5, %r1, 8; add.u32 %r5, %r5, 256; st.local.u32 [%SPL+40], %r5;"
            + " st.local.u8 [%SPL+41], 0; st.local.u32 [%SPL+44], 0; ld.local.u64 %rd7, [%SPL+40];"
            + " add.s64 %rd7, %rd7, 16;",
        // So small a number is 0 as floating point.
        "and.b32 %r5, %r1, 8; add.s32 %r5, %r5, 24; mov.b32 %f1, %r5; max.ftz.f32 %f2, %f1, %f1;"
            + " mov.b32 %r6, %f2; cvt.u64.u32 %rd7, %r6; add.s64 %rd7, %rd7, 16;",
        // Two threads may add to what is in memory.
        "mov.u32 %r5, %tid.x; and.b32 %r5, %r5, 8; st.shared.u32 [c], %r5;"
            + " atom.shared.add.u32 %r6, [c], %r5; ld.shared.u32 %r6, [c]; cvt.u64.u32 %rd7, %r6;",
      })
  void aNumberOutsideTheLimitsOfItsPartsIsExpected(String index) {
    AnalysedKernel kernel = storingAt(index);

    assertThat(kernel.q().possibleWrite()).isPresent();
  }

  @Test
  void aNegativeFactorOfAnUnsignedProductIsALargeOne() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            TWO_ARRAYS
                + "add.s64 %rd7, %SPL, -4294967295; and.b32 %r5, %r1, 1;"
                + "mad.wide.u32 %rd8, %r5, -1, %rd7;"
                + "ld.local.u64 %rd10, [%rd8]; st.global.u32 [%rd10], 7;");

    assertThat(mayWrite(kernel.p())).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "add.s32 %r5, %r5, 4294967288; and.b32 %r6, %r1, 8; add.s32 %r5, %r5, 8;"
            + " add.s32 %r5, %r5, %r6; ld.shared.u64 %rd10, [%r5];",
        "add.s32 %r6, %r5, -8; cvt.u64.u32 %rd7, %r6; add.s64 %rd8, %rd7, -4294967288;"
            + " ld.shared.u64 %rd10, [%rd8];",
      })
  void aSharedAddressWrapsAround(String load) {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".shared .align 8 .b64 s[2];",
            "st.shared.u64 [s], %rd1; mov.u32 %r5, s;" + load + "st.global.u32 [%rd10], 7;");

    assertThat(mayWrite(kernel.p())).isTrue();
  }

  /** The upper half of p, whose lower half is at 8, is loaded with any of two offsets. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "st.local.u64 [%SPL+8], %rd1; ld.local.u32 %r7, [%rd8+12];",
        "st.local.u32 [%SPL+12], %r8; ld.local.u64 %rd9, [%rd8]; mov.b64 {%r6, %r7}, %rd9;",
      })
  void aBoundedLoadFindsWhatBeginsBeforeItOrEndsBehindIt(String load) {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            DEPOT
                + "mov.b64 {%r6, %r8}, %rd1; and.b32 %r5, %r1, 1; mul.wide.u32 %rd7, %r5, 8;"
                + "add.s64 %rd8, %SPL, %rd7;"
                + load
                + "mov.b64 %rd10, {0, %r7}; st.global.u32 [%rd10], 7;");

    assertThat(kernel.p().possibleWrite()).isPresent();
  }

  /** Stores p at 8 or 16, and loads a pointer with some offsets. */
  private static AnalysedKernel loadedBeside(String load) {
    return AnalysedKernel.of(
        DEPOT
            + "and.b32 %r5, %r1, 1; mul.wide.u32 %rd7, %r5, 8; add.s64 %rd8, %SPL, %rd7;"
            + "st.local.u64 [%rd8+8], %rd1;"
            + load
            + "st.global.u32 [%rd9], 7;");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[%SPL]", "[%SPL+24]", "[%rd8+24]", "[%rd8+-8]"})
  void aBoundedStoreIsNotFoundBesideIt(String place) {
    AnalysedKernel kernel = loadedBeside("ld.local.u64 %rd9, " + place + ";");

    assertThat(mayWrite(kernel.p())).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[%SPL+8]", "[%SPL+16]", "[%rd8+16]", "[%rd8]", "[%rd10]"})
  void aBoundedStoreIsFoundAtEachOfItsOffsets(String place) {
    AnalysedKernel kernel =
        loadedBeside("add.s64 %rd10, %SPL, %rd4; ld.local.u64 %rd9, " + place + ";");

    assertThat(mayWrite(kernel.p())).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"2, false", "3, true"})
  void aRemainderMayBeTheGreatest(int divisor, boolean found) {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            DEPOT
                + "st.local.u64 [%SPL+16], %rd1;"
                + ("rem.u32 %r5, %r1, " + divisor + "; mul.wide.u32 %rd7, %r5, 8;")
                + "add.s64 %rd8, %SPL, %rd7; ld.local.u64 %rd9, [%rd8]; st.global.u32 [%rd9], 7;");

    assertThat(mayWrite(kernel.p())).isEqualTo(found);
  }

  @ParameterizedTest
  @CsvSource({"16, false", "8, true"})
  void aBitThatAnAlignedAddressMayHaveAddsNothingToIt(int alignment, boolean found) {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            (".local .align " + alignment + " .b8 kept[32]; mov.u64 %rd7, kept;")
                + "st.local.u64 [kept], %rd1; st.local.u64 [kept+8], %rd2;"
                + "or.b64 %rd8, %rd7, 8; ld.local.u64 %rd9, [%rd8]; st.global.u32 [%rd9], 7;");

    assertThat(mayWrite(kernel.p())).isEqualTo(found);
    assertThat(mayWrite(kernel.q())).isTrue();
  }

  @Test
  void aBoundedStoreEscapesWithItsVariable() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            DEPOT
                + "and.b32 %r5, %r1, 1; mul.wide.u32 %rd7, %r5, 8; add.s64 %rd8, %SP, %rd7;"
                + "st.u64 [%rd8], %rd1; st.global.u64 [%rd3], %SP;");

    assertThat(kernel.p().possibleWrite()).isPresent();
    assertThat(kernel.q().possibleWrite()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"4, false", "5, true"})
  void storesOfMoreThanFourRangesMayBeAnywhere(int ranges, boolean found) {
    StringBuilder stores = new StringBuilder();
    for (int i = 0; i < ranges; i++) {
      // Twice, since a range that is known already is no further one.
      String store = "st.local.u64 [%rd8+" + 8 * i + "], %rd1;";
      stores.append(store).append(store);
    }
    AnalysedKernel kernel =
        AnalysedKernel.of(
            DEPOT
                + "and.b32 %r5, %r1, 1; mul.wide.u32 %rd7, %r5, 8; add.s64 %rd8, %SPL, %rd7;"
                + stores
                + "ld.local.u64 %rd9, [%SPL+512]; st.global.u32 [%rd9], 7;");

    assertThat(mayWrite(kernel.p())).isEqualTo(found);
  }

  @Test
  void aSumOfBoundedIndexesGrowsInALoop() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            TWO_ARRAYS
                + "mov.u32 %r6, 0; L: and.b32 %r5, %r1, 1; add.s32 %r6, %r6, %r5; @%p1 bra L;"
                + "mul.wide.u32 %rd7, %r6, 8; add.s64 %rd8, %SPL, %rd7;"
                + "ld.local.u64 %rd10, [%rd8]; st.global.u32 [%rd10], 7;");

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
  }

  @Test
  void numbersBesideAPointerAreNumbers() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            DEPOT
                + "st.local.u64 [%SPL], %rd1; st.local.v4.u32 [%SPL+8], {%r1, %r1, %r1, %r1};"
                + "and.b32 %r5, %r1, 3; mul.wide.u32 %rd7, %r5, 4; add.s64 %rd8, %SPL, %rd7;"
                + "ld.local.s32 %r6, [%rd8+8]; mul.wide.s32 %rd9, %r6, 4; add.s64 %rd10, %rd2, %rd9;"
                + "st.global.u32 [%rd10], 7;");

    assertThat(kernel.verdicts().subList(0, 2)).containsExactly(NONE, WRITES);
  }
}
