package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.CallEnds;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.races.KernelRaces.Conflict;
import dev.streamfence.internal.ptx.races.PairProof.Place;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.EvaluatedKernel;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.symbolic.KernelMemory;
import dev.streamfence.internal.ptx.symbolic.KernelValues;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.NodeMap;
import dev.streamfence.internal.ptx.symbolic.NumberLimits;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.ThreadPaths;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The search for the races of one kernel. Confined to one thread, used once. */
final class RaceAnalysis {
  private static final int MAX_INSTRUCTIONS = 10_000;

  /** Steps of all proofs about one kernel, and again in small blocks: a tenth of a second. */
  private static final int MAX_WORK = 60_000;

  /** How many choices in the offset of one access a proof tells apart, for half of the work. */
  private static final int MAX_CHOICES = 2;

  private static final BitSet NO_LOOPS = new BitSet();

  /** A place as the code has it. */
  private static final UnaryOperator<Place> PLAIN = UnaryOperator.identity();

  private record Threads(boolean areInOneBlock, BitSet sameIterations) {}

  private final PtxModule module;
  private final List<ArrayPlace> arrays;
  private final Map<Integer, Integer> distinct;
  private final LaunchSpace space;
  private final CallEnds ends;
  private final FunctionFlow flow;
  private final ControlGraph graph;
  private final NodeGraph nodes;
  private final KernelMemory memory;
  private final KernelValues values;
  private final Dependences dependences;
  private final Formulas formulas;
  private final Symbols symbols;
  private final PathFacts facts;
  private final BarrierIntervals intervals;

  /** See {@link #used()}. */
  private final Set<Special> used;

  private final Budget budget = new Budget(MAX_WORK);
  private final Set<Special> shown;
  private final LaunchLimits limits;
  private final SharedAccesses accesses;
  private final StoredValues stored;
  private final KnownBlock block;

  /** What is the same in two threads before a proof assumes anything. */
  private final Map<Threads, ThreadPair> pairs = new HashMap<>();

  /** The forms of places in which proofs are tried. */
  private final List<UnaryOperator<Place>> forms;

  private @Nullable Map<Node, Polynomial> distinctLoads;

  /** Arrays whose numbers are assumed to be distinct, although they are not declared so. */
  private Set<Integer> assumedDistinct = Set.of();

  /** What {@link #constantPlace} found; the value itself for none. */
  private final NodeMap<Polynomial> constantPlaces = new NodeMap<>();

  /** What was found of the pairs that are not proved; null if all are. */
  private @Nullable KernelRaces worst;

  RaceAnalysis(
      KernelFlow kernel,
      List<ArrayPlace> arrays,
      List<ArrayPlace> tables,
      Map<Integer, Integer> distinct,
      Map<Integer, NumberLimits> limited,
      LaunchSpace space) {
    this.module = kernel.module();
    this.arrays = arrays;
    this.distinct = distinct;
    this.space = space;
    kernel.function(MAX_INSTRUCTIONS);
    ends = kernel.ends();
    flow = kernel.flow();
    graph = kernel.graph();
    shown = kernel.shown();
    EvaluatedKernel evaluated = kernel.values(arrays, tables, limited, space.dimensions(shown));
    nodes = evaluated.nodes();
    memory = evaluated.memory();
    values = evaluated.values();
    dependences = evaluated.dependences();
    formulas = evaluated.formulas();
    symbols = new Symbols(nodes, formulas, graph, evaluated.loaded(), space);
    facts = new PathFacts(nodes, graph, evaluated.guards(), formulas, symbols, budget);
    LinearIndexes linear = new LinearIndexes(nodes, symbols);
    forms =
        new ArrayList<>(
            List.of(PLAIN, facts::withMultiples, facts::withParts, linear::withNumbers));
    accesses = new SharedAccesses(flow, graph, values, formulas, memory, symbols);
    limits = new LaunchLimits(space, nodes, symbols, memory, shown, accesses.all());
    block = new KnownBlock(nodes, dependences, space, budget);
    stored = new StoredValues(values);
    intervals = new BarrierIntervals(flow, graph, this::goesOneWay, budget);
    used = used();
  }

  /**
   * What the code shows of the dimensions of launches, without y and z if no place or value depends
   * on them: it may ask for their sizes although it is written for x.
   */
  private Set<Special> used() {
    Set<Node> roots = new HashSet<>();
    for (SharedAccess each : accesses.all()) {
      roots.add(each.access().address());
      roots.addAll(values.stored(each.access()));
    }
    List<Node> reached = Node.reached(roots, node -> true);
    Set<Special> found = new HashSet<>(shown);
    for (Special place : List.of(Special.TID_Y, Special.TID_Z, Special.CTAID_Y, Special.CTAID_Z)) {
      if (!reached.contains(nodes.special(place))) {
        found.remove(place);
      }
    }
    return found;
  }

