package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.NONE;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.UNKNOWN;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Origin;
import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ways of a value that one step of the analysis alone follows: without that step, a verdict is
 * definite and wrong. In each kernel, the last store is through the value.
 */
class AccessWaysTest {
  private static final String STORE = "st.global.u32 [%rd9], 1;";

  /** A kernel of two undeclared parameters. */
  private static ParameterAccess undeclared(String body) {
    return AnalysedKernel.undeclared(
            ".entry k(.param .u64 p, .param .u64 q) {\n"
                + AnalysedKernel.registers()
                + "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];\n"
                + body
                + STORE
                + "ret; }\n",
            ParameterRoles.UNDECLARED)
        .q();
  }

  /** A kernel of forty arrays, in {@code %x0} to {@code %x39}. */
  private static KernelAccesses forty(String each, String end) {
    StringBuilder parameters = new StringBuilder();
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      parameters.append(i == 0 ? "" : ", ").append(".param .u64 p").append(i);
      body.append("ld.param.u64 %x").append(i).append(", [p").append(i).append("];\n");
      body.append(each.replace("#", String.valueOf(i))).append('\n');
    }
    return AnalysedKernel.undeclared(
            ".entry k("
                + parameters
                + ") {\n.reg .b64 %x<40>; .local .b64 l;\n"
                + AnalysedKernel.registers()
                + body
                + end
                + STORE
                + "ret; }\n",
            (parameter, offset) -> ParameterRole.BUFFER)
        .accesses();
  }

  // Where control goes.

  @Test
  void aTargetOfATableIsReachedWithWhatRegistersHeldBeforeTheJump() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "table: .branchtargets A, B; mov.u64 %rd9, %rd1; @%p1 brx.idx %r1, table;"
                + "mov.u64 %rd9, %rd2; A: st.global.u32 [%rd9], 1; ret; B: ret;");

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bra %rd5;", "brx.idx %r1, %rd5;", "bra nowhere;", "brx.idx %r1, none;"})
  void aJumpToAnUnknownTargetMayReachEverything(String jump) {
    assertThat(AnalysedKernel.of(jump + "st.global.u32 [%rd1], 1;").p().verdict())
        .isEqualTo(WRITES);
  }

  @Test
  void aPredicateThatIsAssignedUnderAnotherIsNotConstant() {
    AnalysedKernel kernel =
        AnalysedKernel.of("@%p2 mov.pred %p1, 0; @%p1 bra L; ret; L: st.global.u32 [%rd1], 1;");

    assertThat(kernel.p().verdict()).isEqualTo(WRITES);
  }

  @Test
  void aPredicateThatAnUnknownOpcodeNamesIsNotConstant() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "mov.pred %p1, 0; frobnicate %r2, %p1; @%p1 bra L; ret; L: st.global.u32 [%rd1], 1;");

    assertThat(kernel.p().verdict()).isEqualTo(WRITES);
  }

  @Test
  void aRegisterThatACallAssignsHoldsWhatTheCallReturns() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".func (.reg .b64 %r) same(.reg .b64 %a) { mov.u64 %r, %a; ret; }\n",
            "mov.u64 %rd9, %rd3; mov.u64 %rd9, %rd1; call (%rd9), same, (%rd2);" + STORE);

    assertThat(kernel.p().write()).isEmpty();
    assertThat(kernel.q().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void aRegisterThatAnUnknownOpcodeNamesMayHoldSomethingElse() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "mov.u64 %rd9, %rd3; mov.u64 %rd9, %rd1; frobnicate.b64 %rd9, %rd2;" + STORE);

    assertThat(kernel.p().write()).isEmpty();
  }

  @Test
  void aLoopAtTheEndOfAKernelCarriesItsRegisters() {
    AnalysedKernel kernel =
        AnalysedKernel.undeclared(
            ".entry k(.param .u64 p, .param .u64 q) {\n"
                + AnalysedKernel.registers()
                + "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; mov.u64 %rd9, %rd1;"
                + "L: st.global.u32 [%rd9], 1; mov.u64 %rd9, %rd2; bra L; }",
            (parameter, offset) -> ParameterRole.BUFFER);

    assertThat(kernel.q().verdict()).isEqualTo(UNKNOWN);
  }

  // What others see.

  @Test
  void aVariableEscapesWithTheOneThatLeadsToItInEitherOrderOfStores() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            ".local .b64 a, b, c; st.local.u64 [c], %rd1; mov.u64 %rd5, c; cvta.local.u64 %rd5,"
                + " %rd5; st.local.u64 [b], %rd5; mov.u64 %rd6, b; cvta.local.u64 %rd6, %rd6;"
                + "st.local.u64 [a], %rd6; mov.u64 %rd7, a; cvta.local.u64 %rd7, %rd7;"
                + "st.global.u64 [%rd2], %rd7;");

    assertThat(kernel.p().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void aValueStoredInAnEscapedVariableEscapes() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            ".local .b64 a, b; mov.u64 %rd7, a; cvta.local.u64 %rd7, %rd7; st.global.u64 [%rd2],"
                + " %rd7; st.local.u64 [b], %rd1; mov.u64 %rd6, b; cvta.local.u64 %rd6, %rd6;"
                + "st.local.u64 [a], %rd6;");

    assertThat(kernel.p().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void aValueStoredSomewhereInAnEscapedSpaceEscapes() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".extern .func other();\n",
            ".local .b64 b; st.local.u64 [b], %rd1; mov.u64 %rd6, b; cvta.local.u64 %rd6, %rd6;"
                + "call other; st.shared.u64 [%r6], %rd6;");

    assertThat(kernel.p().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void theContentOfAnEscapedVariableMayHaveBeenReplaced() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            ".local .b64 a; st.local.u64 [a], %rd1; mov.u64 %rd7, a; cvta.local.u64 %rd7, %rd7;"
                + "st.global.u64 [%rd2], %rd7; ld.local.u64 %rd9, [a];"
                + STORE);

    assertThat(kernel.p().write()).isEmpty();
  }

  @Test
  void theContentOfAnEscapedSpaceMayHaveBeenReplaced() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".extern .func other();\n",
            "st.shared.u64 [%r6], %rd1; call other; ld.shared.u64 %rd9, [%r6];" + STORE);

    assertThat(kernel.p().write()).isEmpty();
  }

  @Test
  void theResultOfAnUnknownFunctionMayBeAnyPointer() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".extern .func (.reg .b64 %r) other();\n",
            "call (%rd8), other; add.s64 %rd9, %rd8, %rd4;" + STORE);

    assertThat(kernel.n().write()).isEmpty();
  }

  @Test
  void anArgumentAfterAGapIsPrintedToo() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n",
            ".local .align 8 .b8 l[16]; st.local.u32 [l], 1; st.local.u64 [l+8], %rd1;"
                + "mov.u64 %rd8, l; cvta.local.u64 %rd8, %rd8;"
                + "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], 0;"
                + "st.param.b64 [y], %rd8; call (z), vprintf, (x, y); }");

    assertThat(kernel.p().possibleRead()).isPresent();
  }

  // Through memory.

  @Test
  void aLoadFromAnywhereInASpaceSeesWhatIsStoredInAVariableLater() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".shared .b64 s;\n",
            "mov.u32 %r6, %tid.x; mov.u64 %rd9, 0; L: st.global.u32 [%rd9], 1;"
                + "ld.shared.u64 %rd9, [%r6];"
                + "st.shared.u64 [s], %rd1; @%p1 bra L;");

    assertThat(kernel.p().verdict()).isIn(WRITES, UNKNOWN);
  }

  @Test
  void aLoadFromAVariableSeesWhatIsStoredAnywhereInItsSpaceLater() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".shared .b64 s;\n",
            "mov.u64 %rd9, 0; L: st.global.u32 [%rd9], 1; ld.shared.u64 %rd9, [s];"
                + "st.shared.u64 [%r6], %rd1; @%p1 bra L;");

    assertThat(kernel.p().verdict()).isIn(WRITES, UNKNOWN);
  }

  /** The address of a local variable that holds t, or of the memory behind q. */
  private static final String EITHER =
      ".local .b64 l; st.local.u64 [l], %rd3; mov.u32 %r2, %tid.x; and.b32 %r2, %r2, 1;"
          + "cvt.u64.u32 %rd4, %r2; mov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5;"
          + "mul.lo.u64 %rd6, %rd5, %rd4; mov.u64 %rd7, 1; sub.u64 %rd7, %rd7, %rd4;"
          + "mul.lo.u64 %rd8, %rd2, %rd7; add.s64 %rd8, %rd6, %rd8;";

  @Test
  void aLoadThatMayMissItsVariableMayFindAnyPointer() {
    AnalysedKernel kernel = AnalysedKernel.of(EITHER + "ld.u64 %rd9, [%rd8];" + STORE);

    assertThat(kernel.t().write()).isEmpty();
  }

  @Test
  void aStoreThatMayMissItsVariableLetsItsValueEscape() {
    AnalysedKernel kernel = AnalysedKernel.of(EITHER + "st.u64 [%rd8], %rd1;");

    assertThat(kernel.p().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void oneOfTwoPlacesIsNotAnyPlace() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            ".local .align 8 .b8 l[24]; st.local.u64 [l], %rd1; st.local.u64 [l+8], %rd2;"
                + "st.local.u64 [l+16], %rd3; mov.u64 %rd5, l; add.s64 %rd6, %rd5, 8;"
                + "selp.b64 %rd7, %rd5, %rd6, %p1; ld.local.u64 %rd9, [%rd7];"
                + STORE);

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
  }

  @Test
  void anOffsetThatIsOneOfTwoNumbersIsBoth() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            ".local .align 8 .b8 l[24]; st.local.u64 [l+8], %rd1; st.local.u64 [l+16], %rd2;"
                + "selp.b64 %rd5, 8, 16, %p1; mov.u64 %rd6, l; add.s64 %rd7, %rd6, %rd5;"
                + "ld.local.u64 %rd9, [%rd7];"
                + STORE);

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
  }

  @Test
  void aConstantThatDoesNotFitItsRegisterChanges() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            ".local .align 8 .b8 l[65560]; st.local.u64 [l+65544], %rd1; st.local.u64 [l+8], %rd2;"
                + "mov.u16 %h1, 65544; cvt.u64.u16 %rd5, %h1; mov.u64 %rd6, l;"
                + "add.s64 %rd7, %rd6, %rd5; ld.local.u64 %rd9, [%rd7];"
                + STORE);

    assertThat(kernel.p().write()).isEmpty();
    assertThat(kernel.q().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void anArgumentIsCopiedWithItsValuesAtUnknownOffsets() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".func inside(.param .align 8 .b8 s[16]) {\n"
                + AnalysedKernel.registers()
                + "ld.param.u64 %rd9, [s+8];"
                + STORE
                + "ret; }\n",
            "{ .param .align 8 .b8 x[16]; mov.b64 %rd5, x; mad.wide.u32 %rd5, %r1, 8, %rd5;"
                + "st.param.b64 [%rd5], %rd1; call inside, (x); }");

    assertThat(kernel.p().verdict()).isIn(WRITES, UNKNOWN);
  }

  @Test
  void aVariableWithTooManyPlacesLosesNothing() {
    StringBuilder stores = new StringBuilder(".local .align 8 .b8 l[9600];\n");
    for (int i = 0; i < 1_199; i++) {
      stores.append("st.local.u64 [l+").append(8 * i).append("], 7;\n");
    }
    AnalysedKernel kernel =
        AnalysedKernel.of(
            stores + "st.local.u64 [l+9592], %rd1; ld.local.u64 %rd9, [l+9592];" + STORE);

    assertThat(kernel.p().verdict()).isIn(WRITES, UNKNOWN);
  }

  @Test
  void aRegisterThatMayHoldManyPointersLosesNone() {
    KernelAccesses accesses = forty("@%p1 mov.u64 %rd9, %x#;", "");

    for (int i = 0; i < 40; i++) {
      assertThat(accesses.parameter(i).verdict()).as("%s", i).isEqualTo(UNKNOWN);
    }
  }

  @Test
  void aVariableThatMayHoldManyPointersLosesNone() {
    KernelAccesses accesses = forty("st.local.u64 [l], %x#;", "ld.local.u64 %rd9, [l];");

    for (int i = 0; i < 40; i++) {
      assertThat(accesses.parameter(i).verdict()).as("%s", i).isEqualTo(UNKNOWN);
    }
  }

  // What becomes of it.

  @Test
  void aSumWithALoadedNumberIsNotTheSameAsOneWithout() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "ld.global.u64 %rd5, [%rd1]; and.b64 %rd6, %rd5, 65535; add.s64 %rd7, %rd4, %rd6;"
                + "selp.b64 %rd9, %rd4, %rd7, %p1;"
                + STORE);

    assertThat(kernel.n().write()).isEmpty();
  }

  @Test
  void aNumberBesideWhatMayBeAPointerIsNotThatPointer() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "shf.l.wrap.b32 %r5, %r6, %r7, 3; xor.b64 %rd8, %rd1, 5; mov.u32 %r8, %tid.x;"
                + "cvt.u64.u32 %rd7, %r8; selp.b64 %rd9, %rd8, %rd7, %p1;"
                + STORE);

    assertThat(kernel.p().write()).isEmpty();
    assertThat(kernel.p().possibleWrite()).isPresent();
  }

  @Test
  void aNumberAmongPointersIsNotLostWhenTheyBecomeOne() {
    Provenance pointer = Provenance.of(Derivation.of(Origin.parameter(0, ParameterRole.BUFFER)));
    Derivation one = pointer.join(Provenance.NUMBER).widened().alternatives().get(0);

    assertThat(one.isForeign()).isTrue();
    assertThat(pointer.join(Provenance.ZERO).widened().alternatives().get(0).isForeign()).isFalse();
  }

  @Test
  void theGenericAddressOfAVariableOrANumberMayLeadToAnotherVariable() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".shared .b64 a, b;\n",
            "st.shared.u64 [b], %rd1; mov.u64 %rd5, a; @%p1 mov.u64 %rd5, 8;"
                + "cvta.shared.u64 %rd6, %rd5; ld.u64 %rd9, [%rd6];"
                + STORE);

    assertThat(kernel.p().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void halfAPointerIsNotThePointer() {
    AnalysedKernel kernel =
        AnalysedKernel.of("cvt.u32.u64 %r5, %rd1; cvt.u64.u32 %rd9, %r5;" + STORE);

    assertThat(kernel.p().write()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ld.global.u32 %r5, [%rd1]; cvt.u64.u32 %rd5, %r5; shl.b64 %rd5, %rd5, 32;"
            + "add.s64 %rd9, %rd5, %rd2;",
        "ld.global.u64 %rd5, [%rd1]; sub.s64 %rd6, %rd5, %rd2; mov.u32 %r2, %tid.x;"
            + "cvt.u64.u32 %rd7, %r2; mul.lo.s64 %rd8, %rd6, %rd7; add.s64 %rd9, %rd2, %rd8;",
        "ld.global.u64 %rd5, [%rd1]; sub.s64 %rd6, %rd5, %rd2; shr.s64 %rd7, %rd6, 2;"
            + "shl.b64 %rd8, %rd7, 2; add.s64 %rd9, %rd2, %rd8;"
      })
  void aParameterIsNotBlamedForTheWayToALoadedPointer(String way) {
    assertThat(undeclared(way).write()).isEmpty();
    assertThat(undeclared(way).possibleWrite()).isPresent();
  }
}
