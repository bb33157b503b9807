package dev.streamfence.internal.ptx.ir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the table of opcodes says that an instruction computes from integers. */
class ComputationTest {
  private static Instruction instruction(String text) {
    return PtxModule.parse(
            """
            .version 8.0
            .target sm_80
            .address_size 64
            .func f() {
              .reg .b64 %rd<4>;
              .reg .b32 %r<6>;
              .reg .b16 %h<4>;
              .reg .f32 %f<4>;
              .reg .pred %p<4>;
              INSTRUCTION
            }
            """
                .replace("INSTRUCTION", text))
        .functions()
        .get(0)
        .instructions()
        .get(0);
  }

  private static Optional<Computation> of(String text) {
    return Computation.of(instruction(text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mov.b32 %r1, %r2;                | MOVE              | .b32 | .b32  | .b32",
        "mov.f32 %f1, %f2;                | MOVE              | .f32 | .f32  | .f32",
        "mov.pred %p1, %p2;               | MOVE              | .pred| .pred | .pred",
        "cvta.to.global.u64 %rd1, %rd2;   | ADDRESS           | .u64 | .u64  | .u64",
        "cvt.s64.s32 %rd1, %r1;           | CONVERT           | .s32 | .s64  | .s32",
        "selp.b32 %r1, %r2, %r3, %p1;     | SELECT            | .b32 | .b32  | .b32 .b32 .pred",
        "add.s32 %r1, %r2, 4;             | ADD               | .s32 | .s32  | .s32 .s32",
        "sub.u64 %rd1, %rd2, %rd3;        | SUBTRACT          | .u64 | .u64  | .u64 .u64",
        "mul.lo.s32 %r1, %r2, %r3;        | MULTIPLY          | .s32 | .s32  | .s32 .s32",
        "mul.wide.u16 %r1, %h2, %h3;      | MULTIPLY          | .u16 | .u32  | .u16 .u16",
        "mul.hi.u32 %r1, %r2, %r3;        | MULTIPLY_HIGH     | .u32 | .u32  | .u32 .u32",
        "mad.lo.s32 %r1, %r2, %r3, %r4;   | MULTIPLY_ADD      | .s32 | .s32  | .s32 .s32 .s32",
        "mad.wide.s32 %rd1, %r2, 8, %rd2; | MULTIPLY_ADD      | .s32 | .s64  | .s32 .s32 .s64",
        "mad.hi.s32 %r1, %r2, %r3, %r4;   | MULTIPLY_HIGH_ADD | .s32 | .s32  | .s32 .s32 .s32",
        "div.u32 %r1, %r2, %r3;           | DIVIDE            | .u32 | .u32  | .u32 .u32",
        "rem.s32 %r1, %r2, %r3;           | REMAINDER         | .s32 | .s32  | .s32 .s32",
        "neg.s32 %r1, %r2;                | NEGATE            | .s32 | .s32  | .s32",
        "abs.s32 %r1, %r2;                | ABSOLUTE          | .s32 | .s32  | .s32",
        "min.u32 %r1, %r2, %r3;           | MIN               | .u32 | .u32  | .u32 .u32",
        "max.s64 %rd1, %rd2, %rd3;        | MAX               | .s64 | .s64  | .s64 .s64",
        "sad.u32 %r1, %r2, %r3, %r4;      | ADD_DIFFERENCE    | .u32 | .u32  | .u32 .u32 .u32",
        "and.pred %p1, %p2, %p3;          | AND               | .pred| .pred | .pred .pred",
        "or.b64 %rd1, %rd2, %rd3;         | OR                | .b64 | .b64  | .b64 .b64",
        "xor.b16 %h1, %h2, %h3;           | XOR               | .b16 | .b16  | .b16 .b16",
        "not.pred %p1, %p2;               | NOT               | .pred| .pred | .pred",
        "cnot.b32 %r1, %r2;               | IS_ZERO           | .b32 | .b32  | .b32",
        "shl.b64 %rd1, %rd2, %r1;         | SHIFT_LEFT        | .b64 | .b64  | .b64 .b32",
        "shr.s32 %r1, %r2, %r3;           | SHIFT_RIGHT       | .s32 | .s32  | .s32 .b32",
        "bfe.u64 %rd1, %rd2, 3, 8;        | FIELD             | .u64 | .u64  | .u64 .b32 .b32",
        "brev.b32 %r1, %r2;               | REVERSE           | .b32 | .b32  | .b32",
        "popc.b64 %r1, %rd2;              | COUNT_ONES        | .b64 | .u32  | .b64",
        "clz.b32 %r1, %r2;                | COUNT_LEADING_ZEROS | .b32 | .u32 | .b32",
        "bfind.s64 %r1, %rd2;             | FIND_HIGHEST      | .s64 | .u32  | .s64",
        "setp.eq.s32 %p1, %r2, %r3;       | EQUAL             | .s32 | .pred | .s32 .s32",
        "setp.ne.b64 %p1, %rd2, %rd3;     | NOT_EQUAL         | .b64 | .pred | .b64 .b64",
        "setp.lt.u32 %p1, %r2, %r3;       | LESS              | .u32 | .pred | .u32 .u32",
        "setp.lo.s32 %p1, %r2, %r3;       | LESS              | .u32 | .pred | .u32 .u32",
        "setp.ls.s64 %p1, %rd2, %rd3;     | LESS_OR_EQUAL     | .u64 | .pred | .u64 .u64",
        "setp.gt.s32 %p1, %r2, %r3;       | GREATER           | .s32 | .pred | .s32 .s32",
        "setp.hs.s16 %p1, %h2, %h3;       | GREATER_OR_EQUAL  | .u16 | .pred | .u16 .u16",
        "setp.lt.f32 %p1, %f2, %f3;       | COMPARE           | .f32 | .pred | .f32 .f32",
        "setp.lt.ftz.f32 %p1, %f2, %f3;   | COMPARE           | .f32 | .pred | .f32 .f32"
      })
  void eachRowIsDecoded(
      String text, Operation operation, String type, String result, String sources) {
    Computation computation = of(text).orElseThrow();

    assertThat(computation.operation()).isEqualTo(operation);
    assertThat(computation.type()).hasToString(type);
    assertThat(computation.result()).hasToString(result);
    assertThat(computation.sources()).map(ScalarType::toString).containsExactly(sources.split(" "));
    assertThat(computation.then()).isNull();
  }

  @Test
  void aComparisonMayBeCombinedWithAPredicate() {
    Computation computation = of("setp.ge.xor.s32 %p1, %r2, 7, !%p2;").orElseThrow();

    assertThat(computation.operation()).isEqualTo(Operation.GREATER_OR_EQUAL);
    assertThat(computation.then()).isEqualTo(Operation.XOR);
    assertThat(computation.sources())
        .isEqualTo(List.of(ScalarType.S32, ScalarType.S32, ScalarType.PRED));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "add.sat.s32 %r1, %r2, %r3;",
        "add.cc.u32 %r1, %r2, %r3;",
        "addc.u32 %r1, %r2, %r3;",
        "mad.lo.cc.u32 %r1, %r2, %r3, %r4;",
        "min.relu.s32 %r1, %r2, %r3;",
        "cvt.sat.u8.s32 %r1, %r2;",
        "cvt.rn.f32.s32 %f1, %r1;",
        "bfind.shiftamt.u32 %r1, %r2;",
        "add.f32 %f1, %f2, %f3;",
        "add.u8 %h1, %h2, %h3;",
        "add.b32 %r1, %r2, %r3;",
        "mul.s32 %r1, %r2, %r3;",
        "mul.wide.u64 %rd1, %rd2, %rd3;",
        "mad.lo.s32 %r1, %r2, %r3;",
        "mul.lo.s32 %r1, %r2, %r3, %r4;",
        "cvta.param.u64 %rd1, %rd2;",
        "mov.b64 {%r1, %r2}, %rd1;",
        "mov.b64 %rd1, {%r1, %r2};",
        "setp.lt.s32 %p1|%p2, %r1, %r2;",
        "set.lt.u32.s32 %r1, %r2, %r3;"
      })
  void aFormWithAnotherMeaningIsNotDecoded(String text) {
    assertThat(of(text)).isEmpty();
  }

  @Test
  void eachOperationBelongsToARow() {
    Set<Operation> comparisons =
        EnumSet.of(
            Operation.EQUAL,
            Operation.NOT_EQUAL,
            Operation.LESS,
            Operation.LESS_OR_EQUAL,
            Operation.GREATER,
            Operation.GREATER_OR_EQUAL);
    Set<Operation> unused = EnumSet.complementOf(EnumSet.copyOf(comparisons));
    for (String opcode : OpcodeTable.opcodes()) {
      Computation.operation(instruction(opcode + " %r1, %r2;")).ifPresent(unused::remove);
    }

    assertThat(unused).isEmpty();
  }
}