  /**
   * Whether a branch goes one way in all threads of a block that go through some loops equally
   * often so far.
   */
  private boolean goesOneWay(int at, BitSet sameIterations) {
    Node condition = values.condition(at);
    return condition != null && threads(true, sameIterations).isSame(condition);
  }

  KernelRaces find() {
    String obstacle = obstacle();
    if (obstacle != null) {
      return KernelRaces.unknown(obstacle);
    }
    try {
      decide();
    } catch (TooComplexException e) {
      KernelRaces known = worst;
      return known != null ? known : KernelRaces.unknown(String.valueOf(e.getMessage()));
    }
    KernelRaces found = worst;
    boolean isOpen = found != null && found.reason().equals(KernelRaces.SAME_INDEX);
    return found == null || (isOpen && areProvedInSmallBlocks())
        ? KernelRaces.proved(limits.restrictions(accesses.isAnyWritten(memory::isGlobal)))
        : found;
  }

  /** Whether all pairs are apart in blocks of a size that the kernel may be written for. */
  private boolean areProvedInSmallBlocks() {
    budget.renew();
    try {
      if (limits.limitToUsed(used) && areProvedInBlocks()) {
        return true;
      }
      for (int dimension = 0; dimension < 3; dimension++) {
        int before = symbols.limit(dimension);
        for (int size : limits.sizes(dimension, accesses.all())) {
          limits.limit(dimension, size);
          if (areProvedInBlocks()) {
            return true;
          }
        }
        limits.limit(dimension, before);
      }
    } catch (TooComplexException e) {
      // Then it is as open as before.
    }
    return false;
  }

  /** Whether all pairs are apart in blocks that are limited as they now are. */
  private boolean areProvedInBlocks() {
    facts.forget();
    Spans spans = new Spans(accesses.all(), facts, this::proves);
    return accesses.pairs().stream()
        .allMatch(
            pair -> spans.areApart(pair.get(0), pair.get(1)) || isProved(pair.get(0), pair.get(1)));
  }

  /** Looks at pairs of accesses until one conflicts for certain. */
  private void decide() {
    ThreadPaths paths = new ThreadPaths(flow, graph, values, ends);
    ThreadOrders orders = new ThreadOrders(flow, graph, intervals, used, space);
    MeetingThreads meeting =
        new MeetingThreads(nodes, dependences, paths, orders, stored, used, space, budget);
    EqualNumbers equal =
        new EqualNumbers(
            nodes,
            graph,
            values,
            dependences,
            paths,
            orders,
            stored,
            distinct.keySet(),
            base -> base < arrays.size() && !accesses.isWritten(base));
    Spans spans = new Spans(accesses.all(), facts, this::proves);
    List<List<SharedAccess>> pairs = new ArrayList<>(accesses.pairs());
    pairs.removeIf(pair -> spans.areApart(pair.get(0), pair.get(1)));
    BitSet uncertain = new BitSet(pairs.size());
    // Among many accesses, threads that meet take less to find than all proofs before them.
    for (int i = 0; i < pairs.size(); i++) {
      SharedAccess one = pairs.get(i).get(0);
      SharedAccess other = pairs.get(i).get(1);
      if (budget.left() > MAX_WORK / 2 && spans.areIn(one, other)) {
        if (meeting.isCertain(one, other)) {
          worst = KernelRaces.certain(conflict(one, other));
          return;
        }
        uncertain.set(i);
      }
    }
    for (int i = 0; i < pairs.size(); i++) {
      SharedAccess one = pairs.get(i).get(0);
      SharedAccess other = pairs.get(i).get(1);
      boolean isOpen = worst == null;
      // Once the code does not show it of one pair, only a certain conflict says more.
      if (isOpen && isProved(one, other)) {
        continue;
      }
      Conflict conflict = conflict(one, other);
      if (!uncertain.get(i) && meeting.isCertain(one, other)) {
        worst = KernelRaces.certain(conflict);
        return;
      }
      worst = isOpen ? undecided(one, other, conflict, equal) : worst;
    }
  }

  /** What keeps all accesses from being compared; null if nothing does. */
  private @Nullable String obstacle() {
    if (space.mayAlias() && accesses.isAnyWritten(base -> base < arrays.size())) {
      return KernelRaces.MAY_OVERLAP;
    }
    String unfollowed = new Obstacles(module).in(flow, graph);
    if (unfollowed != null) {
      return unfollowed;
    }
    if (values.accesses().stream()
        .allMatch(each -> Obstacles.isLocal(each.instruction()) || !each.writes())) {
      return null;
    }
    for (MemoryAccess access : values.accesses()) {
      if (!Obstacles.isLocal(access.instruction()) && !isFollowed(access)) {
        return access.writes()
            ? "it stores through an address that is not followed"
            : "it loads through an address that is not followed";
      }
    }
    return accesses.areTooMany()
        ? "it has more than " + SharedAccesses.MOST + " accesses to one memory"
        : null;
  }

