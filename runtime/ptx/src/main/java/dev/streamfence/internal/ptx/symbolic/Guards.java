package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Block;
import dev.streamfence.internal.ptx.symbolic.Formulas.Condition;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The predicates that hold where a thread is in a kernel's code: those of the branches that it has
 * taken. Confined to one thread.
 */
public final class Guards {
  /** Beyond so many, further ones are left out, which makes bounds wider. */
  private static final int MAX_GUARDS = 40;

  /**
   * A comparison that holds.
   *
   * @param operation {@code EQUAL}, {@code LESS} or one of the other comparisons
   * @param isTrue false if the comparison does not hold; then it is {@code EQUAL}
   */
  public record Fact(Operator operation, Node left, Node right, boolean isTrue) {
    /**
     * What is at least 0 if the comparison holds, and 0 or not 0 if it compares for equality; null
     * if that is too long a formula.
     */
    public @Nullable Polynomial difference(Formulas formulas) {
      Polynomial difference = formulas.of(right).minus(formulas.of(left));
      boolean less = operation == Operator.LESS || operation == Operator.LESS_UNSIGNED;
      return difference == null || !less ? difference : difference.minus(Polynomial.constant(1));
    }

    /** The conditions under which the numbers that it compares are those of their formulas. */
    public List<Condition> conditions(Formulas formulas) {
      boolean unsigned =
          operation == Operator.LESS_UNSIGNED || operation == Operator.LESS_OR_EQUAL_UNSIGNED;
      List<Condition> conditions = new ArrayList<>();
      for (Node side : List.of(left, right)) {
        conditions.addAll(formulas.conditions(side));
        conditions.add(new Condition(side, unsigned ? 0 : Interval.LEAST + 1, Interval.MOST - 1));
      }
      return conditions;
    }
  }

  private final ControlGraph graph;
  private final KernelValues values;

  public Guards(ControlGraph graph, KernelValues values) {
    this.graph = graph;
    this.values = values;
  }

  /** The block before this one whose branch leads only here, or the block itself. */
  public int origin(int block) {
    List<Integer> before = graph.block(block).predecessors();
    return before.size() == 1 ? before.get(0) : graph.dominator(block);
  }

  /** What holds when control goes from one block to the next. */
  public List<Fact> along(int block, int successor) {
    Block from = graph.block(block);
    Node condition = values.condition(block);
    if (condition == null || from.taken() == from.fallen()) {
      return List.of();
    }
    return facts(condition, from.taken() == successor);
  }

  /** The comparisons that follow from a predicate. */
  public static List<Fact> facts(Node predicate, boolean holds) {
    List<Fact> facts = new ArrayList<>();
    collect(predicate, holds, facts, 0);
    return facts;
  }

  /** A predicate that was made one of two numbers, which is compared with one of them. */
  private static void collectChoice(
      Node number, Node other, boolean holds, List<Fact> facts, int depth) {
    Node choice = number.is(Operator.SIGN_EXTEND) ? number.input(0) : number;
    if (!choice.is(Operator.SELECT) || !other.is(Operator.CONSTANT)) {
      return;
    }
    boolean isFirst = choice.input(1).isConstant(other.constant);
    boolean isSecond = choice.input(2).isConstant(other.constant);
    boolean areNumbers =
        choice.input(1).is(Operator.CONSTANT) && choice.input(2).is(Operator.CONSTANT);
    if (areNumbers && isFirst != isSecond) {
      collect(choice.input(0), isFirst == holds, facts, depth + 1);
    }
  }

  private static void collect(Node predicate, boolean holds, List<Fact> facts, int depth) {
    if (depth > 32 || facts.size() > MAX_GUARDS) {
      return;
    }
    switch (predicate.operation) {
      case NOT -> collect(predicate.input(0), !holds, facts, depth + 1);
      case AND -> {
        if (holds) {
          collect(predicate.input(0), true, facts, depth + 1);
          collect(predicate.input(1), true, facts, depth + 1);
        }
      }
      case OR -> {
        if (!holds) {
          collect(predicate.input(0), false, facts, depth + 1);
          collect(predicate.input(1), false, facts, depth + 1);
        }
      }
      case SELECT -> {
        // Where one choice is impossible, the other one was made.
        for (int choice = 1; choice <= 2; choice++) {
          if (predicate.input(choice).isConstant(holds ? 0 : 1)) {
            collect(predicate.input(0), choice == 2, facts, depth + 1);
            collect(predicate.input(3 - choice), holds, facts, depth + 1);
          }
        }
      }
      case EQUAL -> {
        facts.add(new Fact(Operator.EQUAL, predicate.input(0), predicate.input(1), holds));
        collectChoice(predicate.input(0), predicate.input(1), holds, facts, depth);
      }
      case LESS, LESS_OR_EQUAL, LESS_UNSIGNED, LESS_OR_EQUAL_UNSIGNED ->
          facts.add(
              holds
                  ? new Fact(predicate.operation, predicate.input(0), predicate.input(1), true)
                  : new Fact(
                      negated(predicate.operation), predicate.input(1), predicate.input(0), true));
      default -> {
        // A predicate that is no comparison says nothing about numbers.
      }
    }
  }

  private static Operator negated(Operator comparison) {
    return switch (comparison) {
      case LESS -> Operator.LESS_OR_EQUAL;
      case LESS_OR_EQUAL -> Operator.LESS;
      case LESS_UNSIGNED -> Operator.LESS_OR_EQUAL_UNSIGNED;
      default -> Operator.LESS_UNSIGNED;
    };
  }

  /** The condition of a block's branch; null if it has none. */
  public @Nullable Node condition(int block) {
    return values.condition(block);
  }
}
