package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The values of one kernel; equal operations on equal operands are one node. */
public final class NodeGraph {
  /** Far more than a kernel that a person wrote has. */
  private static final int MAX_NODES = 100_000;

  /** 2^32 divided by the golden ratio, odd: Knuth, The Art of Computer Programming 3, 6.4. */
  private static final int MIX = 0x9E3779B1;

  /** What a node computes. */
  private record Key(Operator operation, int bits, long constant, List<Node> inputs) {
    // Written out like hashCode, because each operation is looked up.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key key
          && operation == key.operation
          && bits == key.bits
          && constant == key.constant
          && inputs.equals(key.inputs);
    }

    @Override
    public int hashCode() {
      // Operands follow one another in the graph, so that a small factor gives many the same sum.
      int mixed = 31 * (31 * operation.hashCode() + bits) + Long.hashCode(constant);
      for (int i = 0; i < inputs.size(); i++) {
        mixed = MIX * mixed + inputs.get(i).id;
      }
      return mixed;
    }
  }

  private final @Nullable BlockLimit block;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<Key, Node> known = new HashMap<>();

  /** The values of a kernel that is launched with blocks of any size. */
  public NodeGraph() {
    this(null);
  }

  /**
   * The values of a kernel.
   *
   * @param block the blocks that it is launched with; null for any
   */
  NodeGraph(@Nullable BlockLimit block) {
    this.block = block;
  }

  public Node node(int id) {
    return nodes.get(id);
  }

  public int size() {
    return nodes.size();
  }

  public Node constant(long value, int bits) {
    return shared(Operator.CONSTANT, bits, Machine.held(value, bits), List.of());
  }

  public Node argument(int index, int bits) {
    return shared(Operator.ARGUMENT, bits, index, List.of());
  }

  public Node base(int array) {
    return base(array, Long.SIZE);
  }

  public Node base(int array, int bits) {
    return base(array, bits, 1);
  }

  /** The address of memory that begins at a multiple of a power of two. */
  Node base(int array, int bits, int alignment) {
    return shared(Operator.BASE, bits, array, List.of(), -alignment);
  }

  public Node length(int array) {
    return shared(Operator.LENGTH, Long.SIZE, array, List.of());
  }

  public Node special(Node.Special special) {
    int place = Node.Special.ALL.indexOf(special);
    long possible = PossibleBits.upTo(most(special));
    return shared(Operator.SPECIAL, Integer.SIZE, place, List.of(), possible);
  }

  private long most(Node.Special special) {
    if (block == null || special.isBlock || special.countsBlocks) {
      return special.most();
    }
    int exact = special.dimension == 0 ? block.x() : special.dimension == 1 ? block.y() : block.z();
    int size = block.exact() ? exact : block.threads();
    return Math.min(special.most(), special.isThread ? size - 1 : size);
  }

  public Node iteration(int loop) {
    return shared(Operator.ITERATION, Long.SIZE, loop, List.of());
  }

  /** A value within the limits of its width, signed. */
  public Node unknown(int bits, int block, List<Node> inputs) {
    long most = bits >= Long.SIZE ? Long.MAX_VALUE : bits == 1 ? 1 : (1L << (bits - 1)) - 1;
    return unknown(bits, bits == 1 ? 0 : -most - 1, most, block, inputs);
  }

  /** A value within given limits. */
  public Node unknown(int bits, long least, long most, int block, List<Node> inputs) {
    long possible = least < 0 ? PossibleBits.ALL : PossibleBits.upTo(most);
    return added(
        new Node(nodes.size(), Operator.UNKNOWN, bits, least, most, block, inputs, possible));
  }

  public Node phi(int bits, int block) {
    return added(new Node(nodes.size(), Operator.PHI, bits, 0, 0, block, List.of()));
  }

  /** The value of an operation: a constant, or another operation that has the same value. */
  public Node of(Operator operation, int bits, Node... inputs) {
    Node first = inputs[0];
    boolean fixed = true;
    for (Node input : inputs) {
      fixed &= input.is(Operator.CONSTANT);
    }
    if (fixed && operation != Operator.SELECT) {
      long second = inputs.length > 1 ? inputs[1].constant : 0;
      if (!Machine.divides(operation) || second != 0) {
        return constant(Machine.apply(operation, bits, first.bits, first.constant, second), bits);
      }
    }
    boolean isExtension = operation == Operator.SIGN_EXTEND || operation == Operator.ZERO_EXTEND;
    if ((isExtension || operation == Operator.TRUNCATE) && first.bits == bits) {
      return first;
    }
    if (operation == Operator.TRUNCATE && first.isExtended()) {
      return truncated(first, bits);
    }
    if (isExtension && first.is(Operator.TRUNCATE) && isWhole(first, operation)) {
      return resized(first.input(0), bits);
    }
    if (operation == Operator.SELECT && inputs[1] == inputs[2]) {
      return inputs[1];
    }
    Node simpler = inputs.length == 2 ? simpler(operation, bits, first, inputs[1]) : null;
    return simpler == null ? shared(operation, bits, 0, List.of(inputs)) : simpler;
  }

  /** Some bits of a value in more bits: compilers keep an index in 64 bits, and count in 32. */
  private Node truncated(Node extended, int bits) {
    Node value = extended.input(0);
    return of(value.bits < bits ? extended.operation : Operator.TRUNCATE, bits, value);
  }

  /** Whether a value with fewer bits, extended again, is what it was. */
  private static boolean isWhole(Node truncated, Operator extension) {
    int numbers = extension == Operator.SIGN_EXTEND ? truncated.bits - 1 : truncated.bits;
    long possible = truncated.input(0).possible;
    return possible >= 0 && possible >> numbers == 0;
  }

  /** A value that is not negative with more or fewer bits. */
  private Node resized(Node value, int bits) {
    return of(value.bits < bits ? Operator.ZERO_EXTEND : Operator.TRUNCATE, bits, value);
  }

  private @Nullable Node simpler(Operator operation, int bits, Node a, Node b) {
    return switch (operation) {
      case AND, OR, XOR -> BitOperations.folded(this, operation, bits, a, b);
      case ADD, SUBTRACT, SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED ->
          ConstantDivision.folded(this, operation, bits, a, b);
      default -> null;
    };
  }

  private Node shared(Operator operation, int bits, long constant, List<Node> inputs) {
    long possible = PossibleBits.of(operation, bits, constant, inputs);
    return shared(operation, bits, constant, inputs, possible);
  }

  private Node shared(
      Operator operation, int bits, long constant, List<Node> inputs, long possible) {
    return known.computeIfAbsent(
        new Key(operation, bits, constant, inputs),
        key -> added(new Node(nodes.size(), operation, bits, constant, 0, -1, inputs, possible)));
  }

  private Node added(Node node) {
    if (nodes.size() >= MAX_NODES) {
      throw new TooComplexException("it computes more than " + MAX_NODES + " values");
    }
    nodes.add(node);
    return node;
  }
}