  /**
   * Whether the memory of an access is known. An address that is made of several may lie in any of
   * them, which matters unless the kernel only loads there.
   */
  private boolean isFollowed(MemoryAccess access) {
    BitSet bases = dependences.bases(access.address());
    boolean isOne = bases.cardinality() == 1;
    return formulas.base(access.address()) != null
        && (isOne || (!access.writes() && bases.stream().noneMatch(accesses::isWritten)));
  }

  /** Where each value is loaded that differs from all that are loaded elsewhere in its array. */
  private Map<Node, Polynomial> distinctLoads() {
    Map<Node, Polynomial> found = distinctLoads;
    if (found == null) {
      found = new LinkedHashMap<>();
      boolean isAny = !distinct.isEmpty() || !assumedDistinct.isEmpty();
      for (int id = 0; id < nodes.size() && isAny; id++) {
        Polynomial offset = distinctLoad(nodes.node(id));
        if (offset != null) {
          found.put(nodes.node(id), offset);
        }
      }
      distinctLoads = found;
    }
    return found;
  }

  private @Nullable Polynomial distinctLoad(Node value) {
    MemoryAccess load = values.load(value);
    Node base = load == null ? null : formulas.base(load.address());
    if (load == null || base == null) {
      return null;
    }
    boolean isWhole =
        load.instruction().opcode().startsWith("ld")
            && isDistinct((int) base.constant, load)
            && !accesses.isWritten((int) base.constant)
            && symbols.isExact(load.address());
    return isWhole ? symbols.of(load.address()) : null;
  }

  private boolean isDistinct(int array, MemoryAccess load) {
    return assumedDistinct.contains(array)
        || (distinct.getOrDefault(array, 0) == load.width()
            // A part of a number is not distinct because the number is.
            && Widths.element(load.instruction()) == load.width());
  }

  /** Whether two accesses are apart if no two of the numbers in some arrays are equal. */
  private boolean isProvedIfDistinct(SharedAccess one, SharedAccess other, Set<Integer> numbers) {
    assumedDistinct = numbers;
    distinctLoads = null;
    try {
      return isProved(one, other);
    } finally {
      assumedDistinct = Set.of();
      distinctLoads = null;
    }
  }

  /**
   * Where in an array a value is loaded that is the same for all threads that load at this place;
   * null for other values.
   */
  private @Nullable Polynomial constantPlace(Node value) {
    Polynomial itself = Polynomial.of(value.id);
    Polynomial found = constantPlaces.get(value);
    if (found == null) {
      Polynomial place = loadedPlace(value);
      found = place == null ? itself : place;
      constantPlaces.put(value, found);
    }
    return found.equals(itself) ? null : found;
  }

  private @Nullable Polynomial loadedPlace(Node value) {
    MemoryAccess load = values.load(value);
    Node base = load == null ? null : formulas.base(load.address());
    if (load == null || base == null) {
      return null;
    }
    boolean isConstant =
        load.instruction().opcode().startsWith("ld")
            && !accesses.isWritten((int) base.constant)
            && !memory.isPrivate((int) base.constant)
            && symbols.isExact(load.address());
    return isConstant ? formulas.of(load.address()).minus(Polynomial.of(base.id)) : null;
  }

  private boolean isProved(SharedAccess one, SharedAccess other) {
    Place first = place(one);
    Place second = place(other);
    if (one.isGlobal()) {
      if (proves(first, second, true)) {
        return true;
      }
      if (!proves(first, second, limits.places(false), threads(false, NO_LOOPS))) {
        return false;
      }
    }
    if (!intervals.isOrdered()) {
      return provesInBlock(first, second, threads(true, NO_LOOPS));
    }
    for (int barrier : intervals.shared(one.access(), other.access())) {
      BitSet same = new BitSet();
      for (Loop loop : graph.loops()) {
        same.set(
            loop.index,
            loop.body.get(one.access().block())
                && loop.body.get(other.access().block())
                && intervals.isSameIteration(barrier, one.access(), other.access(), loop));
      }
      if (!provesInBlock(first, second, threads(true, same))) {
        return false;
      }
    }
    return true;
  }

  /** Whether two different threads of one block never touch a byte of both places. */
  private boolean provesInBlock(@Nullable Place one, @Nullable Place other, ThreadPair threads) {
    return one != null
        && other != null
        && (block.areApart(one, other, threads)
            || proves(one, other, limits.places(true), threads));
  }

  /** Where an access is; null if that is not known. */
  private @Nullable Place place(SharedAccess access) {
    return access.isExact() && access.width() > 0
        ? new Place(access.offset(), access.width(), facts.at(access.access()))
        : null;
  }

