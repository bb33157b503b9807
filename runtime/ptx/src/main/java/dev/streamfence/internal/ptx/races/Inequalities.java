package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Proves that polynomials are not negative, from others that are not. Immutable but for the work
 * that it counts; confined to one thread.
 *
 * <p>A proof writes the polynomial as a sum of products of what is not negative, as in Handelman,
 * "Representing Polynomials by Positive Linear Functions on Compact Convex Polyhedra", 1988, with
 * one given polynomial per product. It subtracts multiples of given ones until no negative term is
 * left, and goes on from the difference that is nearest to that.
 */
final class Inequalities {
  /** How many differences one search looks at: proofs that exist take few. */
  private static final int MAX_STEPS = 8;

  /** By how many terms are open and how many steps were taken, together. */
  private static final Comparator<Step> NEAREST_FIRST = Step::compare;

  /**
   * A multiple of a given polynomial that has a product. It is only computed if that product is
   * what a proof cancels.
   */
  private final class Multiple {
    private final Polynomial given;
    private final Monomial factor;
    private final long coefficient;
    private @Nullable Polynomial polynomial;

    /** Its terms whose products may be negative; of no meaning before it is computed. */
    private final BitSet negative = new BitSet();

    /**
     * Creates the multiple.
     *
     * @param factor what is not negative
     * @param coefficient that of the product that it is to cancel
     */
    Multiple(Polynomial given, Monomial factor, long coefficient) {
      this.given = given;
      this.factor = factor;
      this.coefficient = coefficient;
    }

    boolean cancels(Term term) {
      return coefficient > 0 == term.coefficient() > 0;
    }

    Polynomial polynomial() {
      Polynomial found = polynomial;
      if (found == null) {
        found = Objects.requireNonNull(Polynomial.ZERO.combined(1, given, 1, factor));
        for (int at = 0; at < found.size(); at++) {
          negative.set(at, mayBeNegative(found.term(at).product()));
        }
        polynomial = found;
      }
      return found;
    }
  }

  /**
   * What remains to be proved: a positive multiple of the goal, less one of a given polynomial that
   * cancels a term. Most of them are never looked at.
   *
   * @param size how many terms it has
   * @param open how many of these may be negative
   */
  private record Rest(Polynomial less, long scale, long factor, int size, int open) {
    Polynomial of(Polynomial goal) {
      return Objects.requireNonNull(goal.combined(scale, less, -factor, Monomial.ONE));
    }
  }

  /**
   * A step of a search.
   *
   * @param goal what was to be proved before it
   * @param depth how many steps led to it
   * @param number how many were found before it
   */
  private record Step(Polynomial goal, Rest rest, int depth, int number) {
    // In one method: a search compares many.
    static int compare(Step one, Step other) {
      int farther = one.rest.open + one.depth - other.rest.open - other.depth;
      return farther != 0 ? farther : one.number - other.number;
    }
  }

  /**
   * The terms of a goal that may be negative.
   *
   * @param first the one that the fewest multiples cancel; null if there is none
   * @param fewest how many they are
   */
  private record OpenTerms(int count, @Nullable Term first, int fewest) {}

  private final List<Polynomial> given;
  private final Symbols symbols;
  private final Budget budget;
  private final Counterexamples counterexamples;

  /** For each product, the multiples of given polynomials that have it. */
  private final Map<Monomial, List<Multiple>> multiples = new HashMap<>();

  /**
   * Creates proofs from given inequalities.
   *
   * @param given what is not negative
   * @param symbols the symbols of one thread, or of two
   * @param second gives a formula of the first thread as that of the second one
   */
  Inequalities(
      List<Polynomial> given, Symbols symbols, UnaryOperator<Polynomial> second, Budget budget) {
    this.given = given.stream().map(Inequalities::rounded).toList();
    this.symbols = symbols;
    this.budget = budget;
    this.counterexamples = new Counterexamples(this.given, symbols, second, budget);
  }

  /** What is not negative either, of integers: where {@code 4 * i <= 999}, {@code i <= 249}. */
  private static Polynomial rounded(Polynomial natural) {
    long constant = natural.coefficient(Monomial.ONE);
    long divisor = natural.commonDivisor();
    if (divisor <= 1) {
      return natural;
    }
    Polynomial lower = Polynomial.constant(Math.floorMod(constant, divisor));
    Polynomial multiple = natural.minus(lower);
    Polynomial rounded = multiple == null ? null : multiple.over(Polynomial.constant(divisor));
    return rounded == null ? natural : rounded;
  }

  /** Whether a polynomial is not negative, as far as it can be proved; null has no sign. */
  boolean isNatural(@Nullable Polynomial polynomial) {
    return polynomial != null && prove(polynomial);
  }

  /** Whether a polynomial is at least a number; of a number, whatever is given. */
  boolean isAtLeast(@Nullable Polynomial polynomial, long least) {
    if (polynomial == null) {
      return false;
    }
    return polynomial.has(id -> true)
        ? isNatural(polynomial.minus(Polynomial.constant(least)))
        : polynomial.coefficient(Monomial.ONE) >= least;
  }

  /** Whether what is given cannot be. */
  boolean areContradictory() {
    return !counterexamples.exist() && isNatural(Polynomial.constant(-1));
  }

