package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.CallEnds;
import dev.streamfence.internal.ptx.ir.CallSite;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.races.KernelRaces.Conflict;
import dev.streamfence.internal.ptx.races.KernelRaces.Restriction;
import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Guards;
import dev.streamfence.internal.ptx.symbolic.KernelValues;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The search for the races of one kernel. Confined to one thread, used once. */
final class RaceAnalysis {
  private static final int MAX_INSTRUCTIONS = 10_000;
  private static final int MAX_ACCESSES = 200;

  /** Steps of all proofs about one kernel: about a tenth of a second. */
  private static final int MAX_WORK = 60_000;

  /** Functions that print, or end the run. */
  private static final Set<String> HARMLESS = Set.of("vprintf", "__assertfail");

  /** Instructions that only read memory that no kernel's store reaches. */
  private static final Set<String> TEXTURES = Set.of("tex", "tld4", "suld", "txq", "suq");

  private final PtxModule module;
  private final List<ArrayPlace> arrays;
  private final LaunchSpace space;
  private final FunctionFlow flow;
  private final ControlGraph graph;
  private final NodeGraph nodes = new NodeGraph();
  private final NamedMemory memory;
  private final KernelValues values;
  private final Formulas formulas;
  private final Symbols symbols;
  private final PathFacts facts;
  private final BarrierIntervals intervals;
  private final Budget budget = new Budget(MAX_WORK);
  private final Set<Special> read = EnumSet.noneOf(Special.class);
  private final Map<Integer, List<SharedAccess>> accesses = new LinkedHashMap<>();
  private final Set<Integer> written = new TreeSet<>();
  private final Map<String, Boolean> harmless = new HashMap<>();
  private final List<Restriction> limited = new ArrayList<>();

  /** What was found of the pairs that are not proved; null if all are. */
  private @Nullable KernelRaces worst;

