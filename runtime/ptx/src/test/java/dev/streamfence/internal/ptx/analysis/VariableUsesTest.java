package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The accesses of kernels to the variables of their module. */
final class VariableUsesTest {
  private static final VariableUse READS = new VariableUse(true, false);
  private static final VariableUse WRITES = new VariableUse(false, true);
  private static final VariableUse BOTH = new VariableUse(true, true);

  private static final String HEAD =
      """
      .version 8.0
      .target sm_90
      .address_size 64
      .visible .global .align 4 .b8 v[64];
      .global .align 4 .u32 w;
      .visible .const .align 8 .b8 c[64];
      """;

  private static String entry(String name, String body) {
    return ".visible .entry "
        + name
        + "(.param .u64 p, .param .u32 i)\n{\n"
        + AnalysedKernel.registers()
        + "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [i]; mul.wide.u32 %rd2, %r1, 4;\n"
        + body
        + "\nret;\n}\n";
  }

  private static VariableUses uses(String... text) {
    PtxModule module = PtxModule.parse(HEAD + String.join("", text));
    return new VariableUses(module, Set.of("v", "w", "c"), new AnalysisBudget());
  }

  private static VariableUse of(String variable, String body) {
    return uses(entry("k", body)).of("k", variable);
  }

  @Test
  void aKernelThatNamesNoVariableUsesNone() {
    VariableUses uses = uses(entry("k", "st.global.u32 [%rd1], %r1;"));
    assertThat(uses.of("k", "v").isAny()).isFalse();
    assertThat(uses.of("k", "c").isAny()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ld.global.u32 %r2, [v+8];",
        "mov.u64 %rd3, v; add.s64 %rd4, %rd3, %rd2; ld.global.u32 %r2, [%rd4];",
        "mov.u64 %rd3, v; cvta.global.u64 %rd4, %rd3; add.s64 %rd5, %rd4, %rd2; ld.u32 %r2, [%rd5];",
      })
  void loadsRead(String body) {
    assertThat(of("v", body)).isEqualTo(READS);
    assertThat(of("w", body)).isEqualTo(VariableUse.NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ld.const.u32 %r2, [c];",
        "mov.u64 %rd3, c; add.s64 %rd4, %rd3, %rd2; ld.const.u32 %r2, [%rd4];",
        "mov.u64 %rd3, c; cvta.const.u64 %rd4, %rd3; ld.u32 %r2, [%rd4];",
      })
  void loadsReadConstants(String body) {
    assertThat(of("c", body)).isEqualTo(READS);
  }

  @Test
  void storesWrite() {
    assertThat(of("w", "st.global.u32 [w], %r1;")).isEqualTo(WRITES);
    assertThat(of("v", "mov.u64 %rd3, v; add.s64 %rd4, %rd3, %rd2; st.global.u32 [%rd4], %r1;"))
        .isEqualTo(WRITES);
  }

  @Test
  void atomicsReadAndWrite() {
    assertThat(of("w", "atom.global.add.u32 %r2, [w], 1;")).isEqualTo(BOTH);
    assertThat(of("w", "mov.u64 %rd3, w; red.global.add.u32 [%rd3], 1;")).isEqualTo(BOTH);
  }

  @Test
  void anAddressThatMayBeEitherUsesBoth() {
    VariableUses uses =
        uses(
            entry(
                "k",
                """
                mov.u64 %rd3, v; mov.u64 %rd4, w; setp.eq.u32 %p1, %r1, 0;
                selp.b64 %rd5, %rd3, %rd4, %p1; st.global.u32 [%rd5], %r1;
                """),
            entry("other", "ld.global.u32 %r2, [w];"));
    assertThat(uses.of("k", "v")).isEqualTo(WRITES);
    assertThat(uses.of("k", "w")).isEqualTo(WRITES);
    assertThat(uses.of("other", "w")).isEqualTo(READS);
    assertThat(uses.of("other", "v")).isEqualTo(VariableUse.NONE);
  }