  /** Whether what is given of the numbers of a launch alone cannot be, as the rest shows. */
  boolean excludeLaunch() {
    return !counterexamples.exist()
        && given.stream()
            .filter(each -> !each.has(id -> isOfThread(id)))
            .anyMatch(each -> isNatural(Polynomial.constant(-1).minus(each)));
  }

  private boolean isOfThread(int id) {
    Node node = symbols.node(ThreadPair.plain(id));
    return ThreadPair.isSecond(id) || node.is(Operator.ITERATION) || node.is(Operator.SPECIAL);
  }

  private boolean prove(Polynomial whole) {
    Set<Polynomial> seen = new HashSet<>();
    Queue<Step> found = new PriorityQueue<>(NEAREST_FIRST);
    Polynomial goal = whole;
    int depth = 0;
    int number = 0;
    for (int steps = 0; steps < MAX_STEPS; ) {
      budget.take(goal.size() + 1);
      OpenTerms open = openTerms(goal);
      Term first = open.first();
      if (first == null) {
        return true;
      }
      if (open.fewest() > 0 && !counterexamples.refute(goal)) {
        steps++;
        boolean isNew = seen.add(goal);
        for (Multiple each : isNew ? multiplesOf(first.product()) : List.<Multiple>of()) {
          Rest rest =
              each.cancels(first) ? rest(goal, open.count(), first.coefficient(), each) : null;
          if (rest != null && rest.open == 0) {
            budget.take(rest.size + 1);
            return true;
          }
          if (rest != null) {
            found.add(new Step(goal, rest, depth + 1, number++));
          }
        }
      }
      Step next = found.poll();
      if (next == null) {
        return false;
      }
      goal = next.rest.of(next.goal);
      depth = next.depth;
    }
    return false;
  }

  private OpenTerms openTerms(Polynomial goal) {
    Term first = null;
    int fewest = Integer.MAX_VALUE;
    int count = 0;
    for (int i = 0; i < goal.size() && fewest > 0; i++) {
      Term term = goal.term(i);
      if (term.coefficient() < 0 || mayBeNegative(term.product())) {
        // What no given one cancels stays, so that the term with the fewest decides soonest.
        int cancelling = cancelling(term);
        first = cancelling < fewest ? term : first;
        fewest = Math.min(fewest, cancelling);
        count++;
      }
    }
    return new OpenTerms(count, first, fewest);
  }

  /** How many multiples of given polynomials cancel a term. */
  private int cancelling(Term term) {
    int count = 0;
    for (Multiple each : multiplesOf(term.product())) {
      count += each.cancels(term) ? 1 : 0;
    }
    return count;
  }

  private List<Multiple> multiplesOf(Monomial product) {
    return multiples.computeIfAbsent(product, this::multiples);
  }

  /** The multiples of given polynomials that have a product, and are no negative ones. */
  private List<Multiple> multiples(Monomial product) {
    List<Multiple> found = new ArrayList<>();
    for (Polynomial each : given) {
      for (int i = 0; i < each.size(); i++) {
        Monomial factor = product.without(each.term(i).product());
        // The first term has the highest degree.
        if (factor != null
            && each.term(0).product().nodes().length + factor.nodes().length
                <= Polynomial.MAX_DEGREE
            && !mayBeNegative(factor)) {
          found.add(new Multiple(each, factor, each.term(i).coefficient()));
        }
      }
    }
    return found;
  }

  /** What remains of a goal, see {@link Polynomial#combined}; null if that is too large. */
  private static @Nullable Rest rest(Polynomial goal, int openOfGoal, long cancelled, Multiple by) {
    if (cancelled == Long.MIN_VALUE || by.coefficient == Long.MIN_VALUE) {
      return null;
    }
    long common = Polynomial.gcd(Math.abs(cancelled), Math.abs(by.coefficient));
    long scale = Math.abs(by.coefficient) / common;
    long factor = Math.abs(cancelled) / common;
    int size = goal.size();
    int open = openOfGoal;
    Polynomial polynomial = by.polynomial();
    try {
      for (int i = 0; scale > 1 && i < goal.size(); i++) {
        Math.multiplyExact(goal.term(i).coefficient(), scale);
      }
      for (int i = 0; i < polynomial.size(); i++) {
        Term less = polynomial.term(i);
        long before = goal.coefficient(less.product());
        long after = Math.addExact(before * scale, Math.multiplyExact(less.coefficient(), -factor));
        size += (after == 0 ? 0 : 1) - (before == 0 ? 0 : 1);
        open += isOpen(after, by.negative.get(i)) - isOpen(before, by.negative.get(i));
      }
    } catch (ArithmeticException e) {
      return null;
    }
    return size > Polynomial.MAX_TERMS ? null : new Rest(polynomial, scale, factor, size, open);
  }

  private boolean mayBeNegative(Monomial product) {
    for (int node : product.nodes()) {
      if (!symbols.signs().isNatural(ThreadPair.plain(node))) {
        return true;
      }
    }
    return false;
  }

  private static int isOpen(long coefficient, boolean mayBeNegative) {
    return coefficient < 0 || (mayBeNegative && coefficient != 0) ? 1 : 0;
  }
}
