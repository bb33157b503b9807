// Long because the thread that is chosen, its values and the loops that it runs depend on each
// other.
package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.bounds.CertainAccess.Way;
import dev.streamfence.internal.ptx.bounds.Node.Operator;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Follows one thread of a launch to an access, with the arithmetic of the device. A thread that
 * gets there touches exactly the bytes that are computed, so the choice of the thread can make a
 * bound weaker, and never wrong: an under-approximation, which reports only what happens (O'Hearn,
 * "Incorrectness Logic", 2020), by concrete execution of one witness. Allocates nothing after its
 * construction. Confined to one thread at a time.
 */
final class Witness {
  /** How the thread is chosen. */
  enum Choice {
    /** The one that comes farthest: from the ends of the loops, then from the guards. */
    LAST_OF_LOOPS,
    /** The same, from the guards alone. */
    LAST_OF_GUARDS,
    /** The first thread of the first block. */
    FIRST
  }

  private static final int DIMENSIONS = 3;

  /** The iteration of a loop that was not chosen: the one in which the loop ends. */
  private static final long AT_END = -1;

  /**
   * How many values depend on each other one after another, through the ends of loops as well: the
   * launch path has little of a thread's stack left.
   */
  private static final int MAX_DEPTH = 500;

  private final WitnessPlan plan;
  private final long[] values;
  private final long[] stamps;
  private final long[] iterations;
  private final int[] blocks = new int[DIMENSIONS];
  private final int[] threads = new int[DIMENSIONS];
  private @Nullable LaunchNumbers launch;
  private long now;
  private boolean failed;

  /** The values that are being computed. */
  private int depth;

  /** The first byte that the thread touches, after {@link #reaches}. */
  private long offset;

  Witness(WitnessPlan plan) {
    this.plan = plan;
    this.values = new long[plan.nodes()];
    this.stamps = new long[plan.nodes()];
    this.iterations = new long[plan.loops()];
  }

  long offset() {
    return offset;
  }

  /**
   * Whether a thread of the launch certainly makes an access; its place is {@link #offset}.
   *
   * @param last whether to look at the last iterations of the loops around it, or at the first ones
   */
  boolean reaches(
      WitnessPlan.Followed followed, LaunchNumbers numbers, Choice choice, boolean last) {
    launch = numbers;
    choose(followed.targets(), choice);
    List<Integer> loops = followed.loops();
    // A loop that is left at its begin runs its body one time less than one left at its end.
    int variants = last ? 1 << Math.min(2, loops.size()) : 1;
    for (int less = 0; less < variants; less++) {
      begin();
      boolean known = true;
      for (int i = 0; known && i < loops.size(); i++) {
        int inner = Math.min(1, loops.size() - 1 - i);
        long at = last ? end(loops.get(i)) - ((less >> inner) & 1) : 0;
        known = at >= 0 && !failed;
        set(loops.get(i), at);
      }
      if (known && arrives(followed)) {
        return true;
      }
    }
    return false;
  }

  private void begin() {
    now++;
    failed = false;
    depth = 0;
    Arrays.fill(iterations, AT_END);
  }

  private void set(int loop, long iteration) {
    // Values that depend on the iteration are computed again.
    now++;
    iterations[loop] = iteration;
  }

  private boolean arrives(WitnessPlan.Followed access) {
    List<Way> conditions = access.conditions();
    for (int i = 0; i < conditions.size(); i++) {
      Way way = conditions.get(i);
      if ((value(way.predicate()) != 0) != way.holds() || failed) {
        return false;
      }
    }
    offset = value(access.address());
    return !failed;
  }

  /** Chooses block and thread. */
  private void choose(List<WitnessPlan.Target> targets, Choice choice) {
    LaunchNumbers numbers = numbers();
    boolean first = choice == Choice.FIRST;
    for (int dimension = 0; dimension < DIMENSIONS; dimension++) {
      threads[dimension] = first ? 0 : numbers.block(dimension) - 1;
      blocks[dimension] = first ? 0 : numbers.grid(dimension) - 1;
    }
    int done = 0;
    for (int i = 0; !first && i < targets.size(); i++) {
      WitnessPlan.Target target = targets.get(i);
      boolean wanted = choice == Choice.LAST_OF_LOOPS || target.perIteration() == null;
      if (wanted && ((done >> target.dimension()) & 1) == 0 && choose(target)) {
        done |= 1 << target.dimension();
      }
    }
  }

  /** Chooses the indexes of a dimension so that a difference is as small as it can be. */
  private boolean choose(WitnessPlan.Target target) {
    begin();
    long left = exact(target.rest());
    long perBlock = exact(target.perBlock());
    long perThread = exact(target.perThread());
    CompiledSum iterated = target.perIteration();
    long perIteration = iterated == null ? 1 : exact(iterated);
    if (failed || perBlock < 0 || perThread < 0 || perIteration <= 0) {
      return false;
    }
    if (iterated != null) {
      left = Math.floorMod(left, perIteration);
    }
    if (left < 0) {
      return false;
    }
    int dimension = target.dimension();
    if (perBlock > 0) {
      long block = Math.min(left / perBlock, numbers().grid(dimension) - 1L);
      blocks[dimension] = (int) block;
      left -= block * perBlock;
    }
    if (perThread > 0) {
      threads[dimension] = (int) Math.min(left / perThread, numbers().block(dimension) - 1L);
    }
    return true;
  }

