package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.bounds.CertainAccess.Way;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.Check;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.End;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.Followed;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.Growth;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.Target;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Block;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Formulas.Condition;
import dev.streamfence.internal.ptx.symbolic.Guards;
import dev.streamfence.internal.ptx.symbolic.Guards.Fact;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes the plan by which a {@link Witness} follows threads. Confined to one thread, used once. */
final class WitnessPlanner {
  private final NodeGraph nodes;
  private final Guards guards;
  private final ControlGraph graph;
  private final Formulas formulas;
  private final Dependences dependences;
  private final LoopEnds loopEnds;
  private final @Nullable End[] ends;
  private final @Nullable Growth[] growths;

  WitnessPlanner(
      NodeGraph nodes,
      ControlGraph graph,
      LoopEnds loopEnds,
      Guards guards,
      Formulas formulas,
      Dependences dependences) {
    this.nodes = nodes;
    this.guards = guards;
    this.graph = graph;
    this.loopEnds = loopEnds;
    this.formulas = formulas;
    this.dependences = dependences;
    this.ends = new End[graph.loops().size()];
    for (Loop loop : graph.loops()) {
      LoopEnd end = loopEnds.of(loop);
      if (end != null) {
        ends[loop.index] =
            new End(
                new CompiledSum(end.first()),
                new CompiledSum(end.step()),
                end.untilZero(),
                checks(end.conditions()));
      }
    }
    this.growths = new Growth[nodes.size()];
    formulas
        .steps()
        .forEach(
            (phi, step) ->
                growths[phi.id] =
                    ifShort(
                        () ->
                            new Growth(
                                new CompiledSum(step), checks(formulas.growthConditions(phi)))));
  }

  /** A part of the plan; null, as if it were not known, if it is too long a formula. */
  static <T> @Nullable T ifShort(Supplier<@Nullable T> part) {
    try {
      return part.get();
    } catch (TooComplexException e) {
      return null;
    }
  }

  private List<Check> checks(Iterable<Condition> conditions) {
    List<Check> checks = new ArrayList<>();
    for (Condition condition : conditions) {
      checks.add(
          new Check(
              new CompiledSum(formulas.relative(condition.value())),
              condition.least(),
              condition.most()));
    }
    return List.copyOf(checks);
  }

  /**
   * Prepares the choice of threads for an access.
   *
   * @param place the file and line of its instruction; empty if the code does not have them
   */
  Followed followed(CertainAccess access, String place) {
    List<Polynomial> differences = new ArrayList<>();
    List<Integer> loops = new ArrayList<>();
    for (Loop loop : access.loops()) {
      LoopEnd end = loopEnds.of(loop);
      if (end != null && !end.untilZero()) {
        differences.add(end.difference());
        loops.add(loop.index);
      }
    }
    for (Way way : access.conditions()) {
      for (Fact fact : guards.facts(way.predicate(), way.holds())) {
        Polynomial difference = fact.isTrue() ? ifShort(() -> fact.difference(formulas)) : null;
        if (difference != null) {
          differences.add(difference);
          loops.add(-1);
        }
      }
    }
    List<Target> found = new ArrayList<>();
    for (int i = 0; i < differences.size(); i++) {
      for (int dimension = 0; dimension < 3; dimension++) {
        Target target = target(differences.get(i), dimension, loops.get(i));
        if (target != null) {
          found.add(target);
        }
      }
    }
    return new Followed(
        new ReachedAccess(access.instruction().line(), place, access.writes(), arguments(access)),
        access.width(),
        access.conditions(),
        access.loops().stream().map(loop -> loop.index).toList(),
        access.address(),
        List.copyOf(found),
        choices(access, found));
  }

  /** The numbers of the launch on which an access, its branches and the loops' ends depend. */
  private List<Integer> arguments(CertainAccess access) {
    List<Node> open = new ArrayList<>(List.of(access.address()));
    access.conditions().forEach(way -> open.add(way.predicate()));
    for (Loop loop : access.loops()) {
      for (int block = loop.body.nextSetBit(0);
          block >= 0;
          block = loop.body.nextSetBit(block + 1)) {
        Node condition = guards.condition(block);
        if (condition != null && leaves(loop, block)) {
          open.add(condition);
        }
      }
    }
    Set<Integer> found = new TreeSet<>();
    for (Node node : Node.reached(open, node -> true)) {
      if (node.is(Operator.ARGUMENT)) {
        found.add((int) node.constant);
      }
    }
    return List.copyOf(found);
  }

