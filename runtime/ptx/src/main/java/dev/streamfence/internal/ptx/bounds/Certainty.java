package dev.streamfence.internal.ptx.bounds;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.ptx.bounds.CertainAccess.Way;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Block;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Guards;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the branches on which it depends whether a thread makes an access, by control dependence: a
 * thread that takes such a branch the right way comes to the access before it ends.
 *
 * <p>The claim is that the access must be reached, which postdominance and control dependence
 * decide: Ferrante, Ottenstein, Warren, "The Program Dependence Graph and Its Use in Optimization".
 * Confined to one thread.
 */
final class Certainty {
  /** So many ways lead to one access at most; further ones are left out. */
  private static final int MAX_WAYS = 6;

  /** So many branches lie on one way at most; a longer one is left out. */
  private static final int MAX_LENGTH = 24;

  /** So many accesses of one array are looked at when a kernel is launched. */
  private static final int MAX_ACCESSES = 12;

  /** So many questions about ways, and blocks on them, are looked at for one kernel. */
  private static final int MAX_WORK = 400_000;

  private record Group(int block, int guard, Polynomial offset) {}

  private final ControlGraph graph;
  private final Guards guards;
  private final Formulas formulas;
  private final LaunchValues launchValues;

  /**
   * What was found of the blocks in some loops, each in the one before.
   *
   * @param ways those to a block
   * @param repeating for each block, those from which a thread may begin another iteration before
   *     it comes there
   */
  private record Around(
      List<Loop> loops, Map<Integer, List<List<Way>>> ways, Map<Integer, BitSet> repeating) {}

  /** What was found, by the innermost loop. */
  private final Map<Optional<Loop>, Around> found = new HashMap<>();

  private int work;

  Certainty(ControlGraph graph, Guards guards, Formulas formulas, LaunchValues launchValues) {
    this.graph = graph;
    this.guards = guards;
    this.formulas = formulas;
    this.launchValues = launchValues;
  }

  /** The certain ones among accesses to one array, of which only the farthest ones are kept. */
  List<CertainAccess> of(List<MemoryAccess> accesses) {
    Map<Group, List<MemoryAccess>> farthest = new HashMap<>();
    List<Group> order = new ArrayList<>();
    for (MemoryAccess access : accesses) {
      Polynomial offset = requireNonNull(formulas.offset(access.address()));
      Polynomial varying = offset.only(monomial -> !monomial.equals(Monomial.ONE));
      Node guard = access.guard();
      Group group = new Group(access.block(), guard == null ? -1 : guard.id, varying);
      List<MemoryAccess> kept = farthest.get(group);
      if (kept == null) {
        farthest.put(group, new ArrayList<>(List.of(access, access)));
        order.add(group);
      } else {
        kept.set(0, begin(access) < begin(kept.get(0)) ? access : kept.get(0));
        kept.set(1, end(access) > end(kept.get(1)) ? access : kept.get(1));
      }
    }
    List<CertainAccess> certain = new ArrayList<>();
    for (Group group : order) {
      List<MemoryAccess> both = requireNonNull(farthest.get(group));
      add(both.get(1), certain);
      if (begin(both.get(0)) < Math.min(0, begin(both.get(1)))) {
        add(both.get(0), certain);
      }
    }
    join(certain);
    certain.removeIf(access -> !launchValues.determine(access));
    return certain;
  }

  /** An access on both ways of a branch is made whatever the branch decides. */
  private static void join(List<CertainAccess> certain) {
    for (int i = 0; i < certain.size(); i++) {
      for (int j = 0; j < i; j++) {
        CertainAccess joined = joined(certain.get(i), certain.get(j));
        if (joined != null) {
          certain.remove(i);
          certain.set(j, joined);
          // It may have a partner of its own before it.
          i = 0;
          break;
        }
      }
    }
  }

  private static @Nullable CertainAccess joined(CertainAccess a, CertainAccess b) {
    List<Way> rest = new ArrayList<>(a.conditions());
    rest.removeAll(b.conditions());
    List<Way> others = new ArrayList<>(b.conditions());
    others.removeAll(a.conditions());
    boolean opposite =
        rest.size() == 1
            && others.size() == 1
            && others.get(0).equals(new Way(rest.get(0).predicate(), !rest.get(0).holds()));
    if (!opposite
        || a.address() != b.address()
        || a.conditions().size() != b.conditions().size()
        || !a.loops().equals(b.loops())) {
      return null;
    }
    List<Way> shared = new ArrayList<>(a.conditions());
    shared.removeAll(rest);
    return b.width() <= a.width() ? b.under(shared) : a.under(shared);
  }

