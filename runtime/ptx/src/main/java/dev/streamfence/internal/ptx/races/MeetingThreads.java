package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.CallEnds;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.KernelValues;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.ThreadPaths;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Looks for two threads that conflict in ordinary launches whatever their data are. It tries
 * launches with different arguments, and finds only what happens in all of them. Confined to one
 * thread.
 */
final class MeetingThreads {
  private static final int TRIALS = 3;
  private static final int MAX_PAIRS = 16;

  /** Threads in the first row of every block that has several. */
  private static final int FEW_THREADS = 8;

  private record Pair(int first, int second) {}

  private final ControlGraph graph;
  private final KernelValues values;
  private final ThreadPaths paths;
  private final BarrierIntervals intervals;
  private final Dependences dependences;
  private final ConcreteThread thread;
  private final Set<Special> read;
  private final LaunchSpace space;
  private final Budget budget;

  /** Where the threads of the first launch make an access, in ascending order. */
  private final IdentityHashMap<SharedAccess, long[]> first = new IdentityHashMap<>();

  /** Whether the code is written for blocks of any size, or their size is known. */
  private final boolean isOfAnyBlock;

  /** Whether threads may be ordered in another way than by the barriers of their block. */
  private final boolean hasOtherOrder;

  /** Whether threads of one warp may be. */
  private final boolean hasWarpOrder;

  MeetingThreads(
      NodeGraph nodes,
      ControlGraph graph,
      FunctionFlow flow,
      KernelValues values,
      CallEnds ends,
      BarrierIntervals intervals,
      Set<Special> read,
      LaunchSpace space,
      Budget budget) {
    this.graph = graph;
    this.values = values;
    this.paths = new ThreadPaths(flow, graph, values, ends);
    this.intervals = intervals;
    this.budget = budget;
    int bases = 0;
    for (int id = 0; id < nodes.size(); id++) {
      Node node = nodes.node(id);
      bases = node.is(Operator.BASE) ? Math.max(bases, (int) node.constant + 1) : bases;
    }
    dependences = new Dependences(nodes, bases);
    thread = new ConcreteThread(nodes, dependences, new TrialLaunch(read, space, 0, 0));
    this.read = read;
    this.space = space;
    boolean any = true;
    for (int i = 0; i < 3; i++) {
      boolean isRead = read.contains(Special.thread(i));
      boolean readsSize = read.contains(Special.blockSize(i));
      any &= !isRead || readsSize || space.threads(i) > 0;
    }
    isOfAnyBlock = any;
    boolean other = false;
    boolean warp = false;
    boolean hasBarrier = false;
    for (int i = 0; i < flow.size(); i++) {
      Instruction instruction = flow.instruction(i);
      other |= orders(instruction);
      warp |= instruction.opcode().equals("bar") && instruction.has("warp");
      hasBarrier |= BarrierIntervals.isBarrier(instruction);
    }
    hasOtherOrder = other || (hasBarrier && !intervals.isOrdered());
    hasWarpOrder = warp;
  }

  private static boolean orders(Instruction instruction) {
    boolean isBarrier =
        instruction.opcode().equals("bar") || instruction.opcode().equals("barrier");
    return instruction.opcode().equals("fence")
        || instruction.opcode().equals("membar")
        || instruction.opcode().equals("griddepcontrol")
        || Set.of("acquire", "release", "acq_rel", "volatile", "mmio").stream()
            .anyMatch(instruction::has)
        || (isBarrier && !instruction.has("warp") && !BarrierIntervals.isBarrier(instruction));
  }