  private boolean leaves(Loop loop, int block) {
    Block code = graph.block(block);
    return code.leaves()
        || (code.taken() >= 0 && !loop.body.get(code.taken()))
        || (code.fallen() >= 0 && !loop.body.get(code.fallen()));
  }

  /** The threads that may come farthest: of an index that only grows, the last ones. */
  private List<Witness.Choice> choices(CertainAccess access, List<Target> found) {
    List<Witness.Choice> worth = new ArrayList<>();
    if (found.stream().anyMatch(target -> target.perIteration() != null)) {
      worth.add(Witness.Choice.LAST_OF_LOOPS);
    }
    worth.add(Witness.Choice.LAST_OF_GUARDS);
    Polynomial offset = formulas.offset(access.address());
    boolean grows =
        offset != null
            && offset.terms().stream()
                .allMatch(term -> term.coefficient() >= 0 && !term.product().has(this::mayFall));
    if (!grows) {
      worth.add(Witness.Choice.FIRST);
    }
    return List.copyOf(worth);
  }

  private boolean mayFall(int id) {
    Node node = nodes.node(id);
    return !node.is(Operator.SPECIAL) && !node.is(Operator.ITERATION);
  }

  private @Nullable Target target(Polynomial difference, int dimension, int loop) {
    int thread = special(dimension, true);
    int block = special(dimension, false);
    int iteration = loop < 0 ? -1 : nodes.iteration(loop).id;
    Polynomial perThread = LoopEnd.coefficient(difference, thread);
    Polynomial perBlock = LoopEnd.coefficient(difference, block);
    Polynomial perIteration =
        loop < 0 ? Polynomial.ZERO : LoopEnd.coefficient(difference, iteration);
    if (perThread == null || perBlock == null || perIteration == null) {
      return null;
    }
    Polynomial rest =
        difference.only(
            monomial -> !monomial.has(id -> id == thread || id == block || id == iteration));
    List<Polynomial> uniform = List.of(perThread, perBlock, perIteration);
    boolean isUniform = uniform.stream().allMatch(formulas::isUniform);
    // Indices of other dimensions are known when this one is chosen: chosen before it, or 0.
    boolean isKnown = !rest.has(id -> formulas.varies(id) && !nodes.node(id).is(Operator.SPECIAL));
    boolean differs = !perThread.isZero() || !perBlock.isZero();
    if (!isUniform || !isKnown || !differs) {
      return null;
    }
    return new Target(
        dimension,
        new CompiledSum(rest),
        negated(perBlock),
        negated(perThread),
        perIteration.isZero() ? null : negated(perIteration));
  }

  private static CompiledSum negated(Polynomial polynomial) {
    Polynomial negated = Polynomial.ZERO.minus(polynomial);
    return new CompiledSum(negated == null ? Polynomial.ZERO : negated);
  }

  private int special(int dimension, boolean thread) {
    for (Special special : Special.ALL) {
      boolean wanted = thread ? special.isThread : special.isBlock;
      if (wanted && special.dimension == dimension) {
        return nodes.special(special).id;
      }
    }
    throw new IllegalArgumentException("there is no dimension " + dimension);
  }

  /** The plan for all accesses that were prepared. */
  WitnessPlan plan() {
    List<Node> all = new ArrayList<>();
    int[] loops = new int[nodes.size()];
    BitSet addresses = new BitSet();
    for (int i = 0; i < nodes.size(); i++) {
      Node node = nodes.node(i);
      all.add(node);
      Loop loop = node.isCarried ? graph.loop(node.block) : null;
      loops[i] = loop == null ? -1 : loop.index;
      addresses.set(i, dependences.dependsOnAny(node));
    }
    return new WitnessPlan(all, loops, addresses, growths, ends);
  }
}
