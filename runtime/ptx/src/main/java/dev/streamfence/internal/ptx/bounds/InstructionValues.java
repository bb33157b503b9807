// Long because it names each kind of instruction whose result is a known function of its operands.
package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.bounds.Node.Operator;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.Register;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The values of single instructions: integer arithmetic, conversions, comparisons, and loads of
 * parameters. What it does not know is any value. Stateless but for the graph that it adds to.
 */
final class InstructionValues {
  /** Modifiers that change nothing about the result of an integer operation. */
  private static final Set<String> PLAIN = Set.of("lo", "wide", "uni", "to", "global", "shared");

  private final NodeGraph nodes;
  private final ArgumentLookup arguments;

  InstructionValues(NodeGraph nodes, ArgumentLookup arguments) {
    this.nodes = nodes;
    this.arguments = arguments;
  }

  /** The registers that an instruction may assign. */
  static List<Register> assigned(FunctionFlow flow, int index) {
    List<Operand> operands = flow.instruction(index).operands();
    List<Register> assigned = new ArrayList<>();
    for (int i = 0; i < operands.size(); i++) {
      if (flow.rule(index).mayAssign(i)) {
        assigned.addAll(operands.get(i).registers());
      }
    }
    return assigned;
  }

  /** The value of an instruction with one result; null if it is any value. */
  @Nullable Node value(
      Instruction instruction,
      Opcode rule,
      Register destination,
      int block,
      @Nullable Node[] state) {
    if (instruction.opcode().equals("ld")) {
      return parameter(instruction, destination);
    }
    if (rule.effect() != Opcode.Effect.COMPUTES
        || !(instruction.operands().get(0) instanceof Operand.RegisterUse)) {
      return null;
    }
    List<Node> sources = new ArrayList<>();
    for (int i = 1; i < instruction.operands().size(); i++) {
      Node source = source(instruction, i, destination, block, state);
      if (source == null) {
        return null;
      }
      sources.add(source);
    }
    Node result =
        destination.type() == ScalarType.PRED
            ? predicate(instruction, sources, block)
            : number(instruction, sources);
    return result != null && result.bits == bits(destination) ? result : null;
  }

  static int bits(Register register) {
    return register.type() == ScalarType.PRED ? 1 : register.type().bits;
  }

  /** A number or an address that the launch passes. */
  private @Nullable Node parameter(Instruction instruction, Register destination) {
    ScalarType type = instruction.type();
    if (!instruction.spaces().contains(StateSpace.PARAM)
        || type == null
        || type.isFloat()
        || type.bits > bits(destination)
        || instruction.operands().size() < 2
        || !(instruction.operands().get(1) instanceof Operand.Memory memory)
        || !(memory.base() instanceof Operand.VariableAddress address)) {
      return null;
    }
    Node value = arguments.value(address.variable(), address.offset() + memory.offset(), type.bits);
    return value == null
        ? null
        : nodes.of(
            type.isSigned() ? Operator.SIGN_EXTEND : Operator.ZERO_EXTEND,
            bits(destination),
            value);
  }

  private @Nullable Node source(
      Instruction instruction, int index, Register destination, int block, @Nullable Node[] state) {
    Operand operand = instruction.operands().get(index);
    if (operand instanceof Operand.RegisterUse use && use.register().vectorLength() == 1) {
      Node value = state[use.register().index()];
      if (value == null) {
        value = nodes.unknown(bits(use.register()), block, List.of());
      }
      return use.negated() ? nodes.of(Operator.NOT, 1, value) : value;
    }
    if (operand instanceof Operand.IntegerLiteral literal) {
      ScalarType type = instruction.type();
      boolean isPredicate = destination.type() == ScalarType.PRED && type == ScalarType.PRED;
      int bits = type == null || !type.isInteger() ? Long.SIZE : type.bits;
      return nodes.constant(
          isPredicate && literal.value() != 0 ? 1 : literal.value(), isPredicate ? 1 : bits);
    }
    if (operand instanceof Operand.SpecialRegister special) {
      for (Node.Special known : Node.Special.ALL) {
        if (known.register.equals(special.name())) {
          return nodes.special(known);
        }
      }
      return special.name().equals("%laneid")
          ? nodes.unknown(Integer.SIZE, 0, 31, block, List.of())
          : nodes.unknown(bits(destination), block, List.of());
    }
    return operand instanceof Operand.VariableAddress address
        ? arguments.address(address.variable(), address.offset(), bits(destination))
        : null;
  }

