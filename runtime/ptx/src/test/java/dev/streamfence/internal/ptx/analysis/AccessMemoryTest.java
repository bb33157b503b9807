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
import org.junit.jupiter.params.provider.ValueSource;

/** The access analysis follows values through local, shared and parameter memory. */
class AccessMemoryTest {
  /** A local variable, with its generic and its local address. */
  static final String DEPOT =
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
