package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.UNKNOWN;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No definite verdict is wrong where pointers take ways that compilers do not take. */
@Tag("search")
class AccessSoundnessTest {
  /** Analyses a kernel that accesses its second parameter, q, in a hidden way. */
  private static ParameterAccess q(String before, String body, ParameterRole role) {
    return kernel(before, body, role).q();
  }

  private static AnalysedKernel kernel(String before, String body, ParameterRole... roles) {
    String text =
        before
            + ".entry k(.param .u64 p, .param .u64 q) {\n"
            + AnalysedKernel.registers()
            + "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];\n"
            + body
            + "\nret;\n}\n";
    return AnalysedKernel.undeclared(
        text, (parameter, offset) -> roles[Math.min(parameter, roles.length - 1)]);
  }

  private static void assertUnknown(String before, String body) {
    for (ParameterRole role : new ParameterRole[] {ParameterRole.BUFFER, ParameterRole.EITHER}) {
      assertThat(q(before, body, role).verdict()).as("%s", role).isEqualTo(UNKNOWN);
    }
  }

  @Test
  void aLongChainOfVariablesEscapesWithItsFirst() {
    int length = 50_000;
    StringBuilder body = new StringBuilder();
    for (int i = 0; i <= length; i++) {
      body.append(".local .u64 v").append(i).append(";\n");
    }
    for (int i = 0; i < length; i++) {
      body.append("mov.u64 %rd5, v").append(i + 1).append("; cvta.local.u64 %rd5, %rd5;");
      body.append("st.local.u64 [v").append(i).append("], %rd5;\n");
    }
    body.append("st.local.u64 [v").append(length).append("], %rd2; mov.u64 %rd6, v0;");
    body.append("cvta.local.u64 %rd6, %rd6; st.global.u64 [%rd1], %rd6;");

    assertUnknown("", body.toString());
  }

  @Test
  void anUnknownFunctionSeesAllSharedVariables() {
    String hidden =
        ".shared .u64 S;\n.func g() { .reg .u64 %rd<2>; ld.shared.u64 %rd1, [S];"
            + "st.global.u32 [%rd1], 1; ret; }\n.global .u64 tab[1] = {g};\n";
    String proto = "proto: .callprototype _ (); ld.global.u64 %rd5, [tab];";
    String call = "call %rd5, (), proto;";

    assertUnknown(hidden, proto + "st.shared.u64 [S], %rd2;" + call);
    assertUnknown(hidden, call + proto + "st.shared.u64 [S], %rd2;" + call);
    assertUnknown(
        ".extern .func other();\n.shared .u64 S;\n", "st.shared.u64 [S], %rd2; call other;");
    assertUnknown(
        ".extern .func other();\n.extern .shared .u64 S[];\n",
        "mov.u64 %rd5, S; st.shared.u64 [%rd5+8], %rd2; call other;");
    assertUnknown(
        ".extern .func other();\n", "mov.u64 %rd5, 0; st.shared.u64 [%rd5], %rd2; call other;");
  }

  @Test
  void theGenericAddressOfANumberMayLeadToAnyVariableOfItsSpace() {
    assertUnknown(
        ".shared .u64 S;\n",
        "st.shared.u64 [S], %rd2; mov.u64 %rd3, 0; cvta.shared.u64 %rd4, %rd3;"
            + "ld.u64 %rd5, [%rd4]; st.global.u32 [%rd5], 1;");
    assertUnknown(
        ".shared .u64 S;\n",
        "mov.u64 %rd3, 0; cvta.shared.u64 %rd4, %rd3; st.shared.u64 [S], %rd2;"
            + "ld.u64 %rd5, [%rd4]; st.global.u32 [%rd5], 1;");
    assertUnknown(
        "",
        ".local .u64 l; st.local.u64 [l], %rd2; mov.u64 %rd3, 0; cvta.local.u64 %rd4, %rd3;"
            + "ld.u64 %rd5, [%rd4]; st.global.u32 [%rd5], 1;");
    assertUnknown(
        "",
        "mov.u64 %rd3, 0; st.shared.u64 [%rd3], %rd2; cvta.shared.u64 %rd4, %rd3;"
            + "ld.u64 %rd5, [%rd4]; st.global.u32 [%rd5], 1;");
  }

