package dev.streamfence.internal.ptx.syntax;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Growth;
import dev.streamfence.internal.ptx.analysis.KernelAccesses;
import dev.streamfence.internal.ptx.analysis.ParameterAccess;
import dev.streamfence.internal.ptx.analysis.lattice.TooLargeException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The size of a module's model, compared with its text. */
class ModelSizeTest {
  private static final String HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n";

  private static PtxModule body(String statements) {
    return PtxModule.parse(HEAD + ".entry k() { .reg .b32 %r<9>; " + statements + " ret; }");
  }

  @Test
  void aRepeatedInstructionCountsOnePartEachTime() {
    String sum = "add.s32 %r1, %r2, 7; ";

    assertThat(body(sum.repeat(1_001)).parts() - body(sum).parts()).isEqualTo(1_000);
  }

  @Test
  void aRepeatedInstructionSharesWhatItNames() {
    PtxFunction function = body("add.s32 %r1, %r2, 7; add.s32 %r1, %r2, 7;").functions().get(0);
    Instruction first = function.instructions().get(0);
    Instruction second = function.instructions().get(1);

    assertThat(second.operands()).isSameAs(first.operands());
    assertThat(second.modifiers()).isSameAs(first.modifiers());
    assertThat(second.opcode()).isSameAs(first.opcode());
  }

  @Test
  void aRepeatedInitialValueDoesNotCount() {
    assertThat(
            PtxModule.parse(HEAD + ".global .u32 a[] = {" + "1, ".repeat(10_000) + "2};").parts())
        .isLessThan(20);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a#: ",
        "add.s32 %s#, %r1, 1; ",
        "mov.u32 %r1, #; ",
        "x.m#; ",
        ".local .b8 v#; ",
        "bra l#; "
      })
  void differentPartsCount(String statement) {
    StringBuilder statements = new StringBuilder(".reg .b32 %s<2000>; ");
    for (int i = 10; i < 1_010; i++) {
      statements.append(statement.replace("#", String.valueOf(i)));
    }

    assertThat(body(statements.toString()).parts()).isGreaterThan(1_000);
  }

  @Test
  void aModuleOfMorePartsThanTheLimitIsNotParsed() {
    String text = HEAD + ".entry k() { " + "x; ".repeat(100) + "}";
    int parts = PtxModule.parse(text).parts();

    assertThat(PtxModule.parseUpTo(text, parts)).isPresent();
    assertThat(PtxModule.parseUpTo(text, parts - 1)).isEmpty();
  }

  @Test
  void shortRowsSkipElements() {
    Variable table =
        PtxModule.parse(HEAD + ".global .u32 a[4][3] = {{1, 2}, {3}, {4, 5, 6}};")
            .variables()
            .get(0);

    assertThat(table.initializers())
        .extracting(Variable.Initializer::element)
        .containsExactly(0L, 1L, 3L, 6L, 7L, 8L);
    assertThat(table.initializers())
        .extracting(Variable.Initializer::value)
        .containsExactly(literals(1, 2, 3, 4, 5, 6));
  }

  private static Operand[] literals(int... values) {
    return Arrays.stream(values).mapToObj(Operand.IntegerLiteral::new).toArray(Operand[]::new);
  }

  @Test
  void aFunctionThatIsTooLongIsNotAnalysed() {
    PtxModule module =
        PtxModule.parse(
            HEAD
                + ".entry k(.param .u64 p) { .reg .b64 %a; ld.param.u64 %a, [p];\n"
                + "st.global.u32 [%a], 1;\n".repeat(CodeLimits.FUNCTION_INSTRUCTIONS)
                + "}");
    ParameterAccess access = KernelAccesses.of(module, module.entries().get(0)).parameter(0);

    assertThat(access.unknown().orElseThrow().reason()).contains(TooLargeException.KERNEL);
  }

  @Test
  void timeGrowsInProportionToInitialValuesInRows() {
    Growth.requireProportional(
        20_000,
        size -> {
          String text =
              HEAD + ".global .u32 a[" + size + "][4] = {" + "{1}, ".repeat(size - 1) + "{1}};";
          return () -> assertThat(PtxModule.parse(text).variables()).hasSize(1);
        });
  }
}
