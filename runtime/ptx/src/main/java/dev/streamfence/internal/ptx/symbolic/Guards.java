package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Block;
import dev.streamfence.internal.ptx.symbolic.Formulas.Condition;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
  private final NodeGraph nodes;
  private final KernelValues values;

  Guards(ControlGraph graph, NodeGraph nodes, KernelValues values) {
    this.graph = graph;
    this.nodes = nodes;
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

  /**
   * The operand that the greater or the lesser of two numbers is, if a branch on the way to the
   * block where it is computed decides that. A compiler counts the iterations of a loop from {@code
   * i} to {@code n} by {@code max(n, i + 1) - i}, also where a branch has found that {@code i < n}.
   *
   * @return that operand; null if no branch decides it
   */
  @Nullable Node decided(Node extreme, int block) {
    int at = block;
    for (int steps = 0; at != 0 && steps < MAX_GUARDS; steps++) {
      int before = origin(at);
      if (graph.block(at).predecessors().size() == 1) {
        for (Fact fact : along(before, at)) {
          Node found = decided(extreme, fact);
          if (found != null) {
            return found;
          }
        }
      }
      at = before;
    }
    return null;
  }

  private static @Nullable Node decided(Node extreme, Fact fact) {
    boolean unsigned = extreme.is(Operator.MAX_UNSIGNED) || extreme.is(Operator.MIN_UNSIGNED);
    boolean greatest = extreme.is(Operator.MAX_UNSIGNED) || extreme.is(Operator.MAX);
    boolean isWide = extreme.bits == Long.SIZE;
    Operator less = unsigned && isWide ? Operator.LESS_UNSIGNED : Operator.LESS;
    Operator notMore =
        unsigned && isWide ? Operator.LESS_OR_EQUAL_UNSIGNED : Operator.LESS_OR_EQUAL;
    if (!fact.isTrue() || (fact.operation() != less && fact.operation() != notMore)) {
      return null;
    }
    Operator extension = unsigned ? Operator.ZERO_EXTEND : Operator.SIGN_EXTEND;
    Node small = isWide || !fact.left().is(extension) ? fact.left() : fact.left().input(0);
    Node large = isWide || !fact.right().is(extension) ? fact.right() : fact.right().input(0);
    for (int i = 0; i < 2; i++) {
      Node one = extreme.input(i);
      Node other = extreme.input(1 - i);
      boolean isNext = fact.operation() == less && isNext(other, small);
      boolean decides =
          greatest ? one == large && (other == small || isNext) : one == small && other == large;
      if (decides) {
        return one;
      }
    }
    return null;
  }

  /** Whether a value is one more than another one that is less than some number. */
  private static boolean isNext(Node value, Node before) {
    return before.is(Operator.CONSTANT)
        ? value.isConstant(before.constant + 1)
        : value.is(Operator.ADD) && value.input(0) == before && value.input(1).isConstant(1);
  }

  /**
   * The comparisons that follow from a predicate, that which it is itself first. What the greatest
   * of several numbers is less than, all of them are less than: compilers compare it once.
   */
  public List<Fact> facts(Node predicate, boolean holds) {
    List<Fact> facts = new ArrayList<>();
    collect(predicate, holds, facts, new HashSet<>(), 0);
    for (int i = 0; i < facts.size() && facts.size() <= MAX_GUARDS; i++) {
      Fact fact = facts.get(i);
      for (Node part : fact.operation() == Operator.EQUAL ? List.<Node>of() : smaller(fact)) {
        facts.add(new Fact(fact.operation(), part, fact.right(), true));
      }
    }
    return facts;
  }

  /** The numbers of which the smaller side of a comparison is the greatest; none if it is none. */
  private List<Node> smaller(Fact fact) {
    Node greatest = fact.left().unextended();
    boolean isUnsigned =
        fact.left().isExtended() ? fact.left().is(Operator.ZERO_EXTEND) : comparesUnsigned(fact);
    // Of a negative number with its sign, a comparison without one makes a large one.
    boolean isMixed = fact.left().is(Operator.SIGN_EXTEND) && comparesUnsigned(fact);
    if (isMixed || !greatest.is(isUnsigned ? Operator.MAX_UNSIGNED : Operator.MAX)) {
      return List.of();
    }
    return fact.left().isExtended()
        ? greatest.inputs.stream()
            .map(input -> nodes.of(fact.left().operation, fact.left().bits, input))
            .toList()
        : greatest.inputs;
  }

  private static boolean comparesUnsigned(Fact fact) {
    return fact.operation() == Operator.LESS_UNSIGNED
        || fact.operation() == Operator.LESS_OR_EQUAL_UNSIGNED;
  }

  /** A predicate of which was asked what follows from it. */
  private record Asked(Node predicate, boolean holds) {}

  /** A predicate that was made one of two numbers, which is compared with one of them. */
  private static void collectChoice(
      Node number, Node other, boolean holds, List<Fact> facts, Set<Asked> seen, int depth) {
    Node choice = number.is(Operator.SIGN_EXTEND) ? number.input(0) : number;
    if (!choice.is(Operator.SELECT) || !other.is(Operator.CONSTANT)) {
      return;
    }
    boolean isFirst = choice.input(1).isConstant(other.constant);
    boolean isSecond = choice.input(2).isConstant(other.constant);
    boolean areNumbers =
        choice.input(1).is(Operator.CONSTANT) && choice.input(2).is(Operator.CONSTANT);
    if (areNumbers && isFirst != isSecond) {
      collect(choice.input(0), isFirst == holds, facts, seen, depth + 1);
    }
  }

  private static void collect(
      Node predicate, boolean holds, List<Fact> facts, Set<Asked> seen, int depth) {
    if (depth > 32 || facts.size() > MAX_GUARDS || !seen.add(new Asked(predicate, holds))) {
      return;
    }
    switch (predicate.operation) {
      case NOT -> collect(predicate.input(0), !holds, facts, seen, depth + 1);
      case AND -> {
        if (holds) {
          collect(predicate.input(0), true, facts, seen, depth + 1);
          collect(predicate.input(1), true, facts, seen, depth + 1);
        }
      }
      case OR -> {
        if (!holds) {
          collect(predicate.input(0), false, facts, seen, depth + 1);
          collect(predicate.input(1), false, facts, seen, depth + 1);
        }
      }
      case SELECT -> {
        // Where one choice is impossible, the other one was made.
        for (int choice = 1; choice <= 2; choice++) {
          if (predicate.input(choice).isConstant(holds ? 0 : 1)) {
            collect(predicate.input(0), choice == 2, facts, seen, depth + 1);
            collect(predicate.input(3 - choice), holds, facts, seen, depth + 1);
          }
        }
      }
      case EQUAL -> {
        facts.add(new Fact(Operator.EQUAL, predicate.input(0), predicate.input(1), holds));
        collectChoice(predicate.input(0), predicate.input(1), holds, facts, seen, depth);
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