  RaceAnalysis(
      PtxModule module,
      PtxEntry entry,
      List<ArrayPlace> arrays,
      List<ArrayPlace> tables,
      LaunchSpace space) {
    this.module = module;
    this.arrays = arrays;
    this.space = space;
    if (entry.function().instructions().size() > MAX_INSTRUCTIONS) {
      throw new TooComplexException("it has more than " + MAX_INSTRUCTIONS + " instructions");
    }
    flow = new FunctionFlow(entry.function());
    graph = ControlGraph.of(flow, new CallEnds(module, false));
    memory = new NamedMemory(nodes, entry.function(), arrays, tables);
    values = new KernelValues(flow, graph, nodes, memory);
    values.evaluate();
    formulas = new Formulas(nodes, graph);
    symbols = new Symbols(nodes, formulas, graph, space);
    Guards guards = new Guards(graph, values);
    facts = new PathFacts(nodes, graph, guards, formulas, symbols, budget);
    for (int id = 0; id < nodes.size(); id++) {
      if (nodes.node(id).is(Operator.SPECIAL)) {
        read.add(nodes.node(id).special());
      }
    }
    findAccesses();
    limitBlocks();
    ThreadPair block = new ThreadPair(symbols, true, loop -> true, this::isConstantLoad, budget);
    intervals =
        new BarrierIntervals(
            flow,
            graph,
            at -> {
              Node condition = values.condition(at);
              return condition != null && block.isSame(condition);
            });
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
      return known != null && known.verdict() != Verdict.DATA
          ? known
          : KernelRaces.unknown(String.valueOf(e.getMessage()));
    }
    KernelRaces found = worst;
    return found == null ? new KernelRaces(Verdict.PROVED, "", null, restrictions()) : found;
  }

  /** Looks at pairs of accesses until one conflicts for certain. */
  private void decide() {
    MeetingThreads meeting =
        new MeetingThreads(nodes, graph, flow, values, intervals, read, space, budget);
    for (List<SharedAccess> pair : pairs()) {
      SharedAccess one = pair.get(0);
      SharedAccess other = pair.get(1);
      boolean isOpen = worst == null || worst.verdict() == Verdict.DATA;
      // Once the code does not show it of one pair, only a certain conflict says more.
      if (isOpen && isProved(one, other)) {
        continue;
      }
      Conflict conflict = conflict(one, other);
      if (meeting.isCertain(one, other)) {
        worst = new KernelRaces(Verdict.CERTAIN, "", conflict, List.of());
        return;
      }
      worst = isOpen ? undecided(one, other, conflict) : worst;
    }
  }

  /** The pairs of accesses that may conflict, first those of one instruction in two threads. */
  private List<List<SharedAccess>> pairs() {
    List<List<SharedAccess>> found = new ArrayList<>();
    for (int distance = 0; distance < MAX_ACCESSES; distance++) {
      for (int base : written) {
        List<SharedAccess> all = accesses.getOrDefault(base, List.of());
        for (int i = 0; i + distance < all.size(); i++) {
          if (conflicts(all.get(i), all.get(i + distance))) {
            found.add(List.of(all.get(i), all.get(i + distance)));
          }
        }
      }
    }
    return found;
  }

  /** What keeps all accesses from being compared; null if nothing does. */
  private @Nullable String obstacle() {
    if (space.mayAlias() && written.stream().anyMatch(base -> base < arrays.size())) {
      return "its arrays may overlap";
    }
    for (int block = 0; block < graph.size(); block++) {
      for (int i = graph.block(block).first(); i < graph.block(block).end(); i++) {
        String obstacle = obstacle(flow.instruction(i), flow.rule(i));
        if (obstacle != null) {
          return obstacle;
        }
      }
    }
    if (values.accesses().stream()
        .allMatch(each -> isLocal(each.instruction()) || !each.writes())) {
      return null;
    }
    for (MemoryAccess access : values.accesses()) {
      Node base = isLocal(access.instruction()) ? null : formulas.base(access.address());
      if (base == null && !isLocal(access.instruction())) {
        return access.writes()
            ? "it stores through an address that is not followed"
            : "it loads through an address that is not followed";
      }
    }
    return accesses.values().stream().anyMatch(all -> all.size() > MAX_ACCESSES)
        ? "it has more than " + MAX_ACCESSES + " accesses to one memory"
        : null;
  }

  private @Nullable String obstacle(Instruction instruction, Opcode rule) {
    String opcode = instruction.opcode();
    if (rule.effect() == Opcode.Effect.CALLS) {
      return isHarmless(instruction) ? null : "it calls a function";
    }
    boolean isAsynchronous =
        rule.effect() == Opcode.Effect.COPIES
            || instruction.has("async")
            || opcode.equals("mbarrier");
    if (isAsynchronous) {
      return "it copies asynchronously";
    }
    boolean isUnknown = rule.effect() == Opcode.Effect.UNKNOWN || opcode.equals("sust");
    return isUnknown && !TEXTURES.contains(opcode) ? "'" + opcode + "' is not followed" : null;
  }

  /** Whether a call touches no memory that other threads reach, and waits for none. */
  private boolean isHarmless(Instruction call) {
    String name = CallSite.of(call).name().orElse("");
    Boolean found = HARMLESS.contains(name) ? Boolean.TRUE : harmless.get(name);
    if (found != null) {
      return found;
    }
    // A function that calls itself is none until its end is known.
    harmless.put(name, false);
    PtxFunction called = module.function(name).filter(PtxFunction::hasBody).orElse(null);
    boolean isHarmless = called != null;
    FunctionFlow body = called == null ? null : new FunctionFlow(called);
    for (int i = 0; body != null && i < body.size(); i++) {
      Instruction each = body.instruction(i);
      isHarmless &=
          switch (body.rule(i).effect()) {
            case COMPUTES -> !each.opcode().startsWith("bar");
            case CALLS -> isHarmless(each);
            case READS, WRITES -> isLocal(each);
            default -> body.rule(i).control() != Opcode.Control.NEXT;
          };
    }
    harmless.put(name, isHarmless);
    return isHarmless;
  }

  private static boolean isLocal(Instruction instruction) {
    Set<StateSpace> spaces = Set.copyOf(instruction.spaces());
    return !spaces.isEmpty()
        && Set.of(StateSpace.LOCAL, StateSpace.PARAM, StateSpace.CONST).containsAll(spaces);
  }

  private void findAccesses() {
    record Alike(
        int base,
        int block,
        int barriers,
        int guard,
        Polynomial offset,
        int width,
        String instruction) {}

    Set<Alike> seen = new HashSet<>();
    for (MemoryAccess access : values.accesses()) {
      Node base = isLocal(access.instruction()) ? null : formulas.base(access.address());
      if (base == null || memory.isPrivate((int) base.constant)) {
        continue;
      }
      int index = (int) base.constant;
      Polynomial offset =
          symbols.fixed(formulas.of(access.address()).minus(Polynomial.of(base.id)));
      if (offset == null) {
        throw new TooComplexException("an address is too long a formula");
      }
      if (access.writes()) {
        written.add(index);
      }
      Alike alike =
          new Alike(
              index,
              access.block(),
              barriersBefore(access),
              access.guard() == null ? -1 : access.guard().id,
              offset,
              access.width(),
              access.instruction().mnemonic());
      if (seen.add(alike)) {
        accesses
            .computeIfAbsent(index, key -> new ArrayList<>())
            .add(
                new SharedAccess(
                    access, index, memory.isGlobal(index), offset, isExact(access.address())));
      }
    }
  }

  /** How many barriers of its block of code lie before an access. */
  private int barriersBefore(MemoryAccess access) {
    int count = 0;
    for (int i = graph.block(access.block()).first(); i < access.index(); i++) {
      count += BarrierIntervals.isBarrier(flow.instruction(i)) ? 1 : 0;
    }
    return count;
  }

  private boolean isExact(Node address) {
    return formulas.conditions(address).stream().allMatch(symbols::isAssumed);
  }

  /** Whether equal addresses hold equal values for a load. */
  private boolean isConstantLoad(Node value) {
    MemoryAccess load = values.load(value);
    Node base = load == null ? null : formulas.base(load.address());
    if (load == null || base == null || !load.instruction().opcode().startsWith("ld")) {
      return false;
    }
    Polynomial offset = formulas.of(load.address()).minus(Polynomial.of(base.id));
    return offset != null
        && !written.contains((int) base.constant)
        && !memory.isPrivate((int) base.constant)
        && formulas.isUniform(offset);
  }

  /** Whether two accesses would be a race if they met. */
  private boolean conflicts(SharedAccess one, SharedAccess other) {
    if (!one.writes() && !other.writes()) {
      return false;
    }
    boolean areOrdered =
        one.isAtomic()
            && other.isAtomic()
            && !(one.isGlobal() && (one.isOfBlock() || other.isOfBlock()));
    return !areOrdered;
  }

  private boolean isProved(SharedAccess one, SharedAccess other) {
    if (one.isGlobal()) {
      List<Node> blocks = places(false);
      List<Node> all = new ArrayList<>(places(true));
      all.addAll(blocks);
      if (proves(one, other, all, false, loop -> false)) {
        return true;
      }
      if (!proves(one, other, blocks, false, loop -> false)) {
        return false;
      }
    }
    if (!intervals.isOrdered()) {
      return proves(one, other, places(true), true, loop -> false);
    }
    for (int barrier : intervals.shared(one.access(), other.access())) {
      IntPredicate isSame =
          index -> {
            Loop loop = graph.loops().get(index);
            return loop.body.get(one.access().block())
                && loop.body.get(other.access().block())
                && intervals.isSameIteration(barrier, one.access(), other.access(), loop);
          };
      if (!proves(one, other, places(true), true, isSame)) {
        return false;
      }
    }
    return true;
  }

  private boolean proves(
      SharedAccess one,
      SharedAccess other,
      List<Node> identity,
      boolean areInOneBlock,
      IntPredicate isSameIteration) {
    ThreadPair pair =
        new ThreadPair(symbols, areInOneBlock, isSameIteration, this::isConstantLoad, budget);
    return new PairProof(pair, symbols, facts, identity, budget).proves(one, other);
  }

  /** The indices of threads, or of blocks, that differ within the launches. */
  private List<Node> places(boolean ofThreads) {
    return Special.ALL.stream()
        .filter(special -> ofThreads ? special.isThread : special.isBlock)
        .filter(special -> read.contains(special) || hasSeveral(special))
        .map(nodes::special)
        .toList();
  }

  private boolean hasSeveral(Special index) {
    return index.isThread
        ? space.hasSeveralThreads(index.dimension)
        : space.hasSeveralBlocks(index.dimension);
  }

  /**
   * Takes it of a block whose size the code does not read that it is no larger than the numbers by
   * which the code multiplies other indices.
   */
  private void limitBlocks() {
    for (int dimension = 0; dimension < 3; dimension++) {
      Special place = Special.thread(dimension);
      Special size = Special.blockSize(dimension);
      if (space.threads(dimension) > 0 || !read.contains(place) || read.contains(size)) {
        continue;
      }
      Monomial own = new Monomial(nodes.special(place).id);
      long least = 0;
      for (List<SharedAccess> all : accesses.values()) {
        for (SharedAccess access : all) {
          long unit = access.offset().coefficient(own);
          for (Special other : read) {
            Monomial index = new Monomial(nodes.special(other).id);
            long weight = access.offset().coefficient(index);
            boolean isMultiple = unit > 0 && weight > unit && weight % unit == 0;
            if (other.differs() && isMultiple) {
              least = least == 0 ? weight / unit : Math.min(least, weight / unit);
            }
          }
        }
      }
      if (least > 0 && least <= 1024) {
        symbols.limit(dimension, (int) least);
        limited.add(new Restriction("blockDim." + "xyz".charAt(dimension), (int) least));
      }
    }
  }

  /** What a proof takes for granted: one thread or block in dimensions that the code ignores. */
  private List<Restriction> restrictions() {
    List<Restriction> found = new ArrayList<>(limited);
    boolean hasGlobal = written.stream().anyMatch(memory::isGlobal);
    for (Special special : Special.ALL) {
      boolean isFlat =
          special.isThread
              ? space.isFlat(special.dimension)
              : space.isOneDimensional() && special.dimension > 0;
      boolean matters = special.isThread || (special.isBlock && hasGlobal);
      if (matters && !isFlat && !hasSeveral(special) && !read.contains(special)) {
        String size = special.isThread ? "blockDim." : "gridDim.";
        found.add(new Restriction(size + "xyz".charAt(special.dimension), 1));
      }
    }
    return found;
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

  private KernelRaces undecided(SharedAccess one, SharedAccess other, Conflict conflict) {
    Set<Node> loaded = new HashSet<>();
    boolean isOfData = true;
    for (SharedAccess each : List.of(one, other)) {
      for (Monomial monomial : each.offset().terms().keySet()) {
        for (int id : monomial.nodes()) {
          collectLoads(nodes.node(id), loaded, new HashSet<>());
        }
      }
    }
    for (Node value : loaded) {
      MemoryAccess load = values.load(value);
      Node base = load == null ? null : formulas.base(load.address());
      isOfData &=
          load != null
              && base != null
              && load.instruction().opcode().startsWith("ld")
              && (int) base.constant < arrays.size()
              && !written.contains((int) base.constant);
    }
    if (!loaded.isEmpty() && isOfData) {
      return new KernelRaces(Verdict.DATA, "the index is loaded", conflict, List.of());
    }
    String reason =
        !loaded.isEmpty()
            ? "the index depends on what the code does not show"
            : !one.isExact() || !other.isExact()
                ? "the index may wrap around"
                : "two threads may have the same index";
    return new KernelRaces(Verdict.UNKNOWN, reason, conflict, List.of());
  }

  private void collectLoads(Node node, Set<Node> loaded, Set<Node> seen) {
    if (!seen.add(node)) {
      return;
    }
    if (node.is(Operator.UNKNOWN)) {
      loaded.add(node);
    }
    node.inputs.forEach(input -> collectLoads(input, loaded, seen));
  }
}
