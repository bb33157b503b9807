package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.NONE;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.READS;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.READS_WRITES;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.UNKNOWN;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The access analysis follows values through local, shared and parameter memory. */
class AccessMemoryTest {
  private static final String DEPOT =
      """
      .local .align 8 .b8 depot[64];
      .reg .b64 %SP, %SPL;
      mov.u64 %SPL, depot;
      cvta.local.u64 %SP, %SPL;
      """;

  @Test
  void aPointerSpilledAtAConstantOffsetIsFoundThereAlone() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            DEPOT
                + "st.u64 [%SP+0], %rd1; st.local.u64 [%SPL+8], %rd2; add.u64 %rd8, %SP, 8;"
                + "ld.local.u64 %rd9, [%SPL]; st.global.u32 [%rd9], 7;"
                + "ld.u64 %rd10, [%rd8]; ld.u32 %r5, [%rd10];");

    assertThat(kernel.verdicts()).containsExactly(WRITES, READS, NONE, NONE);
  }

  @Test
  void aDynamicOffsetMayFindAnythingStored() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            DEPOT
                + "st.u64 [%SP+0], %rd1; st.u64 [%SP+8], %rd2; mul.wide.u32 %rd7, %r1, 8;"
                + "add.s64 %rd8, %SP, %rd7; ld.u64 %rd9, [%rd8]; st.u32 [%rd9], 7;");

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
  }

  @Test
  void aStoreAtADynamicOffsetMayBeFoundAnywhere() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            DEPOT
                + "st.u64 [%SP+0], %rd1; mul.wide.u32 %rd7, %r1, 8; add.s64 %rd8, %SP, %rd7;"
                + "st.u64 [%rd8], %rd2; ld.u64 %rd9, [%SP+0]; st.u32 [%rd9], 7;");

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
  }

  /** Two arrays of two pointers each, the first at 0, the second at 16, in one local variable. */
  private static final String TWO_ARRAYS =
      DEPOT
          + "st.local.u64 [%SPL], %rd1; add.s64 %rd7, %rd1, 4; st.local.u64 [%SPL+8], %rd7;"
          + "st.local.u64 [%SPL+16], %rd2; add.s64 %rd7, %rd2, 4; st.local.u64 [%SPL+24], %rd7;";

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
        "mov.u32 %r6, 1; and.b32 %r5, %r1, 1; mad.wide.u32 %rd7, %r5, 8, 0;",
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
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".shared .u32 c;",
            TWO_ARRAYS
                + index
                + "add.s64 %rd8, %SPL, %rd7; ld.local.u64 %rd10, [%rd8]; st.global.u32 [%rd10], 7;");

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
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".shared .u32 c;",
            TWO_ARRAYS
                + index
                + "add.s64 %rd8, %SPL, %rd7; ld.local.u64 %rd10, [%rd8]; st.global.u32 [%rd10], 7;");

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

    assertThat(kernel.p().write().or(() -> kernel.p().possibleWrite())).isPresent();
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

    assertThat(kernel.p().write().or(() -> kernel.p().possibleWrite())).isPresent();
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
    assertThat(loadedBeside("ld.local.u64 %rd9, " + place + ";").p().possibleWrite()).isEmpty();
    assertThat(loadedBeside("ld.local.u64 %rd9, " + place + ";").p().write()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[%SPL+8]", "[%SPL+16]", "[%rd8+16]", "[%rd8]", "[%rd10]"})
  void aBoundedStoreIsFoundAtEachOfItsOffsets(String place) {
    AnalysedKernel kernel =
        loadedBeside("add.s64 %rd10, %SPL, %rd4; ld.local.u64 %rd9, " + place + ";");

    assertThat(kernel.p().write().or(() -> kernel.p().possibleWrite())).isPresent();
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

    assertThat(kernel.p().write().or(() -> kernel.p().possibleWrite()).isPresent())
        .isEqualTo(found);
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

  @Test
  void aLoopOverLocalMemoryEnds() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            DEPOT
                + "st.u64 [%SP+0], %rd1; mov.u64 %rd8, %SP; L: add.s64 %rd8, %rd8, 8;"
                + "st.u64 [%rd8], %rd8; @%p1 bra L; ld.u64 %rd9, [%SP+0]; ld.u32 %r5, [%rd9];");

    assertThat(kernel.p().possibleRead()).isPresent();
    assertThat(kernel.p().possibleWrite()).isEmpty();
  }

  @Test
  void aPointerCopiedInBytesIsFollowed() {
    StringBuilder copy = new StringBuilder("st.u64 [%SP+0], %rd1;");
    for (int i = 0; i < 8; i++) {
      copy.append("ld.u8 %h1, [%SP+").append(i).append("]; st.u8 [%SP+").append(i + 16);
      copy.append("], %h1;");
    }
    AnalysedKernel kernel =
        AnalysedKernel.of(DEPOT + copy + "ld.u64 %rd9, [%SP+16]; st.u32 [%rd9], 7;");

    assertThat(kernel.verdicts()).containsExactly(WRITES, NONE, NONE, NONE);
  }

  @Test
  void aPointerThroughSharedMemoryIsFollowed() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            ".shared .align 8 .b64 s[2]; st.shared.u64 [s+8], %rd1; bar.sync 0;"
                + "mov.u64 %rd8, s; cvta.shared.u64 %rd8, %rd8; ld.u64 %rd9, [%rd8+8];"
                + "st.global.u32 [%rd9], 7;");

    assertThat(kernel.verdicts()).containsExactly(WRITES, NONE, NONE, NONE);
  }

  @Test
  void aStoreToAnUnknownSharedAddressMayBeFoundInAnyVariable() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            ".shared .align 8 .b64 s[2]; st.shared.u64 [%r1], %rd1; st.shared.u64 [s], %rd2;"
                + "ld.shared.u64 %rd9, [s]; st.global.u32 [%rd9], 7;");

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
  }

  @Test
  void sharedMemoryOfOpenLengthIsOneVariable() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".extern .shared .align 8 .b8 one[]; .extern .shared .align 8 .b8 other[];",
            "st.shared.u64 [one], %rd1; ld.shared.u64 %rd9, [other]; st.global.u32 [%rd9], 7;");

    assertThat(kernel.p().verdict()).isEqualTo(WRITES);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "st.global.u64 [%rd3], %rd1;",
        "st.global.u64 [g], %rd1;",
        "st.u64 [%rd5], %rd1;",
        "st.global.v2.u64 [%rd3], {%rd5, %rd1};",
        "mov.b64 {%r5, %r6}, %rd1; st.global.u32 [%rd3], %r5;",
        "atom.global.exch.b64 %rd9, [%rd3], %rd1;",
        "red.global.add.u64 [%rd3], %rd1;",
        ".local .b64 l; st.local.u64 [l], %rd1; mov.u64 %rd8, l; cvta.local.u64 %rd8, %rd8;"
            + "st.global.u64 [%rd3], %rd8;",
        ".local .b64 l; mov.u64 %rd8, l; cvta.local.u64 %rd8, %rd8;"
            + "st.global.u64 [%rd3], %rd8; st.local.u64 [l], %rd1;",
        ".shared .b64 s; st.shared.u64 [s], %rd1;"
            + "cp.async.bulk.global.shared::cta.bulk_group [%rd3], [s], 16;"
      })
  void anAddressThatReachesOtherMemoryIsUnknown(String statements) {
    AnalysedKernel kernel = AnalysedKernel.in(".global .b64 g;", statements);

    assertThat(kernel.p().verdict()).as(kernel.p().toString()).isEqualTo(UNKNOWN);
    assertThat(kernel.p().unknown().orElseThrow().reason()).isPresent();
    assertThat(kernel.q().verdict()).isEqualTo(NONE);
  }

  @Test
  void aStructurePassedByValueHasAnAccessForEachField() {
    AnalysedKernel kernel =
        AnalysedKernel.undeclared(
            """
            .entry k(.param .u32 i, .param .align 8 .b8 s[24]) {
              .reg .b64 %rd<9>;
              .reg .b32 %r<9>;
              ld.param.u64 %rd1, [s+8];
              ld.param.v2.u32 {%r1, %r2}, [s+16];
              mov.b64 %rd2, {%r1, %r2};
              st.global.u32 [%rd1], 7;
              ld.global.u32 %r3, [%rd2];
            }
            """,
            ParameterRoles.UNDECLARED);

    assertThat(kernel.accesses().parameter(1, 0).verdict()).isEqualTo(NONE);
    assertThat(kernel.accesses().parameter(1, 8).verdict()).isEqualTo(WRITES);
    assertThat(kernel.accesses().parameter(1, 12).verdict()).isEqualTo(WRITES);
    assertThat(kernel.accesses().parameter(1, 16).verdict()).isEqualTo(READS);
    assertThat(kernel.accesses().parameter(1).verdict()).isEqualTo(READS_WRITES);
    assertThat(kernel.accesses().parameter(0).verdict()).isEqualTo(NONE);
  }

  @Test
  void aPointerInAStructureOfNumbersIsReported() {
    AnalysedKernel kernel =
        AnalysedKernel.undeclared(
            """
            .entry k(.param .align 8 .b8 s[16]) {
              .reg .b64 %rd<9>;
              mov.b64 %rd1, s;
              cvta.param.u64 %rd1, %rd1;
              ld.u64 %rd2, [%rd1+8];
              st.global.u32 [%rd2], 7;
            }
            """,
            (parameter, offset) -> ParameterRole.NUMBER);

    assertThat(kernel.accesses().parameter(0, 8).verdict()).isEqualTo(WRITES);
    assertThat(kernel.accesses().parameter(0, 0).verdict()).isEqualTo(NONE);
  }

  @Test
  void aFieldChosenByAnIndexMayBeAnyField() {
    AnalysedKernel kernel =
        AnalysedKernel.undeclared(
            """
            .entry k(.param .align 8 .b8 s[16], .param .u32 i) {
              .reg .b64 %rd<9>;
              .reg .b32 %r<9>;
              ld.param.u32 %r1, [i];
              mov.b64 %rd1, s;
              mad.wide.u32 %rd1, %r1, 8, %rd1;
              ld.param.u64 %rd2, [%rd1];
              st.global.u32 [%rd2], 7;
            }
            """,
            ParameterRoles.UNDECLARED);

    assertThat(kernel.accesses().parameter(0, 0).verdict()).isEqualTo(UNKNOWN);
    assertThat(kernel.accesses().parameter(0, 8).verdict()).isEqualTo(UNKNOWN);
  }
}
