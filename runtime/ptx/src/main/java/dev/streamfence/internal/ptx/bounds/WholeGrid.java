package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.symbolic.Interval;
import dev.streamfence.internal.ptx.symbolic.Node;
import java.util.Arrays;
import java.util.List;

/**
 * How far the threads of a grid reach at most, whatever the arguments of the launch are: for
 * accesses whose offset is a sum of products of the thread's indexes, the sizes of the grid and its
 * blocks, and constants, none of which is negative or overflows. Such an offset grows with each of
 * them, so the last thread reaches farthest, and no thread of a grid that is smaller in some
 * dimension reaches farther. Allocates nothing after its construction. Confined to one thread at a
 * time.
 */
final class WholeGrid {
  /** An offset that depends on something else. */
  private static final long UNKNOWN = -1;

  private static final long NOT_COMPUTED = -2;

  /** The result of a longer chain of operations is unknown: a launch may have little stack left. */
  private static final int MAX_DEPTH = 100;

  private final long[] values;

  WholeGrid(WitnessPlan plan) {
    values = new long[plan.nodes()];
  }

  /** The end of what the threads reach by some accesses; {@link Long#MAX_VALUE} if unknown. */
  long end(List<WitnessPlan.Followed> accesses, LaunchNumbers launch) {
    Arrays.fill(values, NOT_COMPUTED);
    long end = 0;
    for (int i = 0; i < accesses.size(); i++) {
      WitnessPlan.Followed access = accesses.get(i);
      long last = value(access.address(), launch, 0);
      if (last == UNKNOWN) {
        return Long.MAX_VALUE;
      }
      end = Math.max(end, last + access.width());
    }
    return end;
  }

  private long value(Node node, LaunchNumbers launch, int depth) {
    if (values[node.id] == NOT_COMPUTED) {
      long value = depth > MAX_DEPTH ? UNKNOWN : computed(node, launch, depth + 1);
      // In the bits below the sign, so that nothing overflows or becomes negative.
      boolean fits = value >> Math.min(node.bits - 1, Long.SIZE - 2) == 0;
      values[node.id] = fits ? value : UNKNOWN;
    }
    return values[node.id];
  }

  private long computed(Node node, LaunchNumbers launch, int depth) {
    return switch (node.operation) {
      case CONSTANT -> node.constant;
      case BASE -> 0;
      case SPECIAL -> special(node.special(), launch);
      case SIGN_EXTEND, ZERO_EXTEND, TRUNCATE -> value(node.input(0), launch, depth);
      case ADD, MULTIPLY, SHIFT_LEFT -> {
        long a = value(node.input(0), launch, depth);
        long b = value(node.input(1), launch, depth);
        yield a < 0 || b < 0 ? UNKNOWN : combined(node, a, b);
      }
      default -> UNKNOWN;
    };
  }

  private static long combined(Node node, long a, long b) {
    return switch (node.operation) {
      case ADD -> Interval.addHigh(a, b);
      case MULTIPLY -> Interval.multiply(a, b);
      default -> b < node.bits - 1 ? Interval.multiply(a, 1L << b) : UNKNOWN;
    };
  }

  private static long special(Node.Special special, LaunchNumbers launch) {
    if (special.isThread) {
      return launch.block(special.dimension) - 1L;
    }
    if (special.isBlock) {
      return launch.grid(special.dimension) - 1L;
    }
    return special.countsBlocks ? launch.grid(special.dimension) : launch.block(special.dimension);
  }
}
