// Long because a sum, the guards that divide it and its divisions need each other.
package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Formulas.Condition;
import dev.streamfence.internal.ptx.symbolic.Interval;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps of sums. What the guards on the way say of a difference is used by dividing by it: with
 * {@code d = n - 1 - i >= 0}, {@code 4 * i} is {@code -4 * d + 4 * (n - 1)}, and the second term is
 * no longer different between threads. Confined to one thread.
 */
final class SumRanges {
  private final Ranges ranges;
  private final RangeProgram program;
  private final NodeGraph nodes;
  private final Formulas formulas;
  private final TripCounts tripCounts;
  private final CarriedValues carried;

  SumRanges(
      Ranges ranges,
      NodeGraph nodes,
      Formulas formulas,
      TripCounts tripCounts,
      CarriedValues carried) {
    this.ranges = ranges;
    this.program = ranges.program();
    this.nodes = nodes;
    this.formulas = formulas;
    this.tripCounts = tripCounts;
    this.carried = carried;
  }

  /** The step that computes between which numbers a polynomial lies at a place. */
  int range(Polynomial polynomial, Context context) {
    int plain = quotients(polynomial, context);
    return halved(polynomial, context, sharper(polynomial, context, plain));
  }

  /** Which term of a guard on numbers that have limits of their own the others replace. */
  private enum Replaced {
    NONE,
    FIRST,
    LAST
  }

  /** The step of a sum, in which differences that guards limit stand for their terms. */
  private int quotients(Polynomial polynomial, Context context) {
    int step = quotients(polynomial, context, Replaced.NONE);
    if (context.anyHasOwnLimits) {
      // Such a guard says of either number only what the other one's limits say.
      int first = quotients(polynomial, context, Replaced.FIRST);
      int last = quotients(polynomial, context, Replaced.LAST);
      step = first < 0 ? step : both(step, first);
      step = last < 0 ? step : both(step, last);
    }
    return step;
  }

  /** The same in one way; negative if that uses no guard of which terms are replaced. */
  private int quotients(Polynomial polynomial, Context context, Replaced replaced) {
    List<Polynomial> factors = new ArrayList<>();
    List<Integer> guarded = new ArrayList<>();
    Polynomial rest = polynomial;
    boolean isUsed = replaced == Replaced.NONE;
    boolean isOpen = formulas.varyingTerms(rest) > 0;
    for (Context at = context; at != null && isOpen; at = at.before) {
      Polynomial difference = at.difference;
      Replaced way = at.hasOwnLimits ? replaced : Replaced.FIRST;
      Term leading = way == Replaced.LAST ? at.lastVarying : at.firstVarying;
      if (difference == null || leading == null || way == Replaced.NONE) {
        continue;
      }
      Polynomial factor = quotient(rest, leading);
      Polynomial product = factor == null ? null : factor.times(difference);
      Polynomial less = product == null ? null : rest.minus(product);
      if (less != null && isSimpler(less, rest, replaced != Replaced.NONE)) {
        factors.add(factor);
        guarded.add(at.guarded);
        rest = less;
        isOpen = formulas.varyingTerms(rest) > 0;
        isUsed |= at.hasOwnLimits;
      }
    }
    return isUsed ? sum(rest, factors, guarded, context) : -1;
  }

  /**
   * Whether a polynomial has less that is open than another one.
   *
   * @param ownLimits whether an iteration, of which a guard alone tells the end, is worse than all
   *     else
   */
  private boolean isSimpler(Polynomial less, Polynomial rest, boolean ownLimits) {
    int fewer = iterations(rest) - iterations(less);
    return (ownLimits && fewer > 0)
        || (fewer >= 0 && formulas.varyingTerms(less) < formulas.varyingTerms(rest));
  }

  /** The step of what two steps for the same number have in common. */
  private int both(int first, int second) {
    RangeProgram.RangeStep one = program.step(first);
    RangeProgram.RangeStep other = program.step(second);
    return program.add(
        new RangeProgram.Both(
            first, second, one.hasLow() || other.hasLow(), one.hasHigh() || other.hasHigh()));
  }

  /** The step of a sum with half of what a loop carries, and of a multiple of that sum. */
  private int halved(Polynomial polynomial, Context context, int plain) {
    TripCounts.Multiple multiple = context.anyHasOwnLimits ? tripCounts.multiple(polynomial) : null;
    if (multiple == null || !multiple.polynomial().has(id -> carried.isCarried(nodes.node(id)))) {
      return plain;
    }
    long rest = multiple.rest() * (multiple.divisor() - 1);
    int range = ranges.range(multiple.polynomial(), context);
    RangeProgram.RangeStep step = program.step(range);
    return both(
        plain,
        program.add(
            new RangeProgram.Quotient(
                range,
                multiple.divisor(),
                Math.min(0, -rest),
                Math.max(0, -rest),
                multiple.unit(),
                ranges.checks(multiple.conditions(), context),
                step.hasLow(),
                step.hasHigh())));
  }