  /** The address of an access; any value if it is not a sum of known values. */
  Node address(Operand.Memory memory, int block, @Nullable Node[] state) {
    if (memory.base() instanceof Operand.VariableAddress direct) {
      Node known =
          arguments.address(direct.variable(), direct.offset() + memory.offset(), Integer.SIZE);
      return known == null ? nodes.unknown(Long.SIZE, block, List.of()) : known;
    }
    if (memory.base() instanceof Operand.RegisterUse use && use.register().vectorLength() == 1) {
      Node base = state[use.register().index()];
      if (base != null && arguments.mayBeAddress(base)) {
        return nodes.of(Operator.ADD, base.bits, base, nodes.constant(memory.offset(), base.bits));
      }
      return nodes.unknown(Long.SIZE, block, base == null ? List.of() : List.of(base));
    }
    return nodes.unknown(Long.SIZE, block, List.of());
  }

  private @Nullable Node number(Instruction instruction, List<Node> from) {
    List<String> modifiers = instruction.modifiers();
    String opcode = instruction.opcode();
    ScalarType type = instruction.type();
    if (type == null || (!type.isInteger() && !opcode.equals("mov") && !opcode.equals("selp"))) {
      return null;
    }
    if (opcode.equals("cvt")) {
      return from.isEmpty() ? null : converted(modifiers, from.get(0));
    }
    for (String modifier : modifiers) {
      if (!PLAIN.contains(modifier) && ScalarType.named(modifier).isEmpty()) {
        return null;
      }
    }
    int bits = type.bits;
    boolean signed = type.isSigned();
    Node a = sized(from, 0, bits);
    Node b = sized(from, 1, opcode.startsWith("sh") ? Integer.SIZE : bits);
    if (a == null) {
      return null;
    }
    return switch (opcode + "/" + from.size()) {
      case "mov/1", "cvta/1" -> a;
      case "add/2" -> binary(Operator.ADD, bits, a, b);
      case "sub/2" -> binary(Operator.SUBTRACT, bits, a, b);
      case "mul/2" -> b == null ? null : product(modifiers, type, a, b);
      case "mad/3" -> {
        Node product = b == null ? null : product(modifiers, type, a, b);
        Node c = product == null ? null : sized(from, 2, product.bits);
        yield c == null || product == null
            ? null
            : nodes.of(Operator.ADD, product.bits, product, c);
      }
      case "neg/1" -> nodes.of(Operator.NEGATE, bits, a);
      case "not/1" -> nodes.of(Operator.NOT, bits, a);
      case "and/2" -> binary(Operator.AND, bits, a, b);
      case "or/2" -> binary(Operator.OR, bits, a, b);
      case "xor/2" -> binary(Operator.XOR, bits, a, b);
      case "shl/2" -> binary(Operator.SHIFT_LEFT, bits, a, b);
      case "shr/2" ->
          binary(signed ? Operator.SHIFT_RIGHT : Operator.SHIFT_RIGHT_UNSIGNED, bits, a, b);
      case "div/2" -> binary(signed ? Operator.DIVIDE : Operator.DIVIDE_UNSIGNED, bits, a, b);
      case "rem/2" -> binary(signed ? Operator.REMAINDER : Operator.REMAINDER_UNSIGNED, bits, a, b);
      case "min/2" -> binary(signed ? Operator.MIN : Operator.MIN_UNSIGNED, bits, a, b);
      case "max/2" -> binary(signed ? Operator.MAX : Operator.MAX_UNSIGNED, bits, a, b);
      case "selp/3" ->
          b == null || from.get(2).bits != 1
              ? null
              : nodes.of(Operator.SELECT, bits, from.get(2), a, b);
      case "bfe/3" -> field(type, a, from.get(1), from.get(2));
      default -> null;
    };
  }

  private @Nullable Node binary(Operator operation, int bits, Node a, @Nullable Node b) {
    return b == null ? null : nodes.of(operation, bits, a, b);
  }

  /** A source of this width; a literal is cut to it. */
  private @Nullable Node sized(List<Node> from, int index, int bits) {
    if (index >= from.size()) {
      return null;
    }
    Node value = from.get(index);
    if (value.bits == bits) {
      return value;
    }
    return value.is(Operator.CONSTANT) ? nodes.constant(value.constant, bits) : null;
  }

  private @Nullable Node product(List<String> modifiers, ScalarType type, Node a, Node b) {
    if (modifiers.contains("wide")) {
      Operator extend = type.isSigned() ? Operator.SIGN_EXTEND : Operator.ZERO_EXTEND;
      int bits = type.bits * 2;
      return bits > Long.SIZE
          ? null
          : nodes.of(Operator.MULTIPLY, bits, nodes.of(extend, bits, a), nodes.of(extend, bits, b));
    }
    return modifiers.contains("lo") || type.bits < Integer.SIZE
        ? nodes.of(Operator.MULTIPLY, type.bits, a, b)
        : null;
  }

