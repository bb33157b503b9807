package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.NONE;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The access analysis treats branches on a constant as decided, and no others. */
class AccessPredicatesTest {
  private static final String STORE = "st.global.u32 [%rd1], 7;";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mov.pred %p1, -1; @%p1 bra L; " + STORE + " L:",
        "mov.pred %p1, 1; @%p1 bra L; " + STORE + " L:",
        "mov.pred %p1, 0; @!%p1 bra L; " + STORE + " L:",
        "mov.pred %p1, -1; @%p1 ret; " + STORE,
        "mov.pred %p1, 0; @!%p1 exit; " + STORE,
        "mov.pred %p1, 0; @%p1 bra A; bra L; A: " + STORE + " L:",
        "mov.pred %p1, -1; mov.pred %p2, 0; @%p1 bra L; @!%p2 bra L; " + STORE + " L:",
        "bra.uni L; " + STORE + " L:",
        "table: .branchtargets A, B; brx.idx %r1, table; " + STORE + " A: B:"
      })
  void codeBehindADecidedBranchIsNotRun(String body) {
    assertThat(AnalysedKernel.of(body).p().verdict()).isEqualTo(NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // The branch goes the other way.
        "mov.pred %p1, 0; @%p1 bra L; " + STORE + " L:",
        "mov.pred %p1, -1; @!%p1 bra L; " + STORE + " L:",
        "mov.pred %p1, 0; @%p1 ret; " + STORE,
        // Not a constant: computed, assigned twice, or not always.
        "setp.eq.u32 %p1, %r1, 0; @%p1 bra L; " + STORE + " L:",
        "mov.pred %p1, %p2; @%p1 bra L; " + STORE + " L:",
        "mov.pred %p1, -1; mov.pred %p1, 0; @%p1 bra L; " + STORE + " L:",
        "mov.pred %p1, -1; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; " + STORE + " L:",
        "mov.pred %p1, -1; setp.eq.u32 %p2|%p1, %r1, 0; @%p1 bra L; " + STORE + " L:",
        "@%p2 mov.pred %p1, -1; @%p1 bra L; " + STORE + " L:",
        // Another predicate is.
        "mov.pred %p2, -1; @%p1 bra L; " + STORE + " L:",
        // One target of two.
        "table: .branchtargets A, B; brx.idx %r1, table; A: ret; B: " + STORE,
        // Back to what lies before.
        "bra A; B: " + STORE + " ret; A: bra B;"
      })
  void codeThatMayRunCounts(String body) {
    assertThat(AnalysedKernel.of(body).p().verdict()).isEqualTo(WRITES);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".func f(.reg .pred %c, .reg .b64 %a) { mov.pred %c, -1; @%c bra L;"
            + " st.global.u32 [%a], 7; L: ret; }",
        ".func f(.reg .pred %c, .reg .b64 %a) { @%c bra L; st.global.u32 [%a], 7; L: ret; }"
      })
  void aPredicateThatAFunctionTakesIsNoConstant(String function) {
    AnalysedKernel kernel = AnalysedKernel.in(function, "call f, (%p1, %rd1);");

    assertThat(kernel.p().verdict()).isEqualTo(WRITES);
  }
}