  /** The step of a sum, and of what it is without the divisions in it. */
  private int sharper(Polynomial polynomial, Context context, int plain) {
    if (!context.divides && !tripCounts.divides(polynomial)) {
      return plain;
    }
    List<Polynomial> factors = new ArrayList<>();
    List<Integer> guarded = new ArrayList<>();
    List<Condition> conditions = new ArrayList<>();
    Polynomial rest = withoutDivisions(polynomial, openTerms(polynomial), conditions);
    int open = openTerms(rest);
    boolean isOpen = open > iterations(rest);
    for (Context at = context; at != null && isOpen; at = at.before) {
      Polynomial difference = at.difference == null ? Polynomial.ZERO : at.difference;
      for (int i = 0; i < difference.size(); i++) {
        Term leading = difference.term(i);
        Polynomial factor = quotient(rest, leading);
        Polynomial product = factor == null ? null : factor.times(difference);
        Polynomial left = product == null ? null : rest.minus(product);
        Polynomial less = left == null ? rest : withoutDivisions(left, open, conditions);
        int still = left == null ? open : openTerms(less);
        if (still < open) {
          factors.add(factor);
          guarded.add(at.guarded);
          rest = less;
          open = still;
          isOpen = open > iterations(rest);
          break;
        }
      }
    }
    if (conditions.isEmpty()) {
      return plain;
    }
    int sum = sum(rest, factors, guarded, context);
    RangeProgram.RangeStep step = program.step(sum);
    int checked =
        program.add(
            new RangeProgram.Checked(
                sum,
                Interval.LEAST,
                Interval.MOST,
                ranges.checks(conditions, context),
                step.hasLow(),
                step.hasHigh()));
    return both(plain, checked);
  }

  /**
   * A polynomial without the divisions in it if that leaves fewer terms open.
   *
   * @param open how many terms another polynomial leaves open
   * @param conditions gets those under which it is the same number
   */
  private Polynomial withoutDivisions(Polynomial polynomial, int open, List<Condition> conditions) {
    TripCounts.Derived reduced = tripCounts.reduced(polynomial);
    if (reduced == null || openTerms(reduced.polynomial()) >= open) {
      return polynomial;
    }
    conditions.addAll(reduced.conditions());
    return reduced.polynomial();
  }

  /** How many terms differ between threads, and those that grow in a loop once more. */
  private int openTerms(Polynomial polynomial) {
    return formulas.varyingTerms(polynomial) + iterations(polynomial);
  }

  /** How many terms grow in a loop, of which only a guard tells the end. */
  private int iterations(Polynomial polynomial) {
    return polynomial.count(monomial -> monomial.has(id -> formulas.is(id, Operator.ITERATION)));
  }

  /** How often a term is contained, by uniform numbers. */
  private @Nullable Polynomial quotient(Polynomial dividend, Term leading) {
    if (!dividend.mayHave(leading.product())) {
      return null;
    }
    Polynomial quotient = Polynomial.ZERO;
    for (int i = 0; i < dividend.size(); i++) {
      Term term = dividend.term(i);
      Monomial rest = term.product().without(leading.product());
      if (rest != null
          && !rest.has(formulas::varies)
          && term.coefficient() % leading.coefficient() == 0) {
        Polynomial next =
            quotient.plus(Polynomial.term(rest, term.coefficient() / leading.coefficient()));
        if (next == null) {
          return null;
        }
        quotient = next;
      }
    }
    return quotient.isZero() ? null : quotient;
  }

  private int sum(
      Polynomial rest, List<Polynomial> quotients, List<Integer> guarded, Context context) {
    int count = rest.size() + quotients.size();
    long[] coefficients = new long[count];
    int[][] steps = new int[count][];
    boolean hasLow = true;
    boolean hasHigh = true;
    int at = 0;
    for (Term term : rest.terms()) {
      coefficients[at] = term.coefficient();
      int[] factors = term.product().nodes().clone();
      for (int i = 0; i < factors.length; i++) {
        factors[i] = ranges.value(nodes.node(factors[i]), context);
      }
      steps[at] = factors;
      at++;
    }
    for (int i = 0; i < quotients.size(); i++) {
      coefficients[at] = 1;
      steps[at] = new int[] {ranges.range(quotients.get(i), ranges.nothing()), guarded.get(i)};
      at++;
    }
    for (int i = 0; i < count; i++) {
      boolean low = hasLow(coefficients[i], steps[i]);
      hasHigh &= hasLow(-coefficients[i], steps[i]);
      hasLow &= low;
    }
    return program.add(new RangeProgram.Sum(coefficients, steps, hasLow, hasHigh));
  }

  /** Whether a product is limited from below; for that from above, the coefficient is negated. */
  private boolean hasLow(long coefficient, int[] factors) {
    int partial = -1;
    for (int factor : factors) {
      RangeProgram.RangeStep step = program.step(factor);
      if (!step.hasLow() || !step.hasHigh()) {
        if (partial >= 0) {
          return false;
        }
        partial = factor;
      }
    }
    if (partial < 0) {
      return true;
    }
    boolean positive = coefficient > 0;
    for (int factor : factors) {
      Long sign = factor == partial ? Long.valueOf(1) : sign(program.step(factor));
      if (sign == null) {
        // Its sign is known when the kernel is launched, too late for what has one end only.
        return false;
      }
      positive = positive == sign > 0;
    }
    RangeProgram.RangeStep open = program.step(partial);
    return positive ? open.hasLow() : open.hasHigh();
  }

  /** 1 for a step that is never negative, -1 for one that is never positive, null for others. */
  private @Nullable Long sign(RangeProgram.RangeStep step) {
    if (step instanceof RangeProgram.Geometry) {
      return 1L;
    }
    if (step instanceof RangeProgram.Fixed fixed) {
      return fixed.least() >= 0 ? Long.valueOf(1) : fixed.most() <= 0 ? Long.valueOf(-1) : null;
    }
    if (step instanceof RangeProgram.Sum sum
        && sum.coefficients().length == 1
        && sum.factors()[0].length == 0) {
      return sum.coefficients()[0] < 0 ? -1L : 1L;
    }
    if (step instanceof RangeProgram.Sum sum && sum.coefficients().length == 0) {
      return 1L;
    }
    return null;
  }
}
