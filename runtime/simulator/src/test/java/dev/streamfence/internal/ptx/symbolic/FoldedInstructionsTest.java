package dev.streamfence.internal.ptx.symbolic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.ir.Computation;
import dev.streamfence.internal.ptx.run.arithmetic.Comparison;
import dev.streamfence.internal.ptx.run.arithmetic.IntegerArithmetic;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the bounds compute from constants is what the simulated device computes. */
@Tag("search")
class FoldedInstructionsTest {
  private static final List<Long> NUMBERS =
      List.of(
          0L,
          1L,
          2L,
          7L,
          31L,
          32L,
          63L,
          64L,
          200L,
          0x7FFFL,
          0x8000L,
          0xFFFFL,
          0x7FFF_FFFFL,
          0x8000_0000L,
          0xFFFF_FFFFL,
          Long.MAX_VALUE,
          Long.MIN_VALUE,
          -1L,
          -2L,
          0x1234_5678_9ABC_DEF0L);

  private static final class NoArguments implements ArgumentLookup {
    @Override
    public @Nullable Node value(Variable parameter, long offset, int bits) {
      return null;
    }

    @Override
    public List<Node> addresses(Variable parameter, long offset, int bytes) {
      return List.of();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "add",
        "sub",
        "mul.lo",
        "mul.hi",
        "mul.wide",
        "div",
        "rem",
        "min",
        "max",
        "neg",
        "mad.lo",
        "mad.wide",
        "and",
        "or",
        "xor",
        "not",
        "shl",
        "shr",
        "bfe",
        "setp.eq",
        "setp.ne",
        "setp.lt",
        "setp.le",
        "setp.gt",
        "setp.ge",
        "setp.lo",
        "setp.ls",
        "setp.hi",
        "setp.hs"
      })
  void aConstantIsWhatTheDeviceComputes(String opcode) {
    int compared = 0;
    for (String type : types(opcode)) {
      int operands = Computation.operation(parsed(opcode, type, List.of())).orElseThrow().arity();
      for (long a : NUMBERS) {
        for (long b : operands > 1 ? NUMBERS : List.of(0L)) {
          List<Long> values = List.of(a, b, 5L).subList(0, operands);
          Instruction instruction = parsed(opcode, type, values);
          OptionalLong folded = folded(instruction);
          if (folded.isPresent()) {
            compared++;
            assertThat(folded.getAsLong())
                .as("%s.%s of %s", opcode, type, values)
                .isEqualTo(computed(instruction, values));
          }
        }
      }
    }
    assertThat(compared).isGreaterThan(30);
  }

  private static List<String> types(String opcode) {
    List<String> found = new ArrayList<>();
    for (String type : List.of("u16", "s16", "u32", "s32", "u64", "s64", "b16", "b32", "b64")) {
      if (Computation.of(parsed(opcode, type, List.of(1L, 1L, 1L).subList(0, arity(opcode, type))))
          .isPresent()) {
        found.add(type);
      }
    }
    assertThat(found).isNotEmpty();
    return found;
  }

  private static int arity(String opcode, String type) {
    return Computation.operation(parsed(opcode, type, List.of())).orElseThrow().arity();
  }

  private static Instruction parsed(String opcode, String type, List<Long> values) {
    int bits = Integer.parseInt(type.substring(1)) * (opcode.endsWith(".wide") ? 2 : 1);
    String result = opcode.startsWith("setp") ? "pred" : "b" + Math.min(64, bits);
    StringBuilder text = new StringBuilder();
    values.forEach(value -> text.append(", ").append(value));
    return PtxModule.parse(
            """
                .version 8.0
                .target sm_80
                .address_size 64
                .func f() {
                  .reg .%s %%d;
                  %s.%s %%d%s;
                  ret;
                }
                """
                .formatted(result, opcode, type, text))
        .functions()
        .get(0)
        .instructions()
        .get(0);
  }

  /** The constant that the bounds find, zero-extended; empty if they find none. */
  private static OptionalLong folded(Instruction instruction) {
    InstructionValues values = new InstructionValues(new NodeGraph(), new NoArguments());
    ScalarType result = ((Operand.RegisterUse) instruction.operands().get(0)).register().type();
    Computation computation = Computation.of(instruction).orElse(null);
    Node node = values.value(instruction, computation, result.bits, 0, new Node[1]);
    return node != null && node.is(Node.Operator.CONSTANT)
        ? OptionalLong.of(node.constant & result.mask())
        : OptionalLong.empty();
  }

  private static long computed(Instruction instruction, List<Long> values) {
    Computation computation = Computation.of(instruction).orElseThrow();
    Comparison comparison = Comparison.of(computation.operation(), computation.type());
    // A register of 32 bits holds no more of a literal.
    long[] held = new long[3];
    for (int i = 0; i < values.size(); i++) {
      held[i] = values.get(i) & computation.sources().get(i).mask();
    }
    if (comparison != null) {
      return comparison.test(held[0], held[1]) ? 1 : 0;
    }
    return switch (values.size()) {
      case 1 -> IntegerArithmetic.unary(computation).orElseThrow().applyAsLong(held[0]);
      case 2 -> IntegerArithmetic.binary(computation).orElseThrow().applyAsLong(held[0], held[1]);
      default ->
          IntegerArithmetic.ternary(computation)
              .orElseThrow()
              .applyAsLong(held[0], held[1], held[2]);
    };
  }
}
