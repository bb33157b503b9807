package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.NONE;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.READS;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.READS_WRITES;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.UNKNOWN;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The access analysis follows values from parameters to addresses. */
class AccessValuesTest {
  @Test
  void theFirstOperandOfAStoreIsAnAddressAndNoDefinition() {
    AnalysedKernel kernel =
        AnalysedKernel.of("st.global.u64 [%rd1], 7; ld.global.u32 %r2, [%rd1];");

    assertThat(kernel.verdicts()).containsExactly(READS_WRITES, NONE, NONE, NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mov.u64 %rd9, %rd1;",
        "cvta.to.global.u64 %rd9, %rd1;",
        "add.s64 %rd9, %rd1, 16;",
        "sub.s64 %rd9, %rd1, 16;",
        "mad.wide.s32 %rd9, %r1, 4, %rd1;",
        "mul.wide.s32 %rd8, %r1, 4; add.s64 %rd9, %rd8, %rd1;",
        "shl.b64 %rd8, %rd4, 3; add.s64 %rd9, %rd1, %rd8;",
        "add.s64 %rd9, %rd1, %rd4;",
        "sub.s64 %rd9, %rd1, %rd4;",
        "and.b64 %rd9, %rd1, -16;",
        "or.b64 %rd9, %rd1, 8;",
        "and.b64 %rd8, %rd1, 15; sub.s64 %rd9, %rd1, %rd8;",
        "xor.b64 %rd8, %rd1, -1; xor.b64 %rd9, %rd8, -1;",
        "not.b64 %rd8, %rd1; not.b64 %rd9, %rd8;",
        "selp.b64 %rd9, %rd1, 0, %p1;",
        "mov.u64 %rd9, 0; @%p1 mov.u64 %rd9, %rd1;",
        "ld.global.s32 %rd8, [%rd3]; shl.b64 %rd8, %rd8, 2; add.s64 %rd9, %rd1, %rd8;",
        "ld.global.u64 %rd8, [%rd3]; add.s64 %rd9, %rd1, %rd8;",
        "sub.s64 %rd8, %rd1, %rd2; add.s64 %rd9, %rd2, %rd8;",
        "mov.b64 %fd1, %rd1; mov.b64 %rd9, %fd1;",
        "mov.u64 %rd9, %rd1; L: add.s64 %rd9, %rd9, 4; @%p1 bra L;",
        "mov.u64 %rd9, %rd1; L: add.s64 %rd9, %rd9, %rd4; @%p1 bra L;"
      })
  void anAddressDerivesFromTheOneParameter(String derivation) {
    AnalysedKernel kernel = AnalysedKernel.of(derivation + "st.global.u32 [%rd9], 7;");

    assertThat(kernel.p().verdict()).as(kernel.p().toString()).isEqualTo(WRITES);
    assertThat(kernel.q().verdict()).isEqualTo(NONE);
    assertThat(kernel.n().verdict()).isEqualTo(NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mov.b64 {%r5, %r6}, %rd1; mov.b64 %rd9, {%r5, %r6};",
        "ld.param.u32 %r5, [p]; ld.param.u32 %r6, [p+4]; mov.b64 %rd9, {%r5, %r6};",
        "ld.param.v2.u32 {%r5, %r6}, [p]; mov.b64 %rd9, {%r5, %r6};",
        "ld.param.u32 %r5, [p]; ld.param.u32 %r6, [p+4]; cvt.u64.u32 %rd5, %r5;"
            + "cvt.u64.u32 %rd6, %r6; shl.b64 %rd7, %rd6, 32; or.b64 %rd9, %rd7, %rd5;",
        "cvt.u32.u64 %r5, %rd1; shr.u64 %rd5, %rd1, 32; cvt.u32.u64 %r6, %rd5;"
            + "cvt.u64.u32 %rd6, %r5; cvt.u64.u32 %rd7, %r6; bfi.b64 %rd9, %rd7, %rd6, 32, 32;",
        "mov.b64 {%r5, %r6}, %rd1; mov.b64 {%r7, %r8}, %rd4; add.cc.u32 %r5, %r5, %r7;"
            + "addc.u32 %r6, %r6, %r8; mov.b64 %rd9, {%r5, %r6};",
        "mov.b64 {%r5, %r6}, %rd1; shfl.sync.idx.b32 %r7|%p1, %r5, 0, 31, -1;"
            + "shfl.sync.idx.b32 %r8|%p1, %r6, 0, 31, -1; mov.b64 %rd9, {%r7, %r8};",
        "mov.b64 {%r5, %r6}, %rd1; cvt.u64.u32 %rd5, %r5; mul.wide.u32 %rd6, %r6, 65536;"
            + "shl.b64 %rd6, %rd6, 16; add.s64 %rd9, %rd6, %rd5;"
      })
  void twoHalvesMakeThePointerAgain(String derivation) {
    AnalysedKernel kernel = AnalysedKernel.of(derivation + "st.global.u32 [%rd9], 7;");

    assertThat(kernel.p().verdict()).as(kernel.p().toString()).isEqualTo(WRITES);
    assertThat(kernel.n().verdict()).isEqualTo(NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "selp.b64 %rd9, %rd1, %rd2, %p1;",
        "mov.u64 %rd9, %rd1; @%p1 mov.u64 %rd9, %rd2;",
        "min.u64 %rd9, %rd1, %rd2;",
        "xor.b64 %rd9, %rd1, %rd2;",
        "add.s64 %rd9, %rd1, %rd2;",
        "mov.b64 {%r5, %r6}, %rd1; mov.b64 {%r7, %r8}, %rd2; mov.b64 %rd9, {%r5, %r8};",
        "sub.s64 %rd7, %rd1, %rd2; mul.lo.s64 %rd8, %rd7, %rd5; add.s64 %rd9, %rd2, %rd8;",
        "sub.s64 %rd7, %rd2, %rd1; shr.s64 %rd7, %rd7, 2; shl.b64 %rd8, %rd7, 2;"
            + "add.s64 %rd9, %rd1, %rd8;",
        "mov.u64 %rd9, %rd1; @%p1 bra L; mov.u64 %rd9, %rd2; L:"
      })
  void anAddressThatMayBeEitherOfTwoIsUnknownForBoth(String derivation) {
    AnalysedKernel kernel = AnalysedKernel.of(derivation + "st.global.u32 [%rd9], 7;");

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
    assertThat(kernel.p().write()).isEmpty();
    assertThat(kernel.p().possibleWrite()).isPresent();
    assertThat(kernel.p().possibleRead()).isEmpty();
  }

