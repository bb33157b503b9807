package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Formulas.Condition;
import dev.streamfence.internal.ptx.symbolic.Guards;
import dev.streamfence.internal.ptx.symbolic.Guards.Fact;
import dev.streamfence.internal.ptx.symbolic.LoadedNumbers;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What holds in every iteration of a loop because its guards held in the iteration before. Confined
 * to one thread.
 */
final class LoopFacts {
  private final Ranges ranges;
  private final NodeGraph nodes;
  private final ControlGraph graph;
  private final Guards guards;
  private final Formulas formulas;
  private final LoadedNumbers loaded;
  private final TripCounts tripCounts;
  private final CarriedValues carried;

  LoopFacts(
      Ranges ranges,
      NodeGraph nodes,
      ControlGraph graph,
      Guards guards,
      Formulas formulas,
      LoadedNumbers loaded,
      TripCounts tripCounts,
      CarriedValues carried) {
    this.ranges = ranges;
    this.nodes = nodes;
    this.graph = graph;
    this.guards = guards;
    this.formulas = formulas;
    this.loaded = loaded;
    this.tripCounts = tripCounts;
    this.carried = carried;
  }

  /**
   * What is known where a loop's header begins.
   *
   * @param entry what is known before the loop
   * @param isOnlyEntry whether it is known where the only branch leads into the loop
   */
  Context at(Loop loop, Context entry, boolean isOnlyEntry) {
    Context within = within(entry, loop);
    return isOnlyEntry ? carried(within, loop, entry) : within;
  }

  private Context within(Context before, Loop loop) {
    if (loop.latches.size() != 1) {
      return before;
    }
    int latch = loop.latches.get(0);
    List<Fact> facts = new ArrayList<>(guards.along(latch, loop.header));
    for (int block = latch; block != loop.header; ) {
      List<Integer> predecessors = graph.block(block).predecessors();
      if (predecessors.size() == 1) {
        facts.addAll(guards.along(predecessors.get(0), block));
      }
      block = guards.origin(block);
    }
    Context context = before;
    for (Fact fact : facts) {
      Polynomial difference = ranges.difference(fact);
      if (difference != null) {
        Context outside = context;
        for (Polynomial more :
            isOrder(fact) ? loaded.upperBounds(difference) : Set.<Polynomial>of()) {
          context = within(context, loop, fact, more, List.of());
        }
        context = within(context, loop, fact, difference, List.of());
        if (context != outside && fact.isTrue()) {
          for (TripCounts.Derived implied : tripCounts.implied(difference)) {
            context = within(context, loop, fact, implied.polynomial(), implied.conditions());
          }
        }
      }
    }
    return context;
  }

  /**
   * What a loop's branch back says of values that it carries, where it holds of the first ones as
   * well.
   *
   * @param entry what is known before the loop
   */
  private Context carried(Context before, Loop loop, Context entry) {
    Context context = before;
    if (loop.latches.size() == 1) {
      for (Fact fact : guards.along(loop.latches.get(0), loop.header)) {
        Node left = carried(fact.left(), loop);
        Node right = carried(fact.right(), loop);
        if (isOrder(fact) && left != null && right != null) {
          Fact now = new Fact(fact.operation(), left, right, true);
          Fact first = new Fact(fact.operation(), first(left, loop), first(right, loop), true);
          context = carried(context, now, first, entry);
        }
      }
    }
    return context;
  }

  /** What is known besides if a fact holds of values that a loop carries wherever it does first. */
  private Context carried(Context before, Fact now, Fact first, Context entry) {
    Polynomial difference = ranges.difference(now);
    Polynomial start = ranges.difference(first);
    if (difference == null || start == null || !difference.has(this::isCarried)) {
      return before;
    }
    int open = ranges.range(difference, before);
    int[] least = {ranges.range(start, entry), ranges.zero()};
    int[] checks =
        IntStream.concat(
                Arrays.stream(ranges.checks(first, entry)),
                Arrays.stream(ranges.checks(now, before)))
            .toArray();
    boolean hasHigh = ranges.program().step(open).hasHigh();
    return ranges.context(
        before,
        difference,
        ranges.program().add(new RangeProgram.Narrowed(open, least, false, checks, hasHigh)));
  }

