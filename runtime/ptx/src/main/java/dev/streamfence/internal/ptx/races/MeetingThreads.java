package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.ThreadPaths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Looks for two threads that conflict in ordinary launches whatever their data are. It tries
 * launches with different arguments, and finds only what happens in all of them. Confined to one
 * thread.
 */
final class MeetingThreads {
  private static final int MAX_PAIRS = 8;

  /** How many of the threads that meet one thread are looked at. */
  private static final int MAX_MEETING = 64;

  private static final long NOWHERE = Long.MIN_VALUE;

  /** How many blocks are looked at for accesses to shared memory. */
  private static final int FEW_BLOCKS = 2;

  private record Pair(int first, int second) {}

  /** Where the threads of a launch make an access. */
  private static final class Places {
    /** For each thread, or {@link #NOWHERE}. */
    final long[] byThread;

    /** In ascending order. */
    final long[] all;

    Places(long[] byThread) {
      this.byThread = byThread;
      this.all = Arrays.stream(byThread).filter(place -> place != NOWHERE).sorted().toArray();
    }
  }

  private final NodeGraph nodes;
  private final ThreadPaths paths;
  private final ThreadOrders orders;
  private final ConcreteThread thread;

  /** Another thread, with which it is compared. */
  private final ConcreteThread partner;

  private final StoredValues stored;
  private final Budget budget;

  /** Where the threads of the first launch make an access. */
  private final IdentityHashMap<SharedAccess, Places> first = new IdentityHashMap<>();

  /** The launches that are tried, those of one shape after each other. */
  private final List<TrialLaunch> launches = new ArrayList<>();

  /** For each of them, the code that each thread certainly runs, once it is known. */
  private final IdentityHashMap<TrialLaunch, Map<Integer, BitSet>> certain =
      new IdentityHashMap<>();

  /** One copy of each such set of blocks of code: most threads run the same. */
  private final Map<BitSet, BitSet> sets = new HashMap<>();

  MeetingThreads(
      NodeGraph nodes,
      Dependences dependences,
      ThreadPaths paths,
      ThreadOrders orders,
      StoredValues stored,
      Set<Special> read,
      LaunchSpace space,
      Budget budget) {
    this.nodes = nodes;
    this.paths = paths;
    this.orders = orders;
    this.budget = budget;
    // The block that the code is written for may be any of them.
    for (int shape = 0; shape < TrialLaunch.SHAPES; shape++) {
      for (int seed = 0; seed < TrialLaunch.SEEDS; seed++) {
        launches.add(new TrialLaunch(read, space, shape, seed));
      }
    }
    thread = new ConcreteThread(nodes, dependences, launches.get(0));
    partner = new ConcreteThread(nodes, dependences, launches.get(0));
    this.stored = stored;
  }