  /** Whether two accesses conflict in every ordinary launch. */
  boolean isCertain(SharedAccess one, SharedAccess other) {
    boolean isPlain = one.isPlain() && other.isPlain() && (one.writes() || other.writes());
    if (hasOtherOrder || !isPlain || one.width() == 0 || other.width() == 0) {
      return false;
    }
    if (one.writes() && other.writes() && !(mayDiffer(one) && mayDiffer(other))) {
      return false;
    }
    thread.become(new TrialLaunch(read, space, 0, 0), 0);
    if (thread.known(one.access().address()).isEmpty()
        || thread.known(other.access().address()).isEmpty()) {
      return false;
    }
    if (!mayMeet(one, other)) {
      return false;
    }
    // The block that the code is written for may be any of them.
    for (int shape = 0; shape < TrialLaunch.SHAPES; shape++) {
      Set<Pair> pairs = null;
      for (int seed = 0; seed < TRIALS; seed++) {
        pairs = pairs(one, other, new TrialLaunch(read, space, shape, seed), pairs);
        if (pairs.isEmpty()) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether the places of any two threads of the first launch overlap. */
  private boolean mayMeet(SharedAccess one, SharedAccess other) {
    long[] left = first.computeIfAbsent(one, this::places);
    long[] right = first.computeIfAbsent(other, this::places);
    budget.take(1 + (left.length + right.length) / 64);
    boolean isSame = one.equals(other);
    int i = 0;
    int j = isSame ? 1 : 0;
    while (i < left.length && j < right.length) {
      if (left[i] + one.width() <= right[j]) {
        i++;
      } else if (right[j] + other.width() <= left[i]) {
        j++;
      } else if (isSame && i == j) {
        j++;
      } else {
        return true;
      }
    }
    return false;
  }

  private long[] places(SharedAccess access) {
    TrialLaunch launch = new TrialLaunch(read, space, 0, 0);
    return IntStream.range(0, launch.size())
        .mapToObj(number -> place(access, launch, number))
        .flatMapToLong(OptionalLong::stream)
        .sorted()
        .toArray();
  }

  /** The pairs that conflict in a launch, out of those that did before if there are any. */
  private Set<Pair> pairs(
      SharedAccess one, SharedAccess other, TrialLaunch launch, @Nullable Set<Pair> before) {
    Set<Pair> found = new HashSet<>();
    if (before != null) {
      for (Pair pair : before) {
        OptionalLong first = place(one, launch, pair.first());
        OptionalLong second = place(other, launch, pair.second());
        if (first.isPresent()
            && second.isPresent()
            && first.getAsLong() < second.getAsLong() + other.width()
            && second.getAsLong() < first.getAsLong() + one.width()) {
          found.add(pair);
        }
      }
      return found;
    }
    Map<Long, List<Integer>> touched = new HashMap<>();
    for (int thread = 0; thread < launch.size(); thread++) {
      OptionalLong place = place(one, launch, thread);
      for (int i = 0; place.isPresent() && i < one.width(); i++) {
        List<Integer> threads =
            touched.computeIfAbsent(place.getAsLong() + i, key -> new ArrayList<>());
        if (threads.size() < 64) {
          threads.add(thread);
        }
      }
    }
    for (int thread = 0; thread < launch.size() && found.size() < MAX_PAIRS; thread++) {
      OptionalLong place = touched.isEmpty() ? OptionalLong.empty() : place(other, launch, thread);
      for (int i = 0; place.isPresent() && i < other.width(); i++) {
        for (int first : touched.getOrDefault(place.getAsLong() + i, List.of())) {
          if (first != thread && areUnordered(one, other, launch, first, thread)) {
            found.add(new Pair(first, thread));
          }
        }
      }
    }
    return found;
  }

  private boolean areUnordered(
      SharedAccess one, SharedAccess other, TrialLaunch launch, int first, int second) {
    if (first / launch.threads() != second / launch.threads()) {
      return one.isGlobal() && isOfAnyBlock;
    }
    if (!isOfAnyBlock
        && (first % launch.threads() >= FEW_THREADS || second % launch.threads() >= FEW_THREADS)) {
      return false;
    }
    boolean isOneWarp = first % launch.threads() / 32 == second % launch.threads() / 32;
    return !(hasWarpOrder && isOneWarp) && areInOneInterval(one.access(), other.access());
  }

  /** Whether two accesses of a block's threads always lie between the same barriers. */
  private boolean areInOneInterval(MemoryAccess one, MemoryAccess other) {
    if (!intervals.isOrdered()) {
      return true;
    }
    List<Integer> shared = intervals.shared(one, other);
    return shared.size() == 1
        && shared.equals(intervals.shared(one, one))
        && shared.equals(intervals.shared(other, other))
        && graph.loop(one.block()) == null
        && graph.loop(other.block()) == null;
  }

  /** Where a thread makes an access; empty if it may not make it, or make it elsewhere. */
  private OptionalLong place(SharedAccess access, TrialLaunch launch, int number) {
    long before = thread.work();
    thread.become(launch, number);
    OptionalLong place = thread.known(access.access().address());
    boolean isMade = place.isPresent() && paths.areThrough(access.access(), thread);
    budget.take(1 + (int) (thread.work() - before) / 8);
    return isMade ? place : OptionalLong.empty();
  }

  /** Whether threads store different values, as far as the code shows. */
  private boolean mayDiffer(SharedAccess store) {
    Set<Node> seen = new HashSet<>();
    return values.stored(store.access()).stream().anyMatch(value -> differs(value, seen));
  }

  private boolean differs(Node node, Set<Node> seen) {
    if (!seen.add(node)) {
      return false;
    }
    MemoryAccess load = values.load(node);
    boolean isPlace = node.is(Operator.SPECIAL) && node.special().differs();
    return isPlace
        || (load != null && differs(load.address(), seen))
        || node.inputs.stream().anyMatch(input -> differs(input, seen));
  }
}