  private LaunchNumbers numbers() {
    LaunchNumbers numbers = launch;
    if (numbers == null) {
      throw new IllegalStateException("no launch is looked at");
    }
    return numbers;
  }

  /** In which iteration a loop ends; negative if that is unknown. */
  private long end(int loop) {
    WitnessPlan.End end = plan.end(loop);
    if (end == null) {
      return -1;
    }
    long first = exact(end.first());
    long step = exact(end.step());
    long last = failed ? -1 : end(first, step, end.untilZero());
    return last >= 0 && holds(end, loop, 0) && holds(end, loop, last) ? last : -1;
  }

  private static long end(long first, long step, boolean untilZero) {
    if (untilZero) {
      boolean meets = step != 0 && first != Long.MIN_VALUE && first % step == 0;
      return meets ? -(first / step) : -1;
    }
    if (first < 0) {
      return 0;
    }
    return step >= 0 || step == Long.MIN_VALUE ? -1 : first / -step + 1;
  }

  /** Whether the comparison that ends a loop is the one of its formula in an iteration. */
  private boolean holds(WitnessPlan.End end, int loop, long iteration) {
    long before = iterations[loop];
    set(loop, iteration);
    boolean all = holdAll(end.checks());
    set(loop, before);
    return all;
  }

  private boolean holdAll(List<WitnessPlan.Check> checks) {
    for (int i = 0; i < checks.size(); i++) {
      WitnessPlan.Check check = checks.get(i);
      long value = exact(check.value());
      if (failed || value < check.least() || value > check.most()) {
        return false;
      }
    }
    return true;
  }

  /** The value of a sum; fails where it exceeds 64 bits. */
  private long exact(CompiledSum sum) {
    long total = 0;
    for (int i = 0; i < sum.terms(); i++) {
      long product = sum.coefficient(i);
      for (int factor : sum.factors(i)) {
        Node node = plan.node(factor);
        failed |= node.is(Operator.BASE);
        product = Interval.multiply(product, value(node));
      }
      total = Interval.addHigh(total, product);
      failed |= !Interval.isBound(product) || !Interval.isBound(total);
    }
    return total;
  }

  private long value(Node node) {
    if (failed || depth > MAX_DEPTH) {
      failed = true;
      return 0;
    }
    if (node.is(Operator.CONSTANT)) {
      return node.constant;
    }
    if (stamps[node.id] == now) {
      return values[node.id];
    }
    depth++;
    long value = computed(node);
    depth--;
    // The end of a loop may have been found meanwhile, which begins a new time.
    stamps[node.id] = now;
    values[node.id] = value;
    return value;
  }

  private long computed(Node node) {
    switch (node.operation) {
      case ARGUMENT -> {
        return numbers().argument((int) node.constant);
      }
      case BASE -> {
        return 0;
      }
      case SPECIAL -> {
        return special(node.special());
      }
      case ITERATION -> {
        return iteration((int) node.constant);
      }
      case PHI -> {
        return phi(node);
      }
      case SELECT -> {
        return value(node.input(value(node.input(0)) != 0 ? 1 : 2));
      }
      case UNKNOWN -> {
        failed = true;
        return 0;
      }
      default -> {
        Node first = node.input(0);
        failed |= readsAddress(node);
        long a = value(first);
        long b = node.inputs.size() > 1 ? value(node.input(1)) : 0;
        boolean divides = Machine.divides(node.operation);
        if (failed || (divides && Machine.unsigned(b, node.bits) == 0)) {
          failed = true;
          return 0;
        }
        return Machine.apply(node.operation, node.bits, first.bits, a, b);
      }
    }
  }

  /**
   * Whether an operation does more with an address than to add an offset. Addresses count as 0, so
   * that the result is the place in the array.
   */
  private boolean readsAddress(Node node) {
    boolean left = plan.hasAddress(node.input(0));
    boolean right = node.inputs.size() > 1 && plan.hasAddress(node.input(1));
    return switch (node.operation) {
      case ADD -> left && right;
      case SUBTRACT -> right;
      default -> left || right;
    };
  }

  private long special(Node.Special special) {
    if (special.isThread) {
      return threads[special.dimension];
    }
    if (special.isBlock) {
      return blocks[special.dimension];
    }
    return special.countsBlocks
        ? numbers().grid(special.dimension)
        : numbers().block(special.dimension);
  }

  private long iteration(int loop) {
    if (iterations[loop] == AT_END) {
      long end = end(loop);
      if (end < 0) {
        failed = true;
        return 0;
      }
      set(loop, end);
    }
    return iterations[loop];
  }

  private long phi(Node phi) {
    int loop = plan.loopOf(phi);
    if (loop < 0) {
      Node gate = phi.gate;
      if (gate == null) {
        failed = true;
        return 0;
      }
      return value(phi.input(value(gate) != 0 ? 0 : 1));
    }
    long iteration = iteration(loop);
    long first = value(phi.input(0));
    if (failed || iteration == 0) {
      return first;
    }
    WitnessPlan.Growth growth = plan.growth(phi);
    if (growth == null || !holdAll(growth.checks())) {
      failed = true;
      return 0;
    }
    return Machine.held(first + iteration * exact(growth.step()), phi.bits);
  }
}