  /** An unsigned field of bits at a fixed place. */
  private @Nullable Node field(ScalarType type, Node value, Node position, Node length) {
    boolean fixed = position.is(Operator.CONSTANT) && length.is(Operator.CONSTANT);
    if (!fixed
        || type.isSigned()
        || position.constant < 0
        || position.constant >= type.bits
        || length.constant < 1
        || length.constant >= type.bits) {
      return null;
    }
    Node shifted =
        nodes.of(
            Operator.SHIFT_RIGHT_UNSIGNED,
            type.bits,
            value,
            nodes.constant(position.constant, Integer.SIZE));
    return nodes.of(
        Operator.AND, type.bits, shifted, nodes.constant((1L << length.constant) - 1, type.bits));
  }

  private @Nullable Node converted(List<String> modifiers, Node value) {
    if (modifiers.size() != 2) {
      return null;
    }
    ScalarType to = ScalarType.named(modifiers.get(0)).orElse(null);
    ScalarType from = ScalarType.named(modifiers.get(1)).orElse(null);
    if (to == null || from == null || !to.isInteger() || !from.isInteger()) {
      return null;
    }
    Node cut = value;
    if (value.bits > from.bits) {
      cut = nodes.of(Operator.TRUNCATE, from.bits, value);
    } else if (value.bits < from.bits) {
      return null;
    }
    if (to.bits < from.bits) {
      return nodes.of(Operator.TRUNCATE, to.bits, cut);
    }
    return nodes.of(from.isSigned() ? Operator.SIGN_EXTEND : Operator.ZERO_EXTEND, to.bits, cut);
  }

  private @Nullable Node predicate(Instruction instruction, List<Node> from, int block) {
    for (Node source : from) {
      if (source.bits == 1 && from.size() == 1) {
        return switch (instruction.opcode()) {
          case "mov" -> source;
          case "not" -> nodes.of(Operator.NOT, 1, source);
          default -> null;
        };
      }
    }
    if (from.size() == 2 && from.get(0).bits == 1 && from.get(1).bits == 1) {
      return switch (instruction.opcode()) {
        case "and" -> nodes.of(Operator.AND, 1, from.get(0), from.get(1));
        case "or" -> nodes.of(Operator.OR, 1, from.get(0), from.get(1));
        case "xor" -> nodes.of(Operator.XOR, 1, from.get(0), from.get(1));
        default -> null;
      };
    }
    if (!instruction.opcode().equals("setp") || from.size() < 2 || from.size() > 3) {
      return null;
    }
    Node comparison = comparison(instruction, from.get(0), from.get(1));
    if (comparison == null) {
      comparison = nodes.unknown(1, block, List.of());
    }
    if (from.size() == 2) {
      return comparison;
    }
    Node with = from.get(2);
    if (with.bits != 1 || instruction.modifiers().size() < 2) {
      return null;
    }
    return switch (instruction.modifiers().get(1)) {
      case "and" -> nodes.of(Operator.AND, 1, comparison, with);
      case "or" -> nodes.of(Operator.OR, 1, comparison, with);
      case "xor" -> nodes.of(Operator.XOR, 1, comparison, with);
      default -> null;
    };
  }

  /** Compares two integers as 64-bit numbers. */
  private @Nullable Node comparison(Instruction instruction, Node first, Node second) {
    ScalarType type = instruction.type();
    if (type == null || !type.isInteger()) {
      return null;
    }
    List<Node> both = List.of(first, second);
    Node a = sized(both, 0, type.bits);
    Node b = sized(both, 1, type.bits);
    if (a == null || b == null) {
      return null;
    }
    String relation = instruction.modifiers().get(0);
    boolean unsigned = Set.of("lo", "ls", "hi", "hs").contains(relation) || !type.isSigned();
    Operator extend = unsigned ? Operator.ZERO_EXTEND : Operator.SIGN_EXTEND;
    if (relation.equals("eq") || relation.equals("ne")) {
      // Equal bits are equal numbers in either reading, and Java's numbers are signed.
      extend = Operator.SIGN_EXTEND;
    }
    a = nodes.of(extend, Long.SIZE, a);
    b = nodes.of(extend, Long.SIZE, b);
    boolean wide = unsigned && type.bits == Long.SIZE;
    Operator less = wide ? Operator.LESS_UNSIGNED : Operator.LESS;
    Operator notMore = wide ? Operator.LESS_OR_EQUAL_UNSIGNED : Operator.LESS_OR_EQUAL;
    return switch (relation) {
      case "eq" -> nodes.of(Operator.EQUAL, 1, a, b);
      case "ne" -> nodes.of(Operator.NOT, 1, nodes.of(Operator.EQUAL, 1, a, b));
      case "lt", "lo" -> nodes.of(less, 1, a, b);
      case "le", "ls" -> nodes.of(notMore, 1, a, b);
      case "gt", "hi" -> nodes.of(less, 1, b, a);
      case "ge", "hs" -> nodes.of(notMore, 1, b, a);
      default -> null;
    };
  }
}
