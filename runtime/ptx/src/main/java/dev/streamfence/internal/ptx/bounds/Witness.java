package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.bounds.CertainAccess.Way;
import dev.streamfence.internal.ptx.symbolic.Evaluation;
import dev.streamfence.internal.ptx.symbolic.Interval;
import dev.streamfence.internal.ptx.symbolic.Machine;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
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
final class Witness extends Evaluation {
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

  private final WitnessPlan plan;
  private final long[] iterations;
  private final int[] blocks = new int[DIMENSIONS];
  private final int[] threads = new int[DIMENSIONS];

  /** A bit for each dimension in which the thread is chosen. */
  private int chosenThreads;

  /** A bit for each dimension in which the block is chosen. */
  private int chosenBlocks;

  private @Nullable LaunchNumbers launch;

  /** By what the thread was chosen whose values are known; null if there is no such thread. */
  private @Nullable List<WitnessPlan.Target> targets;

  private Choice chosen = Choice.FIRST;

  /** The first byte that the thread touches, after {@link #reaches}. */
  private long offset;

  Witness(WitnessPlan plan) {
    super(plan.nodes());
    this.plan = plan;
    this.iterations = new long[plan.loops()];
  }

  long offset() {
    return offset;
  }

  /** Takes the numbers of a launch, which do not change until the next one is taken. */
  void take(LaunchNumbers numbers) {
    launch = numbers;
    targets = null;
  }

  /**
   * Whether a thread of the launch certainly makes an access; its place is {@link #offset}.
   *
   * @param last whether to look at the last iterations of the loops around it, or at the first ones
   */
  boolean reaches(WitnessPlan.Followed followed, Choice choice, boolean last) {
    List<Integer> loops = followed.loops();
    if (loops.isEmpty()) {
      return reaches(followed, choice);
    }
    choose(followed.targets(), choice);
    // A loop that is left at its begin runs its body one time less than one left at its end.
    int variants = last ? 1 << Math.min(2, loops.size()) : 1;
    for (int less = 0; less < variants; less++) {
      restart();
      boolean known = true;
      for (int i = 0; known && i < loops.size(); i++) {
        int inner = Math.min(1, loops.size() - 1 - i);
        long at = last ? end(loops.get(i)) - ((less >> inner) & 1) : 0;
        known = at >= 0 && !hasFailed();
        set(loops.get(i), at);
      }
      if (known && arrives(followed)) {
        return true;
      }
    }
    return false;
  }

  /** Most arrays are indexed by the same values: what is known of a thread serves all of them. */
  private boolean reaches(WitnessPlan.Followed followed, Choice choice) {
    if (targets != followed.targets() || chosen != choice || hasFailed()) {
      choose(followed.targets(), choice);
      restart();
      targets = followed.targets();
      chosen = choice;
    }
    return arrives(followed);
  }

  private void restart() {
    begin();
    Arrays.fill(iterations, AT_END);
  }

  private void set(int loop, long iteration) {
    // Values that depend on the iteration are computed again.
    forget();
    iterations[loop] = iteration;
  }

  private boolean arrives(WitnessPlan.Followed access) {
    List<Way> conditions = access.conditions();
    for (int i = 0; i < conditions.size(); i++) {
      Way way = conditions.get(i);
      if ((value(way.predicate()) != 0) != way.holds() || hasFailed()) {
        return false;
      }
    }
    offset = value(access.address());
    return !hasFailed();
  }

  /**
   * Chooses block and thread. While other indices are chosen, one that is not yet counts as 0; what
   * no target chooses becomes the last one.
   */
  private void choose(List<WitnessPlan.Target> wanted, Choice choice) {
    targets = null;
    Arrays.fill(threads, 0);
    Arrays.fill(blocks, 0);
    if (choice == Choice.FIRST) {
      return;
    }
    chosenThreads = 0;
    chosenBlocks = 0;
    for (int i = 0; i < wanted.size(); i++) {
      WitnessPlan.Target target = wanted.get(i);
      if (choice == Choice.LAST_OF_LOOPS || target.perIteration() == null) {
        choose(target);
      }
    }
    for (int dimension = 0; dimension < DIMENSIONS; dimension++) {
      if (!isChosen(chosenThreads, dimension)) {
        threads[dimension] = numbers().block(dimension) - 1;
      }
      if (!isChosen(chosenBlocks, dimension)) {
        blocks[dimension] = numbers().grid(dimension) - 1;
      }
    }
  }

  private static boolean isChosen(int dimensions, int dimension) {
    return (dimensions >> dimension & 1) != 0;
  }

  /** Chooses the indexes of a dimension so that a difference is as small as it can be. */
  private void choose(WitnessPlan.Target target) {
    restart();
    long left = exact(target.rest());
    long perBlock = exact(target.perBlock());
    long perThread = exact(target.perThread());
    CompiledSum iterated = target.perIteration();
    long perIteration = iterated == null ? 1 : exact(iterated);
    if (hasFailed() || perBlock < 0 || perThread < 0 || perIteration <= 0) {
      return;
    }
    if (iterated != null) {
      left = Math.floorMod(left, perIteration);
    }
    int dimension = target.dimension();
    // An index that is not chosen is 0.
    left = without(left, threads[dimension], perThread);
    if (left >= 0 && perBlock > 0 && !isChosen(chosenBlocks, dimension)) {
      blocks[dimension] = (int) Math.min(left / perBlock, numbers().grid(dimension) - 1L);
      chosenBlocks |= 1 << dimension;
    }
    left = without(left, blocks[dimension], perBlock);
    if (left >= 0 && perThread > 0 && !isChosen(chosenThreads, dimension)) {
      threads[dimension] = (int) Math.min(left / perThread, numbers().block(dimension) - 1L);
      chosenThreads |= 1 << dimension;
    }
  }

  /** What is left of a difference without a product; negative if that is beyond a long. */
  private static long without(long left, int index, long unit) {
    long product = Interval.multiply(index, unit);
    return left >= 0 && Interval.isBound(product) ? left - product : -1;
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
    long last = hasFailed() ? -1 : end(first, step, end.untilZero());
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
      if (hasFailed() || value < check.least() || value > check.most()) {
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
        // A choice between addresses is no address, and no number either.
        if (node.is(Operator.BASE) || plan.hasAddress(node)) {
          return fail();
        }
        product = Interval.multiply(product, value(node));
      }
      total = Interval.addHigh(total, product);
      if (!Interval.isBound(product) || !Interval.isBound(total)) {
        return fail();
      }
    }
    return total;
  }

  @Override
  protected long special(Node.Special special) {
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

  @Override
  protected long iteration(int loop) {
    if (iterations[loop] == AT_END) {
      long end = end(loop);
      if (end < 0) {
        return fail();
      }
      set(loop, end);
    }
    return iterations[loop];
  }

  @Override
  protected long carried(Node phi) {
    int loop = plan.loopOf(phi);
    if (loop < 0) {
      return fail();
    }
    long iteration = iteration(loop);
    long first = value(phi.input(0));
    if (hasFailed() || iteration == 0) {
      return first;
    }
    WitnessPlan.Growth growth = plan.growth(phi);
    return growth == null || !holdAll(growth.checks())
        ? fail()
        : Machine.held(first + iteration * exact(growth.step()), phi.bits);
  }

  @Override
  protected long argument(int index) {
    return numbers().argument(index);
  }

  @Override
  protected boolean hasAddress(Node node) {
    return plan.hasAddress(node);
  }
}