  @Test
  void calledFunctionsCountAsTheKernelsCode() {
    String function =
        ".func store(.param .u64 at)\n{\n"
            + AnalysedKernel.registers()
            + "ld.param.u64 %rd1, [at]; st.global.u32 [%rd1], 1; ld.global.u32 %r1, [w]; ret;\n}\n";
    VariableUses uses =
        uses(
            function,
            entry(
                "k",
                """
                mov.u64 %rd3, v;
                { .param .b64 a; st.param.b64 [a], %rd3; call.uni store, (a); }
                """),
            entry("other", "st.global.u32 [%rd1], 1;"));
    assertThat(uses.of("k", "v")).isEqualTo(WRITES);
    assertThat(uses.of("k", "w")).isEqualTo(READS);
    assertThat(uses.of("other", "v")).isEqualTo(VariableUse.NONE);
  }

  @Test
  void onceTheAddressIsInMemoryEveryKernelMayUseTheVariable() {
    VariableUses uses =
        uses(
            entry("k", "mov.u64 %rd3, v; st.global.u64 [%rd1], %rd3;"),
            entry("other", "ld.global.u64 %rd3, [%rd1]; st.global.u32 [%rd3], 1;"));
    assertThat(uses.of("k", "v")).isEqualTo(BOTH);
    assertThat(uses.of("other", "v")).isEqualTo(BOTH);
    assertThat(uses.of("other", "w")).isEqualTo(VariableUse.NONE);
  }

  @Test
  void anInitialValueWithTheAddressDoesTheSame() {
    VariableUses uses =
        uses(
            ".global .u64 pointer = generic(v)+4;\n.global .u64 toConstant = generic(c);\n",
            entry("k", "ld.global.u64 %rd3, [pointer]; st.u32 [%rd3], 1;"));
    assertThat(uses.of("k", "v")).isEqualTo(BOTH);
    assertThat(uses.of("k", "c")).isEqualTo(READS);
    assertThat(uses.of("k", "w")).isEqualTo(VariableUse.NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ld.global.u64 %rd3, [%rd1]; prototype: .callprototype _ (); call %rd3, (), prototype;",
        "call.uni away, ();",
        "{ .param .b64 a; st.param.b64 [a], %rd1; call.uni none, (a); }",
      })
  void aCallOfUnknownCodeMayUseEverything(String body) {
    VariableUses uses =
        uses(
            ".extern .func away();\n.func none() { ret; }\n",
            entry("k", body),
            entry("other", "ld.global.u32 %r2, [w];"));
    assertThat(uses.of("k", "v")).isEqualTo(BOTH);
    assertThat(uses.of("k", "w")).isEqualTo(BOTH);
    assertThat(uses.of("k", "c")).isEqualTo(READS);
    assertThat(uses.of("other", "w")).isEqualTo(READS);
    assertThat(uses.of("other", "v")).isEqualTo(VariableUse.NONE);
  }

  @Test
  void printingUsesNothingThatItIsNotGiven() {
    String body =
        "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd1;"
            + " st.param.b64 [a], %rd1; call.uni (r), vprintf, (f, a); }";
    VariableUses uses =
        uses(
            ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n",
            entry("k", body));
    assertThat(uses.of("k", "v")).isEqualTo(VariableUse.NONE);
  }

  @Test
  void whatIsTooLargeToAnalyseUsesWhatItNames() {
    PtxModule module =
        PtxModule.parse(HEAD + entry("k", "ld.global.u32 %r2, [v];") + entry("other", ""));
    VariableUses uses = new VariableUses(module, Set.of("v", "w"), new AnalysisBudget(0));
    assertThat(uses.of("k", "v")).isEqualTo(BOTH);
    assertThat(uses.of("other", "v")).isEqualTo(BOTH);
    assertThat(uses.of("k", "w")).isEqualTo(VariableUse.NONE);
  }
}
