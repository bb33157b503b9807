package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.Computation;
import dev.streamfence.internal.ptx.ir.Operation;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values of single instructions: integer arithmetic, conversions, comparisons, and loads of
 * parameters. What it does not know is any value. Stateless but for the graph that it adds to.
 */
final class InstructionValues {
  private final NodeGraph nodes;
  private final ArgumentLookup arguments;

  InstructionValues(NodeGraph nodes, ArgumentLookup arguments) {
    this.nodes = nodes;
    this.arguments = arguments;
  }

  /**
   * The value of an instruction with one result; null if it is any value.
   *
   * @param computation what it computes; null if it has no formula
   * @param bits the width of the register that receives it
   */
  @Nullable Node value(
      Instruction instruction,
      @Nullable Computation computation,
      int bits,
      int block,
      @Nullable Node[] state) {
    if (computation == null) {
      return instruction.opcode().equals("ld") ? parameter(instruction, bits) : null;
    }
    List<Node> sources = new ArrayList<>(computation.sources().size());
    for (int i = 0; i < computation.sources().size(); i++) {
      Operand operand = instruction.operands().get(i + 1);
      Node source = source(operand, computation.sources().get(i), block, state);
      if (source == null) {
        return null;
      }
      sources.add(source);
    }
    Node result = result(computation, sources, block);
    return result != null && result.bits == bits ? result : null;
  }

  /** A number or an address that the launch passes. */
  private @Nullable Node parameter(Instruction instruction, int bits) {
    ScalarType type = instruction.type();
    if (!instruction.spaces().contains(StateSpace.PARAM)
        || type == null
        || type.isFloat()
        || type.bits > bits
        || instruction.operands().size() < 2
        || !(instruction.operands().get(1) instanceof Operand.Memory memory)
        || !(memory.base() instanceof Operand.VariableAddress address)) {
      return null;
    }
    Node value = arguments.value(address.variable(), address.offset() + memory.offset(), type.bits);
    return value == null
        ? null
        : nodes.of(type.isSigned() ? Operator.SIGN_EXTEND : Operator.ZERO_EXTEND, bits, value);
  }

  /** An operand as a value of a type; null if it is none that is known. */
  private @Nullable Node source(
      Operand operand, ScalarType type, int block, @Nullable Node[] state) {
    int bits = type.bits;
    if (operand instanceof Operand.RegisterUse use && use.register().vectorLength() == 1) {
      Node value = state[use.register().index()];
      if (value == null) {
        value = nodes.unknown(use.register().type().bits, block, List.of());
      }
      return sized(use.negated() ? nodes.of(Operator.NOT, 1, value) : value, bits);
    }
    if (operand instanceof Operand.IntegerLiteral literal) {
      boolean isTrue = bits == 1 && literal.value() != 0;
      return nodes.constant(isTrue ? 1 : literal.value(), bits);
    }
    if (operand instanceof Operand.SpecialRegister special) {
      for (Node.Special known : Node.Special.ALL) {
        if (known.register.equals(special.name())) {
          return sized(nodes.special(known), bits);
        }
      }
      return special.name().equals("%laneid")
          ? sized(lane(block), bits)
          : nodes.unknown(bits, block, List.of());
    }
    return operand instanceof Operand.VariableAddress address
        ? arguments.address(address.variable(), address.offset(), bits)
        : null;
  }

  /** A warp has consecutive threads of its block, the first one those from 0 on. */
  private Node lane(int block) {
    Node number = arguments.number();
    return number == null
        ? nodes.unknown(Integer.SIZE, 0, 31, block, List.of())
        : nodes.of(Operator.AND, Integer.SIZE, number, nodes.constant(31, Integer.SIZE));
  }