  @Test
  void aPointerThatIsShiftedUpEscapesToo() {
    assertUnknown(
        "",
        "shl.b64 %rd3, %rd2, 16; or.b64 %rd3, %rd3, 7; st.global.u64 [%rd1], %rd3;"
            + "ld.global.u64 %rd4, [%rd1]; shr.u64 %rd5, %rd4, 16; st.global.u32 [%rd5], 1;");
  }

  @Test
  void aPartOfAnotherPointerMayMakeASumThatPointer() {
    String body =
        "and.b64 %rd3, %rd1, -16777216; and.b64 %rd4, %rd2, 16777215; or.b64 %rd5, %rd3, %rd4;"
            + "st.global.u32 [%rd5], 1;";

    assertUnknown("", body);
    assertThat(kernel("", body, ParameterRole.BUFFER).p().verdict()).isEqualTo(UNKNOWN);
    assertThat(q("", body.replace("or.b64", "add.s64"), ParameterRole.BUFFER).verdict())
        .isEqualTo(UNKNOWN);
  }

  @Test
  void aPredicateThatAFunctionAssignsIsNotConstant() {
    assertThat(
            q(
                    ".func (.reg .pred %r) g() { setp.eq.u32 %r, 1, 1; ret; }\n",
                    "mov.pred %p1, 0; call (%p1), g; @%p1 bra L; ret; L: st.global.u32 [%rd2], 1;",
                    ParameterRole.BUFFER)
                .write())
        .isPresent();
  }

  @Test
  void aPredicateThatIsPassedIsNotConstant() {
    assertThat(
            q(
                    ".func g(.reg .pred %a, .reg .u64 %b) {\n"
                        + "@%a bra L; mov.pred %a, 0; ret; L: st.global.u32 [%b], 1; ret; }\n",
                    "setp.eq.u32 %p1, 1, 1; call g, (%p1, %rd2);", ParameterRole.BUFFER)
                .write())
        .isPresent();
  }

  @Test
  void everyOperandOfAnUnknownOpcodeCounts() {
    for (String operands :
        new String[] {"[%rd1, %rd2], 5", "(%rd1, %rd2)", "[%rd1, {%r1, %rd2}]"}) {
      String body = "newop.global.b32 " + operands + ";";
      assertUnknown("", body);
      assertThat(kernel("", body, ParameterRole.BUFFER).p().verdict()).isEqualTo(UNKNOWN);
    }
    assertUnknown("", "st.global.b32 [%rd1, %rd2], 5;");
    assertUnknown("", "newop.b64 (%rd5), %rd2; st.global.u32 [%rd5], 1;");
  }

  @Test
  void anAliasIsNotTheFunctionThatItsNameStandsFor() {
    String evil =
        ".func (.param .b64 r) malloc(.param .b64 a);\n"
            + ".func (.param .b64 r) evil(.param .b64 a) { .reg .b64 %rd<2>;"
            + "ld.param.u64 %rd1, [a]; st.global.u32 [%rd1], 1; ret; }\n.alias malloc, evil;\n";

    assertUnknown(
        evil, "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd2; call (y), malloc, (x); }");
  }

  @Test
  void aPointerSurvivesTheArithmeticOfDoubles() {
    for (String arithmetic :
        new String[] {
          "mul.f64 %fd2, %fd1, 0d3FF0000000000000",
          "add.f64 %fd2, %fd1, 0d0000000000000000",
          "div.rn.f64 %fd2, %fd1, 0d3FF0000000000000",
          "fma.rn.f64 %fd2, %fd1, 0d3FF0000000000000, 0d0000000000000000",
          "sqrt.rn.f64 %fd3, %fd1; mul.f64 %fd2, %fd3, %fd3",
          "rcp.rn.f64 %fd3, %fd1; rcp.rn.f64 %fd2, %fd3"
        }) {
      String body = "mov.b64 %fd1, %rd2;" + arithmetic + "; mov.b64 %rd3, %fd2;";

      assertThat(q("", body + "st.global.u32 [%rd3], 1;", ParameterRole.EITHER).verdict())
          .as(arithmetic)
          .isIn(UNKNOWN, WRITES);
    }
  }

