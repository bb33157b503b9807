package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.UNKNOWN;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.WRITES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.corpus.Effort;
import dev.streamfence.corpus.Growth;
import dev.streamfence.internal.ptx.analysis.lattice.TooLargeException;
import dev.streamfence.internal.ptx.ir.OpcodeTable;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.TokenShuffle;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The analysis of every text that the parser accepts ends, and throws nothing. */
class AccessHostileInputTest {
  private static boolean analyses(String text) {
    PtxModule module;
    try {
      module = PtxModule.parse(text);
    } catch (PtxException e) {
      return false;
    }
    for (PtxEntry entry : module.entries()) {
      assertThat(KernelAccesses.of(module, entry).toString()).startsWith(entry.name());
    }
    return true;
  }

  @Test
  void shuffledTokensAreAnalysedOrRefused() {
    TokenShuffle shuffle =
        new TokenShuffle(
            11,
            Stream.of("calls", "halves", "structs", "async", "joins")
                .map(AccessTruth::ptx)
                .toList());
    int analysed = 0;
    int tries = Effort.of(60, 200);
    for (int i = 0; i < tries; i++) {
      analysed += analyses(shuffle.next(i, 1 + i % 3)) ? 1 : 0;
    }

    assertThat(analysed).isBetween(1, tries - 1);
  }

  @Test
  void operandsThatFitNoOpcodeAreAnalysedOrRefused() {
    List<String> operands =
        List.of(
            "%rd1",
            "[%rd1]",
            "[%rd1+-9223372036854775808]",
            "{%rd1, %rd2}",
            "{}",
            "(%rd1)",
            "()",
            "%rd1|%rd2",
            "_",
            "name",
            "[name]",
            "[name+8]",
            "[l+9223372036854775807]",
            "7",
            "1.5",
            "%tid.x",
            "[%rd1, {%rd2}]",
            "l",
            "k",
            "!%p1",
            "%v",
            "%v.y");
    Random random = new Random(12);
    StringBuilder body = new StringBuilder();
    List<String> opcodes = new ArrayList<>(OpcodeTable.opcodes());
    java.util.Collections.sort(opcodes);
    opcodes.add("frobnicate");
    for (int i = 0; i < Effort.of(4_000, 6_000); i++) {
      body.append(i % 5 == 0 ? "@%p1 " : "").append(opcodes.get(i % opcodes.size()));
      body.append(List.of("", ".u64", ".b32", ".wide", ".shared").get(random.nextInt(5)));
      for (int operand = random.nextInt(5); operand > 0; operand--) {
        body.append(" ").append(operands.get(random.nextInt(operands.size())));
        body.append(operand > 1 ? "," : "");
      }
      body.append(";\n");
      if (i % 100 == 99) {
        AnalysedKernel.in("", ".local .b64 l[4]; .reg .v4 .b64 %v; .reg .b64 name2;" + body);
        body.setLength(0);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2_000, 40_000})
  void longChainsOfCallsAreFollowedWithoutRecursion(int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(".func f").append(i).append("(.param .b64 a) { .reg .b64 %rd<3>;");
      text.append(" ld.param.u64 %rd1, [a]; ");
      text.append(
          i == 0
              ? "st.global.u32 [%rd1], 1; ret; }\n"
              : "{ .param .b64 x; st.param.b64 [x], %rd1; call f" + (i - 1) + ", (x); } ret; }\n");
    }
    String call = "{ .param .b64 x; st.param.b64 [x], %rd1; call f" + (length - 1) + ", (x); }";
    AnalysedKernel kernel = AnalysedKernel.in(text.toString(), call);

    assertThat(kernel.p().verdict()).isEqualTo(WRITES);
  }