  /** Whether two different threads never touch a byte of both places, wherever barriers are. */
  private boolean proves(@Nullable Place one, @Nullable Place other, boolean isGlobal) {
    List<Node> identity = new ArrayList<>(limits.places(true));
    if (isGlobal) {
      identity.addAll(limits.places(false));
    }
    return proves(one, other, identity, threads(!isGlobal, NO_LOOPS));
  }

  /** Two threads, of one block or of any, that are in the same iteration of some loops. */
  private ThreadPair threads(boolean areInOneBlock, BitSet sameIterations) {
    return pairs.computeIfAbsent(
        new Threads(areInOneBlock, sameIterations),
        key -> new ThreadPair(symbols, areInOneBlock, sameIterations, this::constantPlace, budget));
  }

  private boolean proves(
      @Nullable Place one, @Nullable Place other, List<Node> identity, ThreadPair threads) {
    return one != null
        && other != null
        && proves(
            one,
            other,
            (first, second) ->
                new PairProof(threads.copy(), symbols, identity, distinctLoads(), budget)
                    .proves(first, second),
            MAX_CHOICES);
  }

  /** Whether a proof holds of two places, or of all that choices in their offsets lead to. */
  private boolean proves(Place one, Place other, BiPredicate<Place, Place> proof, int choices) {
    if (provesInSomeForm(one, other, proof)) {
      return true;
    }
    if (choices == 0 || budget.left() < MAX_WORK / 2) {
      return false;
    }
    List<Place> ways = facts.ways(one);
    List<Place> others = facts.ways(other);
    boolean areProved = ways.size() > 1 || others.size() > 1;
    for (Place first : ways) {
      for (Place second : others) {
        areProved = areProved && proves(first, second, proof, choices - 1);
      }
    }
    return areProved;
  }

  /** Whether a proof holds of two places, in the form first in which the last pair was proved. */
  private boolean provesInSomeForm(Place one, Place other, BiPredicate<Place, Place> proof) {
    for (UnaryOperator<Place> form : List.copyOf(forms)) {
      Place first = form.apply(one);
      Place second = form.apply(other);
      boolean isPlain = first.equals(one) && second.equals(other);
      if ((!isPlain || form == PLAIN) && proof.test(first, second)) {
        forms.remove(form);
        forms.add(0, form);
        return true;
      }
    }
    return false;
  }

  private Conflict conflict(SharedAccess one, SharedAccess other) {
    boolean isArray = one.memory() < arrays.size();
    SharedAccess store = one.writes() ? one : other;
    SharedAccess second = one.writes() ? other : one;
    return new Conflict(
        store.access().instruction(),
        second.access().instruction(),
        isArray ? one.memory() : -1,
        memory.variable(one.memory()));
  }

  private KernelRaces undecided(
      SharedAccess one, SharedAccess other, Conflict conflict, EqualNumbers equal) {
    Set<Node> loaded = new HashSet<>();
    Set<Integer> numbers = new TreeSet<>();
    for (SharedAccess each : List.of(one, other)) {
      // What a number is compared with leaves few places for it.
      loaded.addAll(Node.reached(formulas.parts(each.offset()), node -> node.bits > 1));
    }
    loaded.removeIf(node -> !node.is(Operator.UNKNOWN) || node.bits == 1);
    for (Node value : loaded) {
      if (threads(false, NO_LOOPS).isSame(value)) {
        continue;
      }
      MemoryAccess load = values.load(value);
      Node base = load == null ? null : formulas.base(load.address());
      boolean isInArray =
          load != null
              && base != null
              && load.instruction().opcode().startsWith("ld")
              && (int) base.constant < arrays.size()
              && !accesses.isWritten((int) base.constant);
      numbers.add(isInArray && base != null ? (int) base.constant : -1);
    }
    boolean isOfData = !numbers.isEmpty() && !numbers.contains(-1) && stored.matters(one, other);
    boolean isDeclared = distinct.keySet().containsAll(numbers);
    if (isOfData && !isDeclared && isProvedIfDistinct(one, other, numbers)) {
      return equal.conflict(one, other, numbers, new TrialLaunch(used, space, 0, 0))
          ? KernelRaces.ofData(conflict, numbers)
          : KernelRaces.unknown(
              "the index is loaded, and no equal numbers are found with which two threads conflict",
              conflict);
    }
    String reason =
        isOfData
            ? "the index is loaded, and numbers that are distinct would not keep the threads apart"
            : numbers.contains(-1)
                ? "the index depends on what the code does not show"
                : !one.isExact() || !other.isExact()
                    ? "the index may wrap around"
                    : KernelRaces.SAME_INDEX;
    return KernelRaces.unknown(reason, conflict);
  }
}