  private long begin(MemoryAccess access) {
    return requireNonNull(formulas.offset(access.address())).coefficient(Monomial.ONE);
  }

  private long end(MemoryAccess access) {
    return begin(access) + access.width();
  }

  private void add(MemoryAccess access, List<CertainAccess> certain) {
    if (graph.block(access.block()).mayExit()) {
      return;
    }
    Around around =
        found.computeIfAbsent(
            Optional.ofNullable(graph.loop(access.block())),
            loop -> new Around(loops(access.block()), new HashMap<>(), new HashMap<>()));
    for (List<Way> ways : ways(around, access.block(), new TreeSet<>())) {
      if (certain.size() >= MAX_ACCESSES) {
        return;
      }
      List<Way> all = new ArrayList<>(ways);
      Node guard = access.guard();
      if (guard != null) {
        all.add(new Way(guard, true));
      }
      certain.add(
          new CertainAccess(
              access.instruction(),
              access.writes(),
              all.stream().distinct().toList(),
              around.loops(),
              access.address(),
              access.width()));
    }
  }

  private List<Loop> loops(int block) {
    List<Loop> loops = new ArrayList<>();
    for (Loop loop = graph.loop(block); loop != null; loop = loop.parent) {
      loops.add(0, loop);
    }
    return List.copyOf(loops);
  }

  /**
   * Whether a thread comes from the second block to the first one in the same iteration of the
   * loops around the access: at the end of an iteration it would come there in another one.
   */
  private boolean comesTo(Around around, int first, int second) {
    countWork();
    return first == second
        || (graph.postdominates(first, second)
            && !around
                .repeating()
                .computeIfAbsent(first, block -> repeatingBefore(block, around.loops()))
                .get(second));
  }

  /** The blocks from which a thread may begin another iteration before it comes to this one. */
  private BitSet repeatingBefore(int first, List<Loop> loops) {
    BitSet repeating = new BitSet();
    Deque<Integer> open = new ArrayDeque<>();
    for (Loop loop : loops) {
      for (int latch : loop.latches) {
        add(latch, first, repeating, open);
      }
    }
    while (!open.isEmpty()) {
      countWork();
      for (int before : graph.block(open.pop()).predecessors()) {
        add(before, first, repeating, open);
      }
    }
    return repeating;
  }

  private static void add(int block, int first, BitSet repeating, Deque<Integer> open) {
    if (block != first && !repeating.get(block)) {
      repeating.set(block);
      open.push(block);
    }
  }

  private void countWork() {
    if (++work > MAX_WORK) {
      throw new TooComplexException("it has too many branches");
    }
  }

  /** For each way to a block, the branches on it; none if no branch decides alone. */
  private List<List<Way>> ways(Around around, int block, Set<Integer> open) {
    List<List<Way>> known = around.ways().get(block);
    if (known != null) {
      return known;
    }
    if (comesTo(around, block, 0)) {
      return List.of(List.of());
    }
    List<List<Way>> all = new ArrayList<>();
    if (!open.add(block)) {
      return all;
    }
    boolean whole = true;
    BitSet leading = graph.leadingTo(block);
    for (int from = leading.nextSetBit(0);
        from >= 0 && all.size() < MAX_WAYS;
        from = leading.nextSetBit(from + 1)) {
      Block branch = graph.block(from);
      Node condition = guards.condition(from);
      for (int successor : branch.successors()) {
        boolean decides =
            comesTo(around, block, successor) && (from == block || !comesTo(around, block, from));
        // A call in front of the branch may end the thread.
        if (!decides
            || condition == null
            || branch.mayExit()
            || branch.taken() == branch.fallen()) {
          continue;
        }
        if (open.contains(from)) {
          // A later iteration of a loop comes this way, and only if an earlier one came another.
          whole = false;
          continue;
        }
        for (List<Way> before : ways(around, from, open)) {
          if (before.size() < MAX_LENGTH && all.size() < MAX_WAYS) {
            List<Way> longer = new ArrayList<>(before);
            longer.add(new Way(condition, branch.taken() == successor));
            all.add(longer);
          }
        }
      }
    }
    open.remove(block);
    if (whole || open.isEmpty()) {
      around.ways().put(block, all);
    }
    return all;
  }
}
