package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.NONE;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.READS;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.UNKNOWN;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.syntax.CodeLimits;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The access analysis of kernels that are large, odd, or cut short. */
class AccessLimitsTest {
  private static AnalysedKernel structure(int bytes, String body) {
    return AnalysedKernel.undeclared(
        ".entry k(.param .align 8 .b8 s["
            + bytes
            + "], .param .u64 p) {\n"
            + AnalysedKernel.registers()
            + body
            + "ret; }\n",
        ParameterRoles.UNDECLARED);
  }

  /** A kernel of structures of four KiB each, and of one more that ends with a pointer. */
  private static AnalysedKernel structures(int bytes) {
    StringBuilder parameters = new StringBuilder();
    for (int i = 0; i < 7; i++) {
      parameters.append(".param .align 8 .b8 s").append(i).append("[4096], ");
    }
    return AnalysedKernel.undeclared(
        ".entry k("
            + parameters
            + ".param .align 8 .b8 p["
            + bytes
            + "]) {\n"
            + AnalysedKernel.registers()
            + "ld.param.u64 %rd1, [p+4088]; st.global.u32 [%rd1], 1; ret; }\n",
        ParameterRoles.UNDECLARED);
  }

  @Test
  void parametersOf32KibibytesAreAnalysed() {
    KernelAccesses largest = structures(4096).accesses();

    assertThat(largest.parameter(0).verdict()).isEqualTo(NONE);
    assertThat(largest.parameter(7, 4080).verdict()).isEqualTo(NONE);
    assertThat(largest.parameter(7, 4088).verdict()).isEqualTo(WRITES);
  }

  @ParameterizedTest
  @ValueSource(ints = {4104, 64 * 1024})
  void largerParametersAreUnknown(int bytes) {
    KernelAccesses larger = structures(bytes).accesses();

    for (int i = 0; i < 8; i++) {
      assertThat(larger.parameter(i).verdict()).isEqualTo(UNKNOWN);
    }
    assertThat(larger.parameter(7, 4096).verdict()).isEqualTo(UNKNOWN);
    assertThat(larger.parameter(0).unknown().orElseThrow().reason().orElseThrow())
        .contains("the parameters are too large");
  }

  /** A kernel that stores through one pointer of a structure. */
  private static KernelAccesses storesThrough(int bytes, int offset) {
    return structure(bytes, "ld.param.u64 %rd1, [s+" + offset + "]; st.global.u32 [%rd1], 1;")
        .accesses();
  }

  @Test
  void thePiecesOfAStructureOf8KibibytesAreDistinguished() {
    int bytes = 8 * CodeLimits.VARIABLE_OFFSETS;
    for (int offset : new int[] {0, bytes - 8}) {
      KernelAccesses accesses = storesThrough(bytes, offset);
      assertThat(accesses.parameter(0, offset).verdict()).isEqualTo(WRITES);
      assertThat(accesses.parameter(0, bytes - 8 - offset).verdict()).isEqualTo(NONE);
      assertThat(accesses.parameter(1).verdict()).isEqualTo(NONE);
    }
  }