  @Test
  void manyPathsOfCallsAreMergedBeforeTheyAreTooMany() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      String call =
          i == 0
              ? "st.global.u32 [%rd1], 1;"
              : "{ .param .b64 x; st.param.b64 [x], %rd1; call f" + (i - 1) + ", (x); }";
      text.append(".func f").append(i).append("(.param .b64 a) { .reg .b64 %rd<3>;");
      text.append(" ld.param.u64 %rd1, [a]; ").append(call).append(call).append(" ret; }\n");
    }
    AnalysedKernel kernel =
        AnalysedKernel.in(
            text.toString(), "{ .param .b64 x; st.param.b64 [x], %rd1; call f39, (x); }");

    assertThat(kernel.p().verdict()).isEqualTo(WRITES);
  }

  @Test
  void aKernelThatIsTooLargeIsUnknown() {
    StringBuilder parameters = new StringBuilder(".param .u64 p0");
    StringBuilder body = new StringBuilder();
    for (int i = 1; i < 1000; i++) {
      parameters.append(", .param .u64 p").append(i);
      body.append("ld.param.u64 %rd2, [p").append(i).append("]; add.s64 %rd1, %rd1, %rd2;\n");
    }
    AnalysedKernel kernel =
        AnalysedKernel.undeclared(
            ".entry k("
                + parameters
                + ") { .reg .b64 %rd<3>; ld.param.u64 %rd1, [p0]; L:\n"
                + body
                + "st.global.u32 [%rd1], 1; bra L; }",
            ParameterRoles.UNDECLARED);

    assertThat(kernel.accesses().parameter(999).verdict()).isEqualTo(UNKNOWN);
    assertThat(kernel.p().unknown().orElseThrow().reason().orElseThrow()).contains("too large");
  }

  @Test
  void parametersThatNoDeviceTakesAreUnknown() {
    AnalysedKernel kernel =
        AnalysedKernel.undeclared(
            ".entry k(.param .align 8 .b8 s[400000], .param .u64 p) { ret; }",
            ParameterRoles.UNDECLARED);

    assertThat(kernel.p().verdict()).isEqualTo(UNKNOWN);
    assertThat(kernel.q().verdict()).isEqualTo(UNKNOWN);
  }

  @Tag("exhaustive")
  @Test
  void timeGrowsInProportionToTheText() {
    Growth.requireProportional(
        7_500,
        size -> {
          String text = loadsAndBranches(size);
          return () ->
              assertThat(AnalysedKernel.of(text).p().verdict())
                  .isEqualTo(ParameterAccess.Verdict.READS);
        });
  }

  private static String loadsAndBranches(int count) {
    StringBuilder body = new StringBuilder();
    body.append(".reg .b64 %a<").append(count).append(">; .reg .b32 %b<").append(count);
    body.append(">;\n");
    for (int i = 0; i < count; i++) {
      body.append("mad.wide.s32 %a").append(i).append(", %r1, 4, %rd").append(1 + i % 2);
      body.append("; ld.global.u32 %b").append(i).append(", [%a").append(i).append("];\n");
      if (i % 10 == 0) {
        body.append("$L").append(i).append(": @%p1 bra $L").append(count - 10 - i).append(";\n");
      }
    }
    return body.toString();
  }

  @Test
  void kernelsBeyondTheSharedBudgetAreUnknown() {
    StringBuilder text = new StringBuilder(".version 8.0\n.target sm_90\n.address_size 64\n");
    text.append(".func f(.reg .b64 %a) {\n.reg .b64 %v;\n");
    text.append("add.s64 %v, %a, 1;\n".repeat(2_000)).append("st.global.u32 [%a], 1; ret; }\n");
    int kernels = 20;
    for (int i = 0; i < kernels; i++) {
      text.append(".entry k")
          .append(i)
          .append("(.param .u64 p) { .reg .b64 %a;")
          .append(" ld.param.u64 %a, [p]; call f, (%a); ret; }\n");
    }
    PtxModule module = PtxModule.parse(text.toString());
    ModuleAnalysis analysis = new ModuleAnalysis(module, new AnalysisBudget(100_000));
    List<ParameterAccess> found =
        module.entries().stream()
            .map(
                entry -> KernelAccesses.of(analysis, entry, ParameterRoles.UNDECLARED).parameter(0))
            .toList();

    assertThat(found.get(0).verdict()).isEqualTo(WRITES);
    ParameterAccess last = found.get(kernels - 1);
    assertThat(last.verdict()).isEqualTo(UNKNOWN);
    assertThat(last.unknown().orElseThrow().reason().orElseThrow())
        .contains("too large to analyse together");
  }

  @Test
  void theNumberOfOperandsIsLimited() {
    String text =
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .b32 %r; mma %r"
            + ", %r".repeat(1_000)
            + "; ret; }";

    assertThatThrownBy(() -> PtxModule.parse(text))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining("more than 64 operands");
  }

  @Tag("exhaustive")
  @Test
  void valuesOfManyWaysCostTheBudgetTheirWork() {
    StringBuilder text =
        new StringBuilder(".version 8.0\n.target sm_90\n.address_size 64\n.entry k(");
    int parameters = 400;
    for (int i = 0; i < parameters; i++) {
      text.append(i == 0 ? "" : ", ").append(".param .u64 p").append(i);
    }
    text.append(") {\n.reg .b64 %x<8>, %p, %d;\n.reg .pred %q;\nsetp.eq.u64 %q, %x1, 0;\n");
    for (int i = 0; i < parameters; i++) {
      text.append("ld.param.u64 %p, [p").append(i).append("];\n");
      for (int way = 0; way < 4; way++) {
        text.append("mad.lo.s64 %x")
            .append(way)
            .append(", %p, ")
            .append(way == i % 4 ? 1 : way + 2)
            .append(", %x")
            .append(way)
            .append(";\n");
      }
    }
    text.append("selp.b64 %x0, %x0, %x1, %q; selp.b64 %x2, %x2, %x3, %q;");
    text.append("selp.b64 %x0, %x0, %x2, %q;\n");
    text.append("@%q add.s64 %d, %x0, %x0;\n".repeat(200_000)).append("ret; }");
    PtxModule module = PtxModule.parse(text.toString());

    ParameterAccess first = KernelAccesses.of(module, module.entries().get(0)).parameter(0);
    assertThat(first.unknown().orElseThrow().reason()).contains(TooLargeException.KERNEL);
  }
}