  private boolean isCarried(int id) {
    return carried.isCarried(nodes.node(id));
  }

  /** The value in whose place the next iteration has one; null if that is not known. */
  private @Nullable Node carried(Node next, Loop loop) {
    Node phi = carried.phi(next.unextended(), loop);
    if (phi != null) {
      return extended(phi, next);
    }
    return formulas.isInvariant(next, loop) ? next : null;
  }

  /** What the first iteration has in the place of a value. */
  private Node first(Node value, Loop loop) {
    Node phi = value.unextended();
    return phi.isCarried && phi.block == loop.header ? extended(phi.input(0), value) : value;
  }

  /** A value in as many bits as another one, and extended as that is. */
  private Node extended(Node value, Node other) {
    return other.isExtended() ? nodes.of(other.operation, other.bits, value) : value;
  }

  /**
   * What holds in a loop because a fact held in the iteration before.
   *
   * @param difference what is at least 0 if the fact holds
   * @param conditions under which that is so, besides those of the fact
   */
  private Context within(
      Context before, Loop loop, Fact fact, Polynomial difference, List<Condition> conditions) {
    int iteration = nodes.iteration(loop.index).id;
    Polynomial first = difference.only(monomial -> !monomial.has(id -> id == iteration));
    Polynomial step = LoopEnd.coefficient(difference, iteration);
    boolean changes = difference.has(id -> id != iteration && !isFixed(id, loop));
    if (step == null || step.isZero() || changes) {
      return before;
    }
    if (isOrder(fact)) {
      int open = ranges.range(difference, before);
      int[] least = {ranges.range(first, before), ranges.range(step, before)};
      boolean hasHigh = ranges.program().step(open).hasHigh();
      int assumed =
          ranges.program().add(new RangeProgram.Narrowed(open, least, false, new int[0], hasHigh));
      List<Condition> all = new ArrayList<>(fact.conditions(formulas));
      all.addAll(conditions);
      int[] checks = ranges.checks(all, ranges.context(before, difference, assumed));
      return ranges.context(
          before,
          difference,
          ranges.program().add(new RangeProgram.Narrowed(open, least, false, checks, hasHigh)));
    }
    return fact.isTrue() ? before : counted(before, fact, difference, first, step);
  }

  private static boolean isOrder(Fact fact) {
    return fact.isTrue() && fact.operation() != Operator.EQUAL;
  }

  /** A loop that ends when two numbers are equal. */
  private Context counted(
      Context before, Fact fact, Polynomial difference, Polynomial first, Polynomial step) {
    long by = step.coefficient(Monomial.ONE);
    if (step.size() != 1 || by == 0 || by == Long.MIN_VALUE) {
      return before;
    }
    Polynomial falling = by < 0 ? difference : Polynomial.ZERO.minus(difference);
    Polynomial start = by < 0 ? first : Polynomial.ZERO.minus(first);
    if (falling == null || start == null) {
      return before;
    }
    long distance = Math.abs(by);
    boolean divides = start.terms().stream().allMatch(term -> term.coefficient() % distance == 0);
    int open = ranges.range(falling, before);
    boolean hasHigh = ranges.program().step(open).hasHigh();
    int from = ranges.range(start, before);
    int assumed =
        ranges
            .program()
            .add(new RangeProgram.Counted(open, from, distance, divides, new int[0], hasHigh));
    int[] checks = ranges.checks(fact, ranges.context(before, falling, assumed));
    return ranges.context(
        before,
        falling,
        ranges
            .program()
            .add(new RangeProgram.Counted(open, from, distance, divides, checks, hasHigh)));
  }

  private boolean isFixed(int id, Loop loop) {
    return formulas.isInvariant(nodes.node(id), loop);
  }
}