  @Test
  void thePiecesOfALargerStructureAreMergedBeyondTheLimit() {
    KernelAccesses accesses = storesThrough(8 * CodeLimits.VARIABLE_OFFSETS + 8, 0);
    assertThat(accesses.parameter(0, 0).verdict()).isEqualTo(UNKNOWN);
    assertThat(accesses.parameter(0, 8).verdict()).isEqualTo(NONE);
    assertThat(accesses.parameter(0, 8 * CodeLimits.VARIABLE_OFFSETS).verdict()).isEqualTo(UNKNOWN);
    assertThat(accesses.parameter(1).verdict()).isEqualTo(NONE);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 16_000})
  void aFarLargerStructureIsUnknown(int offset) {
    int bytes = 8 * (CodeLimits.VARIABLE_OFFSETS + CodeLimits.ORIGINS) + 3_800;
    KernelAccesses accesses = storesThrough(bytes, offset);
    assertThat(accesses.parameter(0, offset).verdict()).isEqualTo(UNKNOWN);
    assertThat(accesses.parameter(1).verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void theEndOfAStructureIsAnIndexIfItIsNarrowerThanAPointer() {
    AnalysedKernel kernel =
        structure(
            12,
            "ld.param.u64 %rd1, [s]; ld.param.u32 %r1, [s+8]; cvt.u64.u32 %rd2, %r1;"
                + "add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], 1;");

    assertThat(kernel.accesses().parameter(0, 0).verdict()).isEqualTo(WRITES);
    assertThat(kernel.accesses().parameter(0, 8).verdict()).isEqualTo(NONE);
  }

  private static PtxModule straight(int instructions) {
    return PtxModule.parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) {\n"
            + AnalysedKernel.registers()
            + "ld.param.u64 %rd1, [p];\n"
            + "add.s32 %r1, %r2, 1;\n".repeat(instructions - 3)
            + "ld.global.u32 %r3, [%rd1];\nret; }\n");
  }

  private static ParameterAccess analyse(PtxModule module, AnalysisBudget budget) {
    return KernelAccesses.of(
            new ModuleAnalysis(module, budget), module.entries().get(0), ParameterRoles.UNDECLARED)
        .parameter(0);
  }

  @Test
  void eachVisitOfAnInstructionCostsAtLeastOneStep() {
    PtxModule module = straight(1000);
    AnalysisBudget budget = new AnalysisBudget(1_000_000);
    assertThat(analyse(module, budget).verdict()).isEqualTo(READS);

    // Once to prepare it, once until nothing changes, and once to note what it does.
    assertThat(1_000_000 - budget.left()).isBetween(3_000L, 6_000L);
  }

  @Test
  void aKernelThatTakesMoreThanTheBudgetIsUnknown() {
    PtxModule module = straight(1000);
    AnalysisBudget enough = new AnalysisBudget(1_000_000);
    analyse(module, enough);
    long needed = 1_000_000 - enough.left();

    assertThat(analyse(module, new AnalysisBudget(needed)).verdict()).isEqualTo(READS);
    ParameterAccess cut = analyse(module, new AnalysisBudget(needed - 1));
    assertThat(cut.verdict()).isEqualTo(UNKNOWN);
    assertThat(cut.read()).isEmpty();
    assertThat(cut.unknown().orElseThrow().reason().orElseThrow()).contains("too large");
  }

  /** Each value moves from element to element, and loads with an unknown index see each move. */
  @Test
  void loadsOfManyElementsCountAgainstTheBudget() {
    StringBuilder body =
        new StringBuilder(
            ".local .align 8 .b8 d[4096]; mov.u64 %rd5, d; and.b32 %r5, %r1, 4080;"
                + " cvt.u64.u32 %rd7, %r5; add.s64 %rd8, %rd5, %rd7;");
    for (int i = 0; i < 500; i++) {
      body.append("ld.local.u64 %rd9, [%rd5+").append(8 * i + 8);
      body.append("]; st.local.u64 [%rd5+").append(8 * i).append("], %rd9;");
    }
    body.append("st.local.u64 [%rd5+4000], %rd1;");
    body.append("ld.local.u64 %rd10, [%rd8];".repeat(2_000)).append("st.global.u32 [%rd10], 7;");

    assertThat(AnalysedKernel.of(body.toString()).q().verdict()).isEqualTo(UNKNOWN);
  }

  @Test
  void theFunctionsOfAKernelArePreparedOnce() {
    String add = "add.s32 %r1, %r1, 1;\n".repeat(1 << 13);
    PtxModule module =
        PtxModule.parse(
            ".version 8.0\n.target sm_90\n.address_size 64\n"
                + ".func f() { .reg .b32 %r<2>; ADD ret; }\n".replace("ADD", add)
                + ".func g() { .reg .b32 %r<2>; ADD ret; }\n".replace("ADD", add)
                + ".entry one() { ret; }\n.entry other() { ret; }\n");
    ModuleAnalysis analysis = new ModuleAnalysis(module);
    analysis.flow(module.entries().get(0).function());
    FunctionFlow prepared = analysis.flow(module.function("f").orElseThrow());
    analysis.flow(module.function("g").orElseThrow());

    assertThat(analysis.flow(module.function("f").orElseThrow())).isSameAs(prepared);
    analysis.flow(module.entries().get(1).function());
    assertThat(analysis.flow(module.function("f").orElseThrow())).isNotSameAs(prepared);
  }

  @Test
  void registersOfManyWaysCostMore() {
    assertThat(work(places(7))).isGreaterThan(work(places(1)) + 200);
  }

  /** Takes one of seven places, some of which are the same, through many instructions. */
  private static String places(int different) {
    StringBuilder body = new StringBuilder(".local .b8 l[64]; mov.u64 %rd8, l;\n");
    for (int i = 0; i < 7; i++) {
      body.append("@%p1 add.s64 %rd9, %rd8, ").append(i % different).append(";\n");
    }
    return body + "add.s64 %rd10, %rd9, 8;\n".repeat(200);
  }

  private static long work(String body) {
    PtxModule module = AnalysedKernel.of(body).module();
    AnalysisBudget budget = new AnalysisBudget(1_000_000);
    KernelAccesses.of(
        new ModuleAnalysis(module, budget), module.entries().get(0), ParameterRoles.UNDECLARED);
    return 1_000_000 - budget.left();
  }

  @Test
  void theBudgetIsSharedByTheKernelsOfAModule() {
    PtxModule module = straight(1000);
    AnalysisBudget budget = new AnalysisBudget(8_000);
    ModuleAnalysis shared = new ModuleAnalysis(module, budget);
    PtxEntry entry = module.entries().get(0);

    assertThat(KernelAccesses.of(shared, entry, ParameterRoles.UNDECLARED).parameter(0).verdict())
        .isEqualTo(READS);
    KernelAccesses.of(shared, entry, ParameterRoles.UNDECLARED);
    assertThat(KernelAccesses.of(shared, entry, ParameterRoles.UNDECLARED).parameter(0).verdict())
        .isEqualTo(UNKNOWN);
  }

  @Test
  void itsTextHasTheVerdictOnEachParameter() {
    assertThat(AnalysedKernel.of("ld.global.u32 %r5, [%rd1];").accesses())
        .hasToString("k(READS, NONE, NONE, NONE, NONE)");
    assertThat(
            AnalysedKernel.undeclared(".entry none() { ret; }", ParameterRoles.UNDECLARED)
                .accesses())
        .hasToString("none()");
  }

  @Test
  void ofTwoAccessesInOneLineTheFirstIsReported() {
    AnalysedKernel kernel =
        AnalysedKernel.of("ld.global.u32 %r5, [%rd1]; atom.global.add.u32 %r5, [%rd1], 1;");

    assertThat(kernel.p().read().orElseThrow().toString()).contains("ld.global");
    assertThat(kernel.p().write().orElseThrow().toString()).contains("atom.global");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "L: @%p1 bra L; ret; st.global.u32 [%rd1], 1;",
        "bra L; st.global.u32 [%rd1], 1; L:",
        "bra L; L: ret; st.global.u32 [%rd1], 1;",
        "table: .branchtargets L, M; L: brx.idx %r1, table; st.global.u32 [%rd1], 1; M: ret;"
      })
  void unreachableCodeIsNotRun(String body) {
    AnalysedKernel kernel =
        AnalysedKernel.undeclared(
            ".entry k(.param .u64 p) {\n"
                + AnalysedKernel.registers()
                + body
                + "ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], 1; }\n",
            ParameterRoles.UNDECLARED);

    assertThat(kernel.p().verdict()).isEqualTo(body.endsWith("L:") ? WRITES : NONE);
  }
}
