package dev.streamfence.internal.ptx.symbolic;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A value that one thread computes, as an operation on other values. Integers of less than 64 bits
 * are held sign-extended, and predicates as 0 or 1. Identity matters: a graph has one node per
 * operation on the same operands. Inputs of a {@link Operator#PHI} follow when its block is
 * complete.
 */
public final class Node {
  public enum Operator {
    /** The number {@link #constant}. */
    CONSTANT,
    /** A number that the launch passes; {@link #constant} is its index among them. */
    ARGUMENT,
    /** How many elements the array with index {@link #constant} has, which no code computes. */
    LENGTH,
    /** The address that the launch passes for an array; {@link #constant} is the array's index. */
    BASE,
    /** A predefined register; {@link #constant} is its place among {@link Special#ALL}. */
    SPECIAL,
    /** How often the header of the loop with index {@link #constant} was entered again. */
    ITERATION,
    /** Any value from {@link #constant} to {@link #limit}: loaded, or computed in other ways. */
    UNKNOWN,
    /** The value that arrives at a block: one input per predecessor. */
    PHI,
    /** The second input if the first one holds, otherwise the third. */
    SELECT,
    ADD,
    SUBTRACT,
    MULTIPLY,
    NEGATE,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    SHIFT_RIGHT_UNSIGNED,
    DIVIDE,
    DIVIDE_UNSIGNED,
    REMAINDER,
    REMAINDER_UNSIGNED,
    AND,
    OR,
    XOR,
    NOT,
    MIN,
    MIN_UNSIGNED,
    MAX,
    MAX_UNSIGNED,
    SIGN_EXTEND,
    ZERO_EXTEND,
    TRUNCATE,
    EQUAL,
    LESS,
    LESS_OR_EQUAL,
    /** Of 64-bit operands; narrower ones are extended before they are compared. */
    LESS_UNSIGNED,
    LESS_OR_EQUAL_UNSIGNED
  }

  /** A predefined register with a meaning. The order is part of what launchers have. */
  public enum Special {
    TID_X("%tid.x"),
    TID_Y("%tid.y"),
    TID_Z("%tid.z"),
    CTAID_X("%ctaid.x"),
    CTAID_Y("%ctaid.y"),
    CTAID_Z("%ctaid.z"),
    NTID_X("%ntid.x"),
    NTID_Y("%ntid.y"),
    NTID_Z("%ntid.z"),
    NCTAID_X("%nctaid.x"),
    NCTAID_Y("%nctaid.y"),
    NCTAID_Z("%nctaid.z");

    public static final List<Special> ALL = List.of(values());

    public final String register;

    /** 0 for x to 2 for z. */
    public final int dimension;

    /** Whether it is the thread's index in its block. */
    public final boolean isThread;

    /** Whether it is the block's index in the grid. */
    public final boolean isBlock;

    /** Whether it is the number of blocks, not that of threads, where it is neither index. */
    public final boolean countsBlocks;

    Special(String register) {
      this.register = register;
      this.dimension = register.charAt(register.length() - 1) - 'x';
      this.isThread = register.startsWith("%tid");
      this.isBlock = register.startsWith("%ctaid");
      this.countsBlocks = register.startsWith("%nctaid");
    }

    /** The index of a thread in its block; 0 for x to 2 for z. */
    public static Special thread(int dimension) {
      return ALL.get(dimension);
    }

    /** The index of a block in the grid. */
    public static Special block(int dimension) {
      return ALL.get(3 + dimension);
    }

    /**
     * The greatest value on any device. Source: CUDA C++ Programming Guide, "Technical
     * Specifications per Compute Capability".
     */
    public long most() {
      int blocks = dimension == 0 ? Integer.MAX_VALUE : 65_535;
      int most = isBlock || countsBlocks ? blocks : dimension == 2 ? 64 : 1024;
      return differs() ? most - 1 : most;
    }

    /** The threads of a block. */
    public static Special blockSize(int dimension) {
      return ALL.get(6 + dimension);
    }

    /** The blocks of a grid. */
    public static Special gridSize(int dimension) {
      return ALL.get(9 + dimension);
    }

    public boolean differs() {
      return isThread || isBlock;
    }
  }

  public final int id;
  public final Operator operation;

  /** The width of the value; 1 for a predicate. */
  public final int bits;

  public final long constant;
  public final long limit;

  /** The bits that may be 1, with the sign extended like the value's own. */
  final long possible;

  /** The block in which it is computed, which matters for unknown values and phis. */
  public final int block;

  public List<Node> inputs;

  /** Whether it is the phi of a loop's header for what the loop leaves in a register. */
  public boolean isCarried;

  /** The predicate by which a phi has its first input, and otherwise its second; null if none. */
  public @Nullable Node gate;

  public Node(
      int id,
      Operator operation,
      int bits,
      long constant,
      long limit,
      int block,
      List<Node> inputs) {
    this(id, operation, bits, constant, limit, block, inputs, PossibleBits.ALL);
  }

  Node(
      int id,
      Operator operation,
      int bits,
      long constant,
      long limit,
      int block,
      List<Node> inputs,
      long possible) {
    this.id = id;
    this.operation = operation;
    this.bits = bits;
    this.constant = constant;
    this.limit = limit;
    this.block = block;
    this.inputs = inputs;
    this.possible = possible;
  }

  /**
   * Values of one graph, and all that they are computed from, each once. Without recursion: they
   * may depend on each other in a long chain.
   *
   * @param goesOn whether the inputs of a value count as well
   */
  public static List<Node> reached(Collection<Node> roots, Predicate<Node> goesOn) {
    List<Node> found = new ArrayList<>();
    BitSet seen = new BitSet();
    for (Node root : roots) {
      addNew(root, seen, found);
    }
    for (int i = 0; i < found.size(); i++) {
      Node node = found.get(i);
      if (goesOn.test(node)) {
        for (int input = 0; input < node.inputs.size(); input++) {
          addNew(node.input(input), seen, found);
        }
      }
    }
    return found;
  }

  private static void addNew(Node node, BitSet seen, List<Node> found) {
    if (!seen.get(node.id)) {
      seen.set(node.id);
      found.add(node);
    }
  }

  /** Whether it is not negative, by the bits that may be 1. */
  public boolean hasNoSign() {
    return possible >= 0;
  }

  /** The number in which all bits are 1 that may be: it is no greater, if it has no sign. */
  public long most() {
    return possible;
  }

  public Node input(int index) {
    return inputs.get(index);
  }

  public boolean is(Operator other) {
    return operation == other;
  }

  /** Whether it is another value in more bits. */
  public boolean isExtended() {
    return is(Operator.SIGN_EXTEND) || is(Operator.ZERO_EXTEND);
  }

  /** The value that it is in more bits; itself if it is none in more bits. */
  public Node unextended() {
    return isExtended() ? input(0) : this;
  }

  public boolean isConstant(long value) {
    return operation == Operator.CONSTANT && constant == value;
  }

  public Special special() {
    return Special.ALL.get((int) constant);
  }

  @Override
  public String toString() {
    return operation + "#" + id;
  }
}
