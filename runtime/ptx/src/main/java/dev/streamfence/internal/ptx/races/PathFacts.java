package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Formulas.Condition;
import dev.streamfence.internal.ptx.symbolic.Guards;
import dev.streamfence.internal.ptx.symbolic.Guards.Fact;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a thread's branches say of its numbers where it makes an access. Confined to one thread. */
final class PathFacts {
  /** Facts that hold at one place at most; the farthest ones are left out. */
  private static final int MAX_FACTS = 24;

  /**
   * What holds at a place.
   *
   * @param natural what is not negative
   * @param zero what is 0
   */
  record Known(List<Polynomial> natural, List<Polynomial> zero) {
    Known() {
      this(new ArrayList<>(), new ArrayList<>());
    }

    /** All of it as what is not negative. */
    List<Polynomial> inequalities() {
      List<Polynomial> all = new ArrayList<>(natural);
      for (Polynomial each : zero) {
        Polynomial negated = Polynomial.ZERO.minus(each);
        all.add(each);
        if (negated != null) {
          all.add(negated);
        }
      }
      return all;
    }

    boolean isFull() {
      return natural.size() + zero.size() >= MAX_FACTS;
    }

    void addAll(Known other) {
      natural.addAll(other.natural);
      zero.addAll(other.zero);
    }

    /** Leaves what holds at another place as well. */
    void retainAll(Known other) {
      natural.retainAll(other.natural);
      zero.retainAll(other.zero);
    }
  }

  private final NodeGraph nodes;
  private final ControlGraph graph;
  private final Guards guards;
  private final Formulas formulas;
  private final Symbols symbols;
  private final Budget budget;
  private final Map<Integer, Known> known = new HashMap<>();

  PathFacts(
      NodeGraph nodes,
      ControlGraph graph,
      Guards guards,
      Formulas formulas,
      Symbols symbols,
      Budget budget) {
    this.nodes = nodes;
    this.graph = graph;
    this.guards = guards;
    this.formulas = formulas;
    this.symbols = symbols;
    this.budget = budget;
  }

  /** What holds where a thread makes an access. */
  Known at(MemoryAccess access) {
    Known found = new Known();
    if (access.guard() != null) {
      addAll(Guards.facts(access.guard(), true), found);
    }
    found.addAll(at(access.block()));
    return found;
  }

  private Known at(int block) {
    Known before = known.get(block);
    if (before != null) {
      return before;
    }
    Known found = new Known();
    known.put(block, found);
    for (int at = block; at != 0 && !found.isFull(); ) {
      List<Integer> predecessors = graph.block(at).predecessors();
      if (predecessors.size() == 1) {
        addAll(guards.along(predecessors.get(0), at), found);
        at = predecessors.get(0);
        continue;
      }
      Loop loop = graph.loop(at);
      int dominator = graph.dominator(at);
      if (loop != null && loop.header == at && loop.latches.size() == 1) {
        addIterations(loop, at(dominator), found);
      }
      at = dominator;
    }
    return found;
  }

  private void addAll(List<Fact> facts, Known found) {
    for (Fact fact : facts) {
      Polynomial difference = difference(fact);
      if (difference == null || found.isFull()) {
        continue;
      }
      if (fact.operation() != Operator.EQUAL) {
        found.natural.add(difference);
        Polynomial left = symbols.of(fact.left());
        if (isUnsigned(fact) && left != null) {
          found.natural.add(left);
        }
      } else if (fact.isTrue()) {
        found.zero.add(difference);
      }
    }
  }

  private static boolean isUnsigned(Fact fact) {
    return fact.operation() == Operator.LESS_UNSIGNED
        || fact.operation() == Operator.LESS_OR_EQUAL_UNSIGNED
        || fact.left().is(Operator.ZERO_EXTEND);
  }

  /** What a fact compares, if it compares the numbers of its formulas; otherwise null. */
  private @Nullable Polynomial difference(Fact fact) {
    for (Condition condition : formulas.conditions(fact.left())) {
      if (!symbols.isAssumed(condition)) {
        return null;
      }
    }
    for (Condition condition : formulas.conditions(fact.right())) {
      if (!symbols.isAssumed(condition)) {
        return null;
      }
    }
    Polynomial more = formulas.of(fact.right());
    boolean isUnsigned =
        fact.operation() == Operator.LESS_UNSIGNED
            || fact.operation() == Operator.LESS_OR_EQUAL_UNSIGNED
            || formulas.conditions(fact.right()).stream().anyMatch(each -> each.least() == 0);
    // A number below 0 is a large one without a sign.
    boolean isOfLaunch = formulas.isUniform(more) && more.has(id -> true);
    boolean mayWrap = isUnsigned && !isOfLaunch && !symbols.isPlainlyNatural(more);
    if (fact.operation() != Operator.EQUAL && mayWrap) {
      return null;
    }
    Polynomial difference = symbols.fixed(fact.difference(formulas));
    return difference == null || difference.has(id -> formulas.is(id, Operator.BASE))
        ? null
        : difference;
  }

  /** What holds in every iteration because the loop went on after the one before. */
  private void addIterations(Loop loop, Known before, Known found) {
    int latch = loop.latches.get(0);
    List<Fact> facts = new ArrayList<>(guards.along(latch, loop.header));
    for (int block = latch; block != loop.header; block = guards.origin(block)) {
      List<Integer> predecessors = graph.block(block).predecessors();
      if (predecessors.size() == 1) {
        facts.addAll(guards.along(predecessors.get(0), block));
      }
    }
    int iteration = nodes.iteration(loop.index).id;
    for (Fact fact : facts) {
      Polynomial difference = difference(fact);
      boolean isFollowed =
          difference != null
              && difference.has(id -> id == iteration)
              && !difference.has(
                  id -> id != iteration && !formulas.isInvariant(nodes.node(id), loop));
      Polynomial previous = Polynomial.of(iteration).minus(Polynomial.constant(1));
      Polynomial last =
          difference == null || previous == null || !isFollowed
              ? null
              : difference.with(iteration, previous);
      Polynomial holds = last == null ? null : held(fact, last, iteration);
      Polynomial first = holds == null ? null : holds.with(iteration, Polynomial.ZERO);
      if (holds != null
          && first != null
          && !found.isFull()
          && proofs(before, first).isNatural(first)) {
        found.natural.add(holds);
      }
    }
  }

  /** What is not negative in an iteration if a fact held in the one before. */
  private static @Nullable Polynomial held(Fact fact, Polynomial last, int iteration) {
    if (fact.operation() != Operator.EQUAL) {
      return last;
    }
    // A number that is not 0 and changes by one stays on its side.
    long step = last.coefficient(new Monomial(iteration));
    long distance = Math.abs(step);
    boolean divides =
        distance > 0
            && last.terms().stream().allMatch(term -> term.coefficient() % distance == 0)
            && !last.only(m -> !m.equals(new Monomial(iteration))).has(id -> id == iteration);
    if (fact.isTrue() || !divides) {
      return null;
    }
    Polynomial falling = step < 0 ? last : Polynomial.ZERO.minus(last);
    return falling == null ? null : falling.minus(Polynomial.constant(distance));
  }

  private Inequalities proofs(Known before, Polynomial goal) {
    List<Polynomial> given = before.inequalities();
    List<Polynomial> all = new ArrayList<>(given);
    all.add(goal);
    ThreadPair.closure(all, symbols, given::add);
    return new Inequalities(given, symbols::isNatural, budget);
  }
}