  @Test
  void aPossibleAccessDoesNotMakeADefiniteOneUnknown() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "selp.b64 %rd9, %rd1, %rd2, %p1; ld.global.u32 %r5, [%rd9];"
                + "ld.global.u32 %r6, [%rd1];");

    assertThat(kernel.verdicts()).containsExactly(READS, UNKNOWN, NONE, NONE);
    assertThat(kernel.q().possibleWrite()).isEmpty();
  }

  @Test
  void aPointerLoadedThroughAPointerIsNoParameter() {
    AnalysedKernel kernel =
        AnalysedKernel.of("ld.global.u64 %rd9, [%rd1]; st.global.u32 [%rd9], 7;");

    assertThat(kernel.verdicts()).containsExactly(READS, NONE, NONE, NONE);
  }

  @Test
  void aChoiceBetweenAParameterAndALoadedPointerIsUnknown() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "mov.u64 %rd9, %rd1; L: ld.global.u64 %rd9, [%rd9+8]; @%p1 bra L;"
                + "st.global.u32 [%rd9], 7; selp.b64 %rd8, %rd9, %rd2, %p1;"
                + "st.global.u32 [%rd8], 7;");

    assertThat(kernel.p().verdict()).isEqualTo(UNKNOWN);
    assertThat(kernel.q().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void aNumberThatAloneBecomesAnAddressIsReported() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "shl.b64 %rd5, %rd5, 2; add.s64 %rd9, %rd4, %rd5; red.add.u32 [%rd9], 1;");

    assertThat(kernel.verdicts()).containsExactly(NONE, NONE, NONE, READS_WRITES);
  }

  @Test
  void aStoredNumberIsNotBlamed() {
    AnalysedKernel kernel = AnalysedKernel.of("st.global.u64 [%rd1], %rd4;");

    assertThat(kernel.verdicts()).containsExactly(WRITES, NONE, NONE, NONE);
  }

  @Test
  void withoutADeclarationTheBaseOfASumOfTwoIsUnknownUnlessOneIsScaled() {
    String text =
        """
        .entry k(.param .u64 a, .param .u64 b, .param .f64 d, .param .u32 i) {
          .reg .b64 %rd<9>;
          .reg .f64 %fd<2>;
          ld.param.u64 %rd1, [a];
          ld.param.u64 %rd2, [b];
          ld.param.f64 %fd1, [d];
          STATEMENTS
          st.global.f64 [%rd4], %fd1;
        }
        """;
    AnalysedKernel plain =
        AnalysedKernel.undeclared(
            text.replace("STATEMENTS", "add.s64 %rd4, %rd1, %rd2;"), ParameterRoles.UNDECLARED);
    AnalysedKernel scaled =
        AnalysedKernel.undeclared(
            text.replace("STATEMENTS", "mad.lo.s64 %rd4, %rd2, 8, %rd1;"),
            ParameterRoles.UNDECLARED);

    assertThat(plain.verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
    assertThat(scaled.verdicts()).containsExactly(WRITES, NONE, NONE, NONE);
  }

  @Test
  void successiveValuesOfARegisterAreDistinguished() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "mov.u64 %rd9, %rd1; ld.global.u32 %r5, [%rd9];"
                + "mov.u64 %rd9, %rd2; st.global.u32 [%rd9], %r5;");

    assertThat(kernel.verdicts()).containsExactly(READS, WRITES, NONE, NONE);
  }

  @Test
  void aBranchOnAConstantGoesOneWay() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "mov.pred %p1, -1; @%p1 bra L; st.global.u32 [%rd1], 7;"
                + "L: @!%p1 bra M; ld.global.u32 %r5, [%rd1]; M:");

    assertThat(kernel.p().verdict()).isEqualTo(READS);
  }

  @Test
  void codeThatIsNotProvedDeadCountsAsRun() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "setp.eq.u32 %p1, 0, 0; @%p1 bra L; st.global.u32 [%rd1], 7; L:"
                + "ret; st.global.u32 [%rd2], 7;");

    assertThat(kernel.verdicts()).containsExactly(WRITES, NONE, NONE, NONE);
  }

  @Test
  void aJumpThroughATableReachesAllItsTargets() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "table: .branchtargets A, B; brx.idx %r1, table; st.global.u32 [%rd3], 1;"
                + "A: st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd2], 1;");

    assertThat(kernel.verdicts()).containsExactly(WRITES, WRITES, NONE, NONE);
  }
}
