package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.NONE;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.UNKNOWN;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Accesses by code outside the kernel to variables whose addresses escape. */
class AccessEscapesTest {
  private static final String MYSTERY = ".extern .func mystery();\n";
  private static final String STORE = "st.global.u32 [%rd9], 1;";

  @Test
  void aParameterWhoseOwnAddressEscapesIsUnknown() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "mov.b64 %rd5, p; cvta.param.u64 %rd5, %rd5; st.global.u64 [%rd3], %rd5;");

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, NONE, WRITES, NONE);
    assertThat(kernel.p().unknown().orElseThrow().reason().orElseThrow())
        .isEqualTo("it is in a variable that other code may find");
  }

  @Test
  void aVariableThatEscapesInALoopMayHoldAnyPointerInTheNextRound() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            ".local .b64 l; mov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5; mov.u64 %rd9, %rd4; L:"
                + STORE
                + "ld.local.u64 %rd8, [l]; add.s64 %rd9, %rd4, %rd8;"
                + "st.global.u64 [%rd3], %rd5; @%p1 bra L;");

    assertThat(kernel.n().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void aVariableBehindAnEscapedOneMayHoldAnyPointerInTheNextRound() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            ".local .b64 l, m; mov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5; mov.u64 %rd6, m;"
                + "cvta.local.u64 %rd6, %rd6; st.local.u64 [m], %rd5; mov.u64 %rd9, %rd4; L:"
                + STORE
                + "ld.local.u64 %rd8, [l]; add.s64 %rd9, %rd4, %rd8;"
                + "st.global.u64 [%rd3], %rd6; @%p1 bra L;");

    assertThat(kernel.n().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void aSharedVariableMayHoldAnyPointerAfterAnUnknownCallInTheNextRound() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            MYSTERY + ".shared .b64 s;\n",
            "mov.u64 %rd9, %rd4; L:"
                + STORE
                + "ld.shared.u64 %rd8, [s]; add.s64 %rd9, %rd4, %rd8; call mystery; @%p1 bra L;");

    assertThat(kernel.n().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void aSharedVariableThatIsFirstUsedAfterAnUnknownCallMayHoldAnyPointer() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            MYSTERY + ".shared .b64 s;\n",
            "call mystery; mov.u64 %rd9, %rd4; L:"
                + STORE
                + "ld.shared.u64 %rd8, [s]; add.s64 %rd9, %rd4, %rd8; @%p1 bra L;");

    assertThat(kernel.n().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void aSharedVariableThatIsFirstStoredToAfterAnUnknownCallEscapes() {
    AnalysedKernel kernel =
        AnalysedKernel.in(MYSTERY + ".shared .b64 s;\n", "call mystery; st.shared.u64 [s], %rd1;");

    assertThat(kernel.p().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void anUnknownCallFindsSharedVariablesAndNoLocalOnes() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            MYSTERY + ".shared .b64 s;\n",
            ".local .b64 l; st.local.u64 [l], %rd1; st.shared.u64 [s], %rd2; call mystery;");

    assertThat(kernel.verdicts()).containsExactly(NONE, UNKNOWN, NONE, NONE);
  }

  @Test
  void aVariableThatDoesNotEscapeHoldsWhatTheKernelStores() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            ".local .b64 l, m; mov.u64 %rd5, m; cvta.local.u64 %rd5, %rd5;"
                + "st.global.u64 [%rd3], %rd5; st.local.u64 [l], %rd1; ld.local.u64 %rd9, [l];"
                + STORE);

    assertThat(kernel.verdicts()).containsExactly(WRITES, NONE, WRITES, NONE);
  }

  @Test
  void aNarrowLoadedNumberIsNoPointer() {
    String text =
        ".entry k(.param .u64 p, .param .u64 q) {\n"
            + AnalysedKernel.registers()
            + "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.global.WIDTH %rd5, [%rd1];"
            + "add.s64 %rd9, %rd2, %rd5;"
            + STORE
            + "ret; }\n";
    AnalysedKernel narrow =
        AnalysedKernel.undeclared(text.replace("WIDTH", "u32"), ParameterRoles.UNDECLARED);
    AnalysedKernel wide =
        AnalysedKernel.undeclared(text.replace("WIDTH", "u64"), ParameterRoles.UNDECLARED);

    assertThat(narrow.q().verdict()).isEqualTo(WRITES);
    assertThat(wide.q().verdict()).isEqualTo(UNKNOWN);
  }
}