  @Test
  void operandsOfACallWithoutParenthesesEscape() {
    assertUnknown(".func g(.reg .u64 %a) { st.global.u32 [%a], 1; ret; }\n", "call g, %rd2;");
    assertUnknown(
        ".func g(.reg .u64 %a) { st.global.u32 [%a], 1; ret; }\n", "call g, (%rd1), %rd2;");
  }

  @Test
  void aNumberIsNotBlamedForWhatMayBeALoadedPointer() {
    String load = "ld.global.u64 %rd3, [%rd1];";
    for (String change :
        new String[] {
          "shr.u64 %rd4, %rd3, 16;",
          "shl.b64 %rd4, %rd3, 4;",
          "and.b64 %rd4, %rd3, 65535;",
          "shr.u64 %rd4, %rd3, 16; shr.u64 %rd4, %rd4, 3;",
          "mov.u32 %r2, %tid.x; cvt.u64.u32 %rd6, %r2; mul.lo.u64 %rd4, %rd3, %rd6;",
          "mov.b64 %fd1, %rd3; mul.f64 %fd1, %fd1, 0d3FF0000000000000; mov.b64 %rd4, %fd1;",
          "ld.global.u32 %r2, [%rd1+8]; mul.wide.u32 %rd4, %r2, 65536;"
        }) {
      ParameterAccess number =
          kernel(
                  "",
                  load + change + "add.s64 %rd5, %rd4, %rd2; st.global.u8 [%rd5], 1;",
                  ParameterRole.BUFFER,
                  ParameterRole.NUMBER)
              .q();

      assertThat(number.write()).as(change).isEmpty();
      assertThat(number.possibleWrite()).as(change).isPresent();
    }
  }

  @Test
  void aPartOfAPointerBesideALoadedOffsetMayBeThatPointer() {
    for (String untagged :
        new String[] {
          "shl.b64 %rd4, %rd2, 16; shr.u64 %rd4, %rd4, 16;",
          "bfe.u64 %rd4, %rd2, 0, 48;",
          "bfi.b64 %rd4, %rd2, %rd2, 0, 64;",
          "shr.u64 %rd4, %rd2, 0;",
          "div.u64 %rd4, %rd2, 1;",
        }) {
      String load = "ld.global.u64 %rd5, [%rd1]; add.s64 %rd6, %rd4, %rd5;";

      assertUnknown("", untagged + load + "st.global.u8 [%rd6], %h1;");
    }
  }

  @Test
  void aPointerSurvivesTheArithmeticOfItsHalves() {
    for (String arithmetic :
        new String[] {
          "add.f32 %f3, %f1, 0f00000000; add.f32 %f4, %f2, 0f00000000;",
          "mul.f32 %f3, %f1, 0f3F800000; mul.f32 %f4, %f2, 0f3F800000;",
          "fma.rn.f32 %f3, %f1, 0f3F800000, 0f00000000; mov.f32 %f4, %f2;",
        }) {
      String body =
          "mov.b64 {%f1, %f2}, %rd2;"
              + arithmetic
              + "mov.b64 %rd4, {%f3, %f4}; st.global.u32 [%rd4], 1;";

      assertThat(q("", body, ParameterRole.BUFFER).verdict()).isIn(UNKNOWN, WRITES);
      assertThat(q("", body, ParameterRole.EITHER).verdict()).isIn(UNKNOWN, WRITES);
    }
  }

  @Test
  void aPointerSurvivesTheSumsOfMatrices() {
    assertUnknown(
        "",
        "mov.b64 {%r1, %r2}, %rd2; mov.u64 %rd5, 0;"
            + "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r1, %r2, %r3, %r4}, %rd5, %rd5,"
            + " 1; mov.b64 %rd4, {%r1, %r2}; st.global.u32 [%rd4], 1;");
    String shared = ".shared .u64 S;\n";
    for (String copy :
        new String[] {
          "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r1, %r2, %r3, %r4}, %rd5, %rd5, 1;",
          "tcgen05.cp.cta_group::1.128x256b [%r5], %rd5;",
          "tcgen05.mma.cta_group::1.kind::i8 [%r5], %rd5, %rd5, %r6, %p1;",
        }) {
      assertUnknown(
          shared,
          "st.shared.u64 [S], %rd2; mov.u64 %rd5, 0;"
              + copy
              + "mov.b64 %rd4, {%r1, %r2}; st.global.u32 [%rd4], 1;");
    }
  }

