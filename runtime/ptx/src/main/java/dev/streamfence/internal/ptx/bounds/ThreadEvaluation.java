package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.bounds.Node.Operator;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The values of a kernel in one thread of a block: exactly, where the thread's place and the
 * block's shape decide them, and nothing otherwise. Addresses of variables count as 0, so that an
 * address is the offset in its variable. Confined to one thread.
 */
final class ThreadEvaluation {
  /** Longer chains of operations count as unknown. */
  private static final int MAX_DEPTH = 200;

  private final BlockLimit block;
  private final Dependences dependences;
  private final int x;
  private final int y;
  private final int z;
  private final long[] values;
  private final BitSet computed = new BitSet();
  private final BitSet known = new BitSet();

  /**
   * Creates the values of a thread.
   *
   * @param dependences which values are computed from addresses
   * @param x the thread's number in x
   */
  ThreadEvaluation(
      NodeGraph nodes, Dependences dependences, BlockLimit block, int x, int y, int z) {
    this.block = block;
    this.dependences = dependences;
    this.x = x;
    this.y = y;
    this.z = z;
    this.values = new long[nodes.size()];
  }

  int x() {
    return x;
  }

  int y() {
    return y;
  }

  int z() {
    return z;
  }

  /** How many values were looked at. */
  int size() {
    return computed.cardinality();
  }

  /** Whether a predicate holds; empty if that is unknown. Without a predicate it does. */
  Optional<Boolean> holds(@Nullable Node predicate) {
    if (predicate == null) {
      return Optional.of(true);
    }
    OptionalLong value = value(predicate);
    return value.isPresent() ? Optional.of(value.getAsLong() != 0) : Optional.empty();
  }

  /** A value, as its register holds it with its sign; empty if it is unknown. */
  OptionalLong value(Node node) {
    return isKnown(node, 0) ? OptionalLong.of(values[node.id]) : OptionalLong.empty();
  }

  private boolean isKnown(Node node, int depth) {
    if (!computed.get(node.id)) {
      computed.set(node.id);
      known.set(node.id, depth < MAX_DEPTH && compute(node, depth + 1));
    }
    return known.get(node.id);
  }

  /** Computes a value from others; returns whether it is known. */
  private boolean compute(Node node, int depth) {
    return switch (node.operation) {
      case CONSTANT -> set(node, node.constant);
      case BASE -> set(node, 0);
      case SPECIAL -> special(node, node.special());
      case SELECT ->
          isKnown(node.input(0), depth)
              && copy(node, node.input(values[node.input(0).id] != 0 ? 1 : 2), depth);
      case PHI -> {
        Node gate = node.gate;
        yield gate != null
            && isKnown(gate, depth)
            && copy(node, node.input(values[gate.id] != 0 ? 0 : 1), depth);
      }
      case UNKNOWN, ARGUMENT, ITERATION -> false;
      default -> operate(node, depth);
    };
  }

  private boolean operate(Node node, int depth) {
    Node left = node.input(0);
    Node right = node.inputs.size() > 1 ? node.input(1) : null;
    if (!isKnown(left, depth) || (right != null && !isKnown(right, depth))) {
      return false;
    }
    boolean leftAddress = dependences.dependsOnAny(left);
    boolean rightAddress = right != null && dependences.dependsOnAny(right);
    long second = right == null ? 0 : values[right.id];
    boolean isOffset =
        switch (node.operation) {
          case ADD -> !leftAddress || !rightAddress;
          case SUBTRACT -> !rightAddress;
          case TRUNCATE -> !leftAddress || node.bits >= Integer.SIZE;
          // An address that is widened stays the address.
          case SIGN_EXTEND, ZERO_EXTEND -> !leftAddress;
          default -> !leftAddress && !rightAddress;
        };
    if (!isOffset) {
      boolean widens = node.is(Operator.SIGN_EXTEND) || node.is(Operator.ZERO_EXTEND);
      return widens && left.bits >= Integer.SIZE && set(node, values[left.id]);
    }
    boolean divides = Machine.divides(node.operation);
    if (divides && Machine.unsigned(second, node.bits) == 0) {
      return false;
    }
    return set(node, Machine.apply(node.operation, node.bits, left.bits, values[left.id], second));
  }

  private boolean special(Node node, Node.Special special) {
    if (special.isBlock || special.countsBlocks) {
      return false;
    }
    return set(
        node,
        switch (special.dimension) {
          case 0 -> special.isThread ? x : block.x();
          case 1 -> special.isThread ? y : block.y();
          default -> special.isThread ? z : block.z();
        });
  }

  private boolean copy(Node node, Node from, int depth) {
    return isKnown(from, depth) && set(node, values[from.id]);
  }

  private boolean set(Node node, long value) {
    values[node.id] = value;
    return true;
  }
}
