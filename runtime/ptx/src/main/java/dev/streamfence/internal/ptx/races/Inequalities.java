package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Proves that polynomials are not negative, from others that are not. Immutable but for the work
 * that it counts; confined to one thread.
 *
 * <p>A proof writes the polynomial as a sum of products of what is not negative, as in Handelman,
 * "Representing Polynomials by Positive Linear Functions on Compact Convex Polyhedra", 1988, with
 * one given polynomial per product. It subtracts multiples of given ones until no negative term is
 * left.
 */
final class Inequalities {
  /** How many multiples of given polynomials one proof takes at most. */
  private static final int MAX_DEPTH = 7;

  /** How many differences one search looks at. */
  private static final int MAX_STEPS = 8;

  /** The same for a search whose result is rare. */
  private static final int FEW_STEPS = 12;

  /** What remains to be proved, and how many of its terms may be negative. */
  private record Rest(Polynomial goal, int open) {}

  private final List<Polynomial> given;
  private final IntPredicate isNoNatural;
  private final Budget budget;
  private final Set<Polynomial> seen = new HashSet<>();
  private int stepsLeft;

  /**
   * Creates proofs from given inequalities.
   *
   * @param given what is not negative
   * @param isNatural whether a symbol stands for no negative number
   */
  Inequalities(List<Polynomial> given, IntPredicate isNatural, Budget budget) {
    this.given = given;
    this.isNoNatural = isNatural.negate();
    this.budget = budget;
  }

  /** Whether a polynomial is not negative, as far as it can be proved; null has no sign. */
  boolean isNatural(@Nullable Polynomial polynomial) {
    return polynomial != null && isNatural(polynomial, MAX_STEPS);
  }

  private boolean isNatural(Polynomial polynomial, int steps) {
    stepsLeft = steps;
    seen.clear();
    return prove(polynomial, 0);
  }

  /** Whether a polynomial is at least a number. */
  boolean isAtLeast(@Nullable Polynomial polynomial, long least) {
    return polynomial != null && isNatural(polynomial.minus(Polynomial.constant(least)));
  }

  /** Whether what is given cannot be. */
  boolean areContradictory() {
    return isNatural(Polynomial.constant(-1), FEW_STEPS);
  }

  private boolean prove(Polynomial goal, int depth) {
    budget.take(goal.size() + 1);
    Term open = null;
    int fewest = Integer.MAX_VALUE;
    for (int i = 0; i < goal.size(); i++) {
      Term term = goal.term(i);
      if (isOpen(term)) {
        // What no given one cancels stays, so that the term with the fewest decides soonest.
        int count = depth == MAX_DEPTH ? 0 : cancelling(term, fewest);
        if (count == 0) {
          return false;
        }
        open = count < fewest ? term : open;
        fewest = Math.min(fewest, count);
      }
    }
    if (open == null) {
      return true;
    }
    if (--stepsLeft < 0 || !seen.add(goal)) {
      return false;
    }
    List<Rest> rests = new ArrayList<>();
    for (Polynomial each : given) {
      for (int i = 0; i < each.size(); i++) {
        Term term = each.term(i);
        Monomial factor = factor(open, term);
        Polynomial rest =
            factor == null
                ? null
                : without(goal, open.coefficient(), each, term.coefficient(), factor);
        if (rest != null) {
          rests.add(new Rest(rest, open(rest)));
        }
      }
    }
    // The nearest to a proof first.
    rests.sort(Comparator.comparingInt(Rest::open));
    for (Rest rest : rests) {
      if (prove(rest.goal(), depth + 1)) {
        return true;
      }
    }
    return false;
  }

  /** How many terms of given ones cancel a term, counted up to a number. */
  private int cancelling(Term open, int most) {
    int count = 0;
    for (int i = 0; i < given.size() && count < most; i++) {
      Polynomial each = given.get(i);
      for (int j = 0; j < each.size(); j++) {
        count += factor(open, each.term(j)) == null ? 0 : 1;
      }
    }
    return count;
  }

  /** By what a given term has to be multiplied to cancel one; null if nothing makes it do that. */
  private @Nullable Monomial factor(Term open, Term term) {
    if (term.coefficient() > 0 != open.coefficient() > 0) {
      return null;
    }
    Monomial factor = open.product().without(term.product());
    return factor == null || factor.has(isNoNatural) ? null : factor;
  }

  /** How many terms of a goal may be negative. */
  private int open(Polynomial goal) {
    int count = 0;
    for (int i = 0; i < goal.size(); i++) {
      count += isOpen(goal.term(i)) ? 1 : 0;
    }
    return count;
  }

  private boolean isOpen(Term term) {
    return term.coefficient() < 0 || term.product().has(isNoNatural);
  }

  /** A positive multiple of the goal, less the multiple of a given one that cancels a term. */
  private static @Nullable Polynomial without(
      Polynomial goal, long open, Polynomial given, long term, Monomial factor) {
    if (open == Long.MIN_VALUE || term == Long.MIN_VALUE) {
      return null;
    }
    long common = gcd(Math.abs(open), Math.abs(term));
    return goal.combined(Math.abs(term) / common, given, -Math.abs(open) / common, factor);
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }
}