  @Test
  void theBitsThatAlignmentRemovesArePartOfThePointer() {
    String body =
        "and.b64 %rd4, %rd2, -16777216; sub.s64 %rd5, %rd2, %rd4; and.b64 %rd6, %rd1, -16777216;"
            + "add.s64 %rd7, %rd6, %rd5; st.global.u32 [%rd7], 1;";

    assertUnknown("", body);
    assertThat(kernel("", body, ParameterRole.BUFFER).p().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void anAlignedPointerIsThatPointer() {
    for (String aligned :
        new String[] {
          "and.b64 %rd4, %rd2, -16;",
          "and.b64 %rd4, %rd2, -16; add.s64 %rd4, %rd4, 16;",
          "and.b64 %rd4, %rd2, 15; sub.s64 %rd4, %rd2, %rd4;",
          "mov.u64 %rd4, %rd2; setp.eq.u32 %p1, %r1, 0; @%p1 and.b64 %rd4, %rd2, -16;",
        }) {
      for (ParameterRole role : new ParameterRole[] {ParameterRole.BUFFER, ParameterRole.EITHER}) {
        assertThat(q("", aligned + "st.global.u32 [%rd4], 1;", role).verdict())
            .as("%s %s", role, aligned)
            .isIn(WRITES, UNKNOWN);
      }
    }
    assertThat(
            q(
                    "",
                    "and.b64 %rd4, %rd2, -16; add.s64 %rd4, %rd4, 16; st.global.u32 [%rd4], 1;",
                    ParameterRole.BUFFER)
                .verdict())
        .isEqualTo(WRITES);
  }

  @Test
  void aPartCountsBesideAnyOtherTerm() {
    String variable = ".global .u64 g;\n";
    String parts =
        "mov.u64 %rd4, g; and.b64 %rd5, %rd4, -16777216; and.b64 %rd6, %rd2, 16777215;"
            + "add.s64 %rd7, %rd5, %rd6;";
    assertUnknown(variable, parts + "st.global.u32 [%rd7], 1;");

    String sum =
        "and.b64 %rd4, %rd1, -16777216; and.b64 %rd6, %rd2, 16777215; add.s64 %rd7, %rd4, %rd6;";
    assertUnknown("", sum + "st.global.u32 [%rd7], 1;");
    assertThat(kernel("", sum + "st.global.u32 [%rd7], 1;", ParameterRole.EITHER).p().verdict())
        .isEqualTo(UNKNOWN);
    assertUnknown(
        "",
        "xor.b64 %rd8, %rd1, %rd1;" + sum + "add.s64 %rd7, %rd7, %rd8; st.global.u32 [%rd7], 1;");
  }

  @Test
  void aVariableTimesANumberMayBeAChoice() {
    assertUnknown(
        "",
        ".local .u32 l; mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 1; cvt.u64.u32 %rd4, %r1;"
            + "mov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5; mul.lo.u64 %rd6, %rd5, %rd4;"
            + "mov.u64 %rd7, 1; sub.u64 %rd7, %rd7, %rd4; mul.lo.u64 %rd8, %rd2, %rd7;"
            + "add.s64 %rd9, %rd6, %rd8; st.u32 [%rd9], 1;");
  }

  @Test
  void aTensorWithCoordinatesCountsAmongTheAddresses() {
    assertUnknown(
        "",
        "mov.u32 %r1, 0; st.shared.u64 [%r1], %rd2;"
            + "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r2}], [%r1];");
  }

  @Test
  void aNumberThatIsAPlaceInSharedMemoryIsNotBlamed() {
    for (String space : new String[] {"shared", "local"}) {
      ParameterAccess number =
          kernel(
                  "",
                  "cvta." + space + ".u64 %rd4, %rd2; st.u32 [%rd4], 1;",
                  ParameterRole.BUFFER,
                  ParameterRole.NUMBER)
              .q();

      assertThat(number.write()).as(space).isEmpty();
    }
  }
}
