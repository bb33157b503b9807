package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Block;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Formulas.Condition;
import dev.streamfence.internal.ptx.symbolic.Guards;
import dev.streamfence.internal.ptx.symbolic.Guards.Fact;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one comparison that ends a loop: {@code first + step * iteration} against 0. Immutable.
 *
 * @param untilZero whether the loop ends where the sum is 0; otherwise where it is negative
 * @param conditions under which the comparison is the one of its formula; each is linear in the
 *     iteration, so that it holds in all iterations if it holds in the first and the last one
 */
record LoopEnd(
    Polynomial difference,
    Polynomial first,
    Polynomial step,
    boolean untilZero,
    List<Condition> conditions) {
  /** The end of a loop; null if it has other exits, or none of this form. */
  static @Nullable LoopEnd of(
      Loop loop, ControlGraph graph, Guards guards, Formulas formulas, NodeGraph nodes) {
    int exit = onlyExit(loop, graph);
    if (exit < 0) {
      return null;
    }
    Block branch = graph.block(exit);
    Node condition = guards.condition(exit);
    if (condition == null || !isComparison(condition)) {
      return null;
    }
    boolean goesOnTaken = branch.taken() >= 0 && loop.body.get(branch.taken());
    List<Fact> facts = guards.facts(condition, goesOnTaken);
    if (facts.isEmpty()) {
      return null;
    }
    Fact goesOn = facts.get(0);
    boolean equality = goesOn.operation() == Operator.EQUAL;
    if (equality && goesOn.isTrue()) {
      return null;
    }
    Polynomial difference = goesOn.difference(formulas);
    if (difference == null || difference.has(id -> formulas.is(id, Operator.BASE))) {
      return null;
    }
    int iteration = nodes.iteration(loop.index).id;
    Polynomial step = coefficient(difference, iteration);
    Polynomial first = difference.only(monomial -> !monomial.has(id -> id == iteration));
    boolean changes =
        difference.has(id -> id != iteration && !formulas.isInvariant(nodes.node(id), loop));
    if (step == null || step.isZero() || changes) {
      return null;
    }
    List<Condition> conditions = goesOn.conditions(formulas);
    for (Condition each : conditions) {
      Polynomial value = formulas.of(each.value());
      // Only a value that grows evenly is in its range between two iterations in which it is.
      if (coefficient(value, iteration) == null
          || value.has(id -> id != iteration && !formulas.isInvariant(nodes.node(id), loop))) {
        return null;
      }
    }
    return new LoopEnd(difference, first, step, equality, List.copyOf(conditions));
  }

  private static boolean isComparison(Node predicate) {
    Node inner = predicate;
    while (inner.is(Operator.NOT)) {
      inner = inner.input(0);
    }
    return switch (inner.operation) {
      case EQUAL, LESS, LESS_OR_EQUAL, LESS_UNSIGNED, LESS_OR_EQUAL_UNSIGNED -> true;
      default -> false;
    };
  }

  /** What a value is multiplied by in a polynomial; null if it occurs in a higher power. */
  static @Nullable Polynomial coefficient(Polynomial polynomial, int node) {
    Polynomial sum = Polynomial.ZERO;
    Monomial once = new Monomial(node);
    for (Term term : polynomial.terms()) {
      Monomial rest = term.product().without(once);
      if (rest == null) {
        continue;
      }
      Polynomial next =
          rest.has(id -> id == node) ? null : sum.plus(Polynomial.term(rest, term.coefficient()));
      if (next == null) {
        return null;
      }
      sum = next;
    }
    return sum;
  }

  /** The block from which alone control leaves the loop, once per iteration; negative if none. */
  private static int onlyExit(Loop loop, ControlGraph graph) {
    int exit = -1;
    for (int block = loop.body.nextSetBit(0); block >= 0; block = loop.body.nextSetBit(block + 1)) {
      Block code = graph.block(block);
      boolean leaves = code.leaves();
      for (int successor : code.successors()) {
        leaves |= !loop.body.get(successor);
      }
      if (!leaves) {
        continue;
      }
      if (exit >= 0 || code.mayExit() || code.branch() == null) {
        return -1;
      }
      exit = block;
    }
    boolean eachTime =
        exit >= 0
            && graph.loop(exit) == loop
            && loop.latches.size() == 1
            && graph.dominates(exit, loop.latches.get(0));
    return eachTime ? exit : -1;
  }
}