  /** A value of this width: of a wider register, its low bits; of a number, this number. */
  private @Nullable Node sized(Node value, int bits) {
    if (value.is(Operator.CONSTANT)) {
      return nodes.constant(value.constant, bits);
    }
    if (value.bits > bits && bits > 1) {
      return nodes.of(Operator.TRUNCATE, bits, value);
    }
    return value.bits == bits ? value : null;
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
      if (base != null && base.bits >= Integer.SIZE) {
        return nodes.of(Operator.ADD, base.bits, base, nodes.constant(memory.offset(), base.bits));
      }
      return nodes.unknown(Long.SIZE, block, base == null ? List.of() : List.of(base));
    }
    return nodes.unknown(Long.SIZE, block, List.of());
  }

  /** What a store of so many bits stores of an operand; null if it is any value. */
  @Nullable Node stored(Operand operand, int bits, @Nullable Node[] state) {
    if (operand instanceof Operand.IntegerLiteral literal) {
      return nodes.constant(literal.value(), bits);
    }
    if (operand instanceof Operand.RegisterUse use && use.register().vectorLength() == 1) {
      Node value = state[use.register().index()];
      return value == null ? null : sized(value, bits);
    }
    return null;
  }

  private @Nullable Node result(Computation computation, List<Node> from, int block) {
    Node value = value(computation, from, block);
    if (value == null || computation.then() == null) {
      return value;
    }
    Operator combination = operator(computation.then(), false);
    return combination == null ? null : nodes.of(combination, 1, value, from.get(2));
  }

  /** What the operation gives; null if it is any number. */
  private @Nullable Node value(Computation computation, List<Node> from, int block) {
    ScalarType type = computation.type();
    Node a = from.get(0);
    Operator operator = operator(computation.operation(), type.isSigned());
    if (operator != null) {
      return from.size() == 1
          ? nodes.of(operator, type.bits, a)
          : nodes.of(operator, type.bits, a, from.get(1));
    }
    return switch (computation.operation()) {
      case MOVE, ADDRESS -> a;
      case MULTIPLY -> product(computation, a, from.get(1));
      case MULTIPLY_ADD -> {
        Node product = product(computation, a, from.get(1));
        yield nodes.of(Operator.ADD, product.bits, product, from.get(2));
      }
      case MULTIPLY_HIGH -> high(type, a, from.get(1));
      case CONVERT -> converted(type, computation.result(), a);
      case SELECT -> nodes.of(Operator.SELECT, a.bits, from.get(2), a, from.get(1));
      case FIELD -> field(type, a, from.get(1), from.get(2));
      case EQUAL -> equal(a, from.get(1));
      case NOT_EQUAL -> nodes.of(Operator.NOT, 1, equal(a, from.get(1)));
      case LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL ->
          ordered(computation.operation(), type, a, from.get(1));
      case COMPARE -> nodes.unknown(1, block, List.of());
      default -> null;
    };
  }

  /** The low half of a product, or the whole of it. */
  private Node product(Computation computation, Node a, Node b) {
    int bits = computation.result().bits;
    Operator extend = computation.type().isSigned() ? Operator.SIGN_EXTEND : Operator.ZERO_EXTEND;
    return nodes.of(Operator.MULTIPLY, bits, nodes.of(extend, bits, a), nodes.of(extend, bits, b));
  }

  /** The high half of a product with a constant; of other numbers, few look like an index. */
  private @Nullable Node high(ScalarType type, Node a, Node b) {
    int wide = 2 * type.bits;
    if (wide > Long.SIZE || !b.is(Operator.CONSTANT)) {
      return null;
    }
    Operator extend = type.isSigned() ? Operator.SIGN_EXTEND : Operator.ZERO_EXTEND;
    Operator shift = type.isSigned() ? Operator.SHIFT_RIGHT : Operator.SHIFT_RIGHT_UNSIGNED;
    Node product =
        nodes.of(Operator.MULTIPLY, wide, nodes.of(extend, wide, a), nodes.of(extend, wide, b));
    Node half = nodes.of(shift, wide, product, nodes.constant(type.bits, Integer.SIZE));
    return nodes.of(Operator.TRUNCATE, type.bits, half);
  }

  /** The operation of the device on one or two operands of the result's width, if it is one. */
  private static @Nullable Operator operator(Operation operation, boolean isSigned) {
    return switch (operation) {
      case ADD -> Operator.ADD;
      case SUBTRACT -> Operator.SUBTRACT;
      case NEGATE -> Operator.NEGATE;
      case NOT -> Operator.NOT;
      case AND -> Operator.AND;
      case OR -> Operator.OR;
      case XOR -> Operator.XOR;
      case SHIFT_LEFT -> Operator.SHIFT_LEFT;
      case SHIFT_RIGHT -> isSigned ? Operator.SHIFT_RIGHT : Operator.SHIFT_RIGHT_UNSIGNED;
      case DIVIDE -> isSigned ? Operator.DIVIDE : Operator.DIVIDE_UNSIGNED;
      case REMAINDER -> isSigned ? Operator.REMAINDER : Operator.REMAINDER_UNSIGNED;
      case MIN -> isSigned ? Operator.MIN : Operator.MIN_UNSIGNED;
      case MAX -> isSigned ? Operator.MAX : Operator.MAX_UNSIGNED;
      default -> null;
    };
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

  private Node converted(ScalarType from, ScalarType to, Node value) {
    return to.bits < from.bits
        ? nodes.of(Operator.TRUNCATE, to.bits, value)
        : nodes.of(from.isSigned() ? Operator.SIGN_EXTEND : Operator.ZERO_EXTEND, to.bits, value);
  }

  /** Equal bits are equal numbers in either reading, and Java's numbers are signed. */
  private Node equal(Node a, Node b) {
    return nodes.of(
        Operator.EQUAL,
        1,
        nodes.of(Operator.SIGN_EXTEND, Long.SIZE, a),
        nodes.of(Operator.SIGN_EXTEND, Long.SIZE, b));
  }

  /** Compares two integers as 64-bit numbers. */
  private @Nullable Node ordered(Operation operation, ScalarType type, Node first, Node second) {
    Operator extend = type.isSigned() ? Operator.SIGN_EXTEND : Operator.ZERO_EXTEND;
    Node a = nodes.of(extend, Long.SIZE, first);
    Node b = nodes.of(extend, Long.SIZE, second);
    boolean isSigned = type.isSigned() || type.bits < Long.SIZE;
    Operator less = isSigned ? Operator.LESS : Operator.LESS_UNSIGNED;
    Operator notMore = isSigned ? Operator.LESS_OR_EQUAL : Operator.LESS_OR_EQUAL_UNSIGNED;
    return switch (operation) {
      case LESS -> nodes.of(less, 1, a, b);
      case LESS_OR_EQUAL -> nodes.of(notMore, 1, a, b);
      case GREATER -> nodes.of(less, 1, b, a);
      case GREATER_OR_EQUAL -> nodes.of(notMore, 1, b, a);
      default -> null;
    };
  }
}
