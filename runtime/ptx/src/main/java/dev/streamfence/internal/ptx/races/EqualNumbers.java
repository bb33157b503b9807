package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.KernelValues;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.ThreadPaths;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.LongUnaryOperator;

/**
 * Looks for numbers in the arrays that a kernel only loads from with which two threads of an
 * ordinary launch conflict. The guards of the accesses may exclude all such numbers: one thread
 * claims the element by an atomic operation, or only one thread comes there. Confined to one
 * thread.
 */
final class EqualNumbers {
  private static final long NOWHERE = Long.MIN_VALUE;

  /** How many pairs of threads that meet are compared for one choice of numbers. */
  private static final int MAX_MEETING = 64;

  private static final int MAX_WORK = 20_000;

  /** The numbers in the arrays that decide, by their index, some of them equal. */
  private static final List<LongUnaryOperator> EQUAL =
      List.of(
          index -> 0,
          index -> 1,
          index -> index & 1,
          index -> index >> 1,
          index -> index % 3,
          index -> 7);

  /** The numbers in all others: what is stored should differ, and what guards it should hold. */
  private static final List<LongUnaryOperator> OTHERS =
      List.of(index -> index, index -> 0, index -> 1);

  /** A thread of a launch in which arrays have such numbers. */
  private final class Filled extends ConcreteThread {
    private BitSet headers = new BitSet();

    Filled(TrialLaunch launch) {
      super(nodes, dependences, launch);
    }

    /**
     * Where a thread, which this becomes, makes an access in the first iteration of the loops
     * around it, or {@link #NOWHERE} if it may not make it.
     */
    long place(TrialLaunch launch, int number, SharedAccess access) {
      long before = work();
      headers = graph.headersAround(access.access().block());
      become(launch, number);
      OptionalLong place = known(access.access().address());
      boolean isMade =
          place.isPresent()
              && paths.areThrough(access.access(), this, paths.certain(this, headers));
      budget.take(1 + (int) (work() - before) / 8);
      return isMade ? place.getAsLong() : NOWHERE;
    }

    @Override
    protected long carried(Node phi) {
      return phi.isCarried && headers.get(phi.block) ? value(phi.input(0)) : fail();
    }

    @Override
    protected long unknown(Node node) {
      MemoryAccess load = values.load(node);
      Node base = load == null ? null : KernelValues.base(load.address());
      int width = base == null ? 0 : widths.getOrDefault((int) base.constant, 0);
      if (load == null || base == null || width == 0) {
        return fail();
      }
      int array = (int) base.constant;
      LongUnaryOperator numbers =
          distinct.contains(array) ? OTHERS.get(0) : deciding.contains(array) ? equal : others;
      long number = numbers.applyAsLong(value(load.address()) / width);
      return number < node.constant || number > node.limit ? fail() : number;
    }
  }

  private final NodeGraph nodes;
  private final ControlGraph graph;
  private final KernelValues values;
  private final Dependences dependences;
  private final ThreadPaths paths;
  private final ThreadOrders orders;
  private final StoredValues stored;
  private final Budget budget = new Budget(MAX_WORK);

  /** How many bytes all loads from an array have, by its index; 0 if they differ. */
  private final Map<Integer, Integer> widths = new HashMap<>();

  private final Set<Integer> distinct;
  private final IntPredicate isInput;
  private Set<Integer> deciding = Set.of();
  private LongUnaryOperator equal = EQUAL.get(0);
  private LongUnaryOperator others = OTHERS.get(0);

  /**
   * Creates the search.
   *
   * @param distinct the arrays that are declared to have no two equal numbers
   * @param isInput whether the memory with this index is an array that the kernel only loads from
   */
  EqualNumbers(
      NodeGraph nodes,
      ControlGraph graph,
      KernelValues values,
      Dependences dependences,
      ThreadPaths paths,
      ThreadOrders orders,
      StoredValues stored,
      Set<Integer> distinct,
      IntPredicate isInput) {
    this.nodes = nodes;
    this.graph = graph;
    this.values = values;
    this.dependences = dependences;
    this.paths = paths;
    this.orders = orders;
    this.stored = stored;
    this.distinct = distinct;
    this.isInput = isInput;
  }

  /**
   * Whether two accesses conflict in a launch with some of the numbers that are tried.
   *
   * @param arrays the arrays whose numbers decide
   */
  boolean conflict(SharedAccess one, SharedAccess other, Set<Integer> arrays, TrialLaunch launch) {
    boolean inBlock = orders.areInOneIntervalAtFirst(one.access(), other.access());
    if (orders.mayBeOrderedByFlags() || !(inBlock || orders.areBlocksUnordered(one))) {
      return false;
    }
    Filled first = new Filled(launch);
    Filled second = new Filled(launch);
    deciding = arrays;
    findWidths();
    try {
      for (LongUnaryOperator numbers : EQUAL) {
        equal = numbers;
        for (LongUnaryOperator more : OTHERS) {
          others = more;
          if (meet(one, first, other, second, launch, inBlock)) {
            return true;
          }
        }
      }
    } catch (TooComplexException e) {
      // Then there may be some, which are not found.
    }
    return false;
  }

  private void findWidths() {
    for (MemoryAccess access : values.accesses()) {
      Node base = KernelValues.base(access.address());
      if (base != null && isInput.test((int) base.constant)) {
        boolean isPlain = access.instruction().opcode().startsWith("ld");
        widths.merge(
            (int) base.constant, isPlain ? access.width() : 0, (a, b) -> a.equals(b) ? a : 0);
      }
    }
  }

  private boolean meet(
      SharedAccess one,
      Filled first,
      SharedAccess other,
      Filled second,
      TrialLaunch launch,
      boolean inBlock) {
    long[] places = new long[launch.size()];
    for (int i = 0; i < places.length; i++) {
      places[i] = first.place(launch, i, one);
    }
    int meeting = 0;
    for (int i = 0; i < places.length; i++) {
      long place = second.place(launch, i, other);
      for (int j = 0; place != NOWHERE && j < places.length; j++) {
        boolean areInTwo = i / launch.threads() != j / launch.threads();
        boolean areUnordered =
            areInTwo
                ? orders.areBlocksUnordered(one)
                : i != j && inBlock && orders.haveNoOtherOrder(launch, i, j);
        if (areUnordered
            && places[j] != NOWHERE
            && places[j] < place + other.width()
            && place < places[j] + one.width()) {
          if (matters(one, j, first, other, second, launch)) {
            return true;
          }
          if (++meeting == MAX_MEETING) {
            return false;
          }
        }
      }
    }
    return false;
  }

  /**
   * Whether the order of two accesses matters: the first thread becomes the one with a number, the
   * second one is at its access already.
   */
  private boolean matters(
      SharedAccess one,
      int number,
      Filled first,
      SharedAccess other,
      Filled second,
      TrialLaunch launch) {
    return !(one.writes() && other.writes())
        || one.isAtomic()
        || other.isAtomic()
        || (first.place(launch, number, one) != NOWHERE
            && stored.differ(one, first, other, second));
  }
}
