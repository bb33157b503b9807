package dev.streamfence.internal.ptx.ir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A barrier whose number the caller passes, as in code that is not optimised. */
final class BarrierNumbersTest {
  private static List<Operand> operands(String caller, String callee) {
    PtxModule module =
        PtxModule.parse(
            """
            .version 7.0
            .target sm_75
            .address_size 64
            .func wait(.param .b32 number) {
            .reg .b32 %r<9>; .reg .pred %p<3>;
            ld.param.u32 %r1, [number];
            CALLEE
            ret; }
            .visible .entry k(.param .u32 n) {
            .reg .b32 %r<9>; .reg .pred %p<3>;
            ld.param.u32 %r5, [n]; setp.gt.s32 %p1, %r5, 3;
            CALLER
            ret; }
            """
                .replace("CALLEE", callee)
                .replace("CALLER", caller));
    return InlinedCalls.in(module, module.entries().get(0).function()).instructions().stream()
        .filter(each -> each.opcode().equals("barrier"))
        .findFirst()
        .map(Instruction::operands)
        .orElseThrow();
  }

  private static String passing(String number) {
    return "{ .param .b32 p; st.param.b32 [p], " + number + "; call.uni wait, (p); }";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a number | '' | 0 | true",
        "a register | mov.u32 %r3, 2; | %r3 | true",
        "through two | mov.u32 %r2, 1; mov.b32 %r3, %r2; | %r3 | true",
        "one of the launch | '' | %r5 | false",
        "one of two | mov.u32 %r3, 0; @%p1 mov.u32 %r3, 1; | %r3 | false",
        "one that may be missing | @%p1 mov.u32 %r3, 0; | %r3 | false",
        "a sum | mov.u32 %r2, 1; add.s32 %r3, %r2, 1; | %r3 | false",
        "its own | mov.u32 %r3, %r3; | %r3 | false"
      })
  void aNumberThatTheCodeAloneDecidesIsWritten(
      String what, String before, String number, boolean isWritten) {
    List<Operand> operands = operands(before + passing(number), "barrier.sync %r1;");
    assertThat(operands.get(0) instanceof Operand.IntegerLiteral).as(what).isEqualTo(isWritten);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "barrier.sync %r1; | true",
        "barrier.sync %r1, 64; | true",
        "add.s32 %r1, %r1, 1; barrier.sync %r1; | false"
      })
  void aNumberThatTheFunctionChangesIsNot(String callee, boolean isWritten) {
    List<Operand> operands = operands(passing("0"), callee);
    assertThat(operands.get(0) instanceof Operand.IntegerLiteral).isEqualTo(isWritten);
    assertThat(operands.size()).isEqualTo(callee.contains("64") ? 2 : 1);
  }
}