  /** Whether two accesses conflict in every ordinary launch. */
  boolean isCertain(SharedAccess one, SharedAccess other) {
    if (!orders.mayConflict(one, other)) {
      return false;
    }
    boolean inBlock = orders.areInOneInterval(one.access(), other.access());
    if (!inBlock && !orders.areBlocksUnordered(one)) {
      return false;
    }
    thread.become(launches.get(0), 0);
    if (thread.known(one.access().address()).isEmpty()
        || thread.known(other.access().address()).isEmpty()) {
      return false;
    }
    if (!stored.matters(one, other) || areInOneColumn(one, other) || !mayMeet(one, other)) {
      return false;
    }
    Set<Pair> pairs = Set.of();
    for (int i = 0; i < launches.size(); i++) {
      pairs =
          i % TrialLaunch.SEEDS == 0
              ? pairs(one, other, inBlock, launches.get(i))
              : remaining(one, other, launches.get(i), pairs);
      if (pairs.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** Whether places in shared memory are such as code for blocks of one column has them. */
  private boolean areInOneColumn(SharedAccess one, SharedAccess other) {
    if (one.isGlobal()) {
      return false;
    }
    List<Node> reached =
        Node.reached(List.of(one.access().address(), other.access().address()), node -> true);
    return reached.contains(nodes.special(Special.TID_Y))
        && !reached.contains(nodes.special(Special.TID_X));
  }

  /** Whether the places of any two threads of the first launch overlap. */
  private boolean mayMeet(SharedAccess one, SharedAccess other) {
    long[] left = places(one, launches.get(0)).all;
    long[] right = places(other, launches.get(0)).all;
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

  private Places places(SharedAccess access, TrialLaunch launch) {
    boolean isFirst = launch.equals(launches.get(0));
    Places found = isFirst ? first.get(access) : null;
    if (found == null) {
      long[] byThread = new long[launch.size()];
      // Each block has its own shared memory: a few of them show what happens in all.
      int end = access.isGlobal() ? byThread.length : FEW_BLOCKS * launch.threads();
      for (int number = 0; number < byThread.length; number++) {
        byThread[number] = number < end ? place(access, launch, number, thread) : NOWHERE;
      }
      found = new Places(byThread);
      if (isFirst) {
        first.put(access, found);
      }
    }
    return found;
  }

  /** The pairs of some that conflict in another launch as well. */
  private Set<Pair> remaining(
      SharedAccess one, SharedAccess other, TrialLaunch launch, Set<Pair> before) {
    Set<Pair> found = new HashSet<>();
    for (Pair pair : before) {
      long first = place(one, launch, pair.first(), thread);
      long second = place(other, launch, pair.second(), partner);
      if (overlap(first, one.width(), second, other.width()) && matters(one, other)) {
        found.add(pair);
      }
    }
    return found;
  }

  /**
   * Pairs that conflict in a launch.
   *
   * @param inBlock whether no barrier orders threads of one block
   */
  private Set<Pair> pairs(
      SharedAccess one, SharedAccess other, boolean inBlock, TrialLaunch launch) {
    Set<Pair> found = new HashSet<>();
    Places ofOne = places(one, launch);
    long[] left = ofOne.byThread;
    long[] right = places(other, launch).byThread;
    int threads = launch.threads();
    boolean acrossBlocks = orders.areBlocksUnordered(one);
    int alike = 0;
    for (int second = 0; second < right.length && found.size() < MAX_PAIRS; second++) {
      long place = right[second];
      if (place == NOWHERE || !isAnyIn(ofOne.all, place - one.width() + 1, place + other.width())) {
        continue;
      }
      int block = second / threads;
      int end = acrossBlocks ? left.length : (block + 1) * threads;
      int meeting = 0;
      int begin = acrossBlocks ? 0 : block * threads;
      for (int first = begin;
          first < end && meeting < MAX_MEETING && found.size() < MAX_PAIRS;
          first++) {
        if (!overlap(left[first], one.width(), place, other.width())) {
          continue;
        }
        meeting++;
        boolean isOtherBlock = first / threads != block;
        boolean areUnordered =
            isOtherBlock || (inBlock && orders.haveNoOtherOrder(launch, first, second));
        if (areUnordered && first != second) {
          thread.become(launch, first);
          partner.become(launch, second);
          if (matters(one, other)) {
            found.add(new Pair(first, second));
          } else if (++alike == MAX_MEETING) {
            // Threads that store the same are many, as a rule.
            return found;
          }
        }
      }
    }
    return found;
  }

  /** Whether it matters in which order {@link #thread} and {@link #partner} make two accesses. */
  private boolean matters(SharedAccess one, SharedAccess other) {
    if (!one.writes() || !other.writes()) {
      return true;
    }
    long before = thread.work() + partner.work();
    boolean differ = stored.differ(one, thread, other, partner);
    budget.take(1 + (int) (thread.work() + partner.work() - before) / 8);
    return differ;
  }

  private static boolean overlap(long one, int width, long other, int otherWidth) {
    return one != NOWHERE && other != NOWHERE && one < other + otherWidth && other < one + width;
  }

  /** Whether any of some places in ascending order is in a range. */
  private static boolean isAnyIn(long[] places, long begin, long end) {
    int at = Arrays.binarySearch(places, begin);
    int next = at < 0 ? -at - 1 : at;
    return next < places.length && places[next] < end;
  }

  /** Where a thread makes an access, or {@link #NOWHERE} if it may not make it, or elsewhere. */
  private long place(SharedAccess access, TrialLaunch launch, int number, ConcreteThread becoming) {
    long before = becoming.work();
    becoming.become(launch, number);
    OptionalLong place = becoming.known(access.access().address());
    boolean isMade =
        place.isPresent()
            && paths.areThrough(access.access(), becoming, certain(launch, number, becoming));
    budget.take(1 + (int) (becoming.work() - before) / 8);
    return isMade ? place.getAsLong() : NOWHERE;
  }

  /** The blocks of code that a thread, which is this one of a launch, certainly runs. */
  private BitSet certain(TrialLaunch launch, int number, ConcreteThread becoming) {
    return certain
        .computeIfAbsent(launch, each -> new HashMap<>())
        .computeIfAbsent(
            number,
            each -> sets.computeIfAbsent(paths.certain(becoming, new BitSet()), blocks -> blocks));
  }
}
