package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Proves that two different threads touch no byte in common by two accesses. Either one lies beyond
 * the other, or their places could only be equal if the threads were the same: a place is a number
 * whose digits, in a mixed radix, are the thread's indices, and equal numbers have equal digits.
 * Used once for one pair of places; confined to one thread.
 */
final class PairProof {
  private static final int MAX_ROUNDS = 8;

  /**
   * Where a thread touches memory, and what holds there.
   *
   * @param offset where it begins, in bytes
   * @param width how many bytes it takes, at least 1
   */
  record Place(Polynomial offset, long width, PathFacts.Known known) {}

  /** A summand of the distance: a value of the first thread less that of the second one. */
  private record Digit(Monomial value, Polynomial weight) {}

  private final ThreadPair pair;
  private final Symbols symbols;
  private final Budget budget;

  /** The values that are all the same only in one and the same thread. */
  private final List<Node> identity;

  /** Where values are loaded that are the same only if the places are. */
  private final Map<Node, Polynomial> distinct;

  private Inequalities proofs;
  private boolean grew;

  /** Formulas of what was found to be the same in both threads. */
  private final List<Polynomial> same = new ArrayList<>();

  PairProof(
      ThreadPair pair,
      Symbols symbols,
      List<Node> identity,
      Map<Node, Polynomial> distinct,
      Budget budget) {
    this.pair = pair;
    this.symbols = symbols;
    this.identity = identity;
    this.distinct = distinct;
    this.budget = budget;
    this.proofs = new Inequalities(List.of(), symbols, pair::second, budget);
  }

  /** Whether two places cannot have a byte in common. */
  boolean proves(Place one, Place other) {
    for (int round = 0; round < MAX_ROUNDS; round++) {
      pair.conclude();
      Polynomial distance = one.offset().minus(pair.second(other.offset()));
      if (distance == null) {
        return false;
      }
      PathFacts.Known first = one.known();
      PathFacts.Known second = other.known();
      proofs = proofs(distance, first, second);
      if (proofs.excludeLaunch()) {
        return true;
      }
      // Of two threads at one place, neither lies beyond the other: they could be exchanged.
      boolean areApart =
          !one.equals(other)
              && (proofs.isAtLeast(distance, other.width())
                  || proofs.isAtLeast(Polynomial.ZERO.minus(distance), one.width()));
      if (areApart) {
        return true;
      }
      grew = false;
      Polynomial balanced =
          new Counterparts(pair, symbols, budget).balanced(distance, first, second);
      boolean impossible = equate(balanced, one.width(), other.width());
      if (!balanced.equals(distance)) {
        impossible |= equate(distance, one.width(), other.width());
      }
      for (Polynomial zero : first.zero()) {
        if (second.zero().contains(zero)) {
          impossible |= equateSame(zero);
        }
      }
      for (Polynomial whole : divided()) {
        impossible |= equateSame(whole);
      }
      for (Polynomial each : List.copyOf(same)) {
        impossible |= equateSame(each);
      }
      for (Map.Entry<Node, Polynomial> load : distinct.entrySet()) {
        impossible |= pair.isSame(load.getKey()) && equateSame(load.getValue());
      }
      if (impossible || identity.stream().allMatch(pair::isSame)) {
        return true;
      }
      if (!grew) {
        long width = Math.max(one.width(), other.width());
        return new Partners(pair, symbols).areExcluded(distance, width, first, second)
            || proofs.areContradictory();
      }
    }
    return false;
  }

  private Inequalities proofs(Polynomial distance, PathFacts.Known first, PathFacts.Known second) {
    Set<Polynomial> given = new LinkedHashSet<>(first.inequalities());
    second.inequalities().forEach(each -> given.add(pair.second(each)));
    List<Polynomial> all = new ArrayList<>(given);
    all.add(distance);
    all.addAll(distinct.values());
    all.addAll(same);
    ThreadPair.closure(
        all,
        symbols,
        limit -> {
          given.add(limit);
          given.add(pair.second(limit));
        });
    return new Inequalities(List.copyOf(given), symbols, pair::second, budget);
  }

  /** Numbers whose quotient and remainder by one divisor are the same in both threads. */
  private List<Polynomial> divided() {
    Map<Polynomial, Set<Long>> halves = new LinkedHashMap<>();
    List<Polynomial> found = new ArrayList<>();
    for (Node node : symbols.divisions()) {
      if (!pair.isSame(node)) {
        continue;
      }
      Symbols.Division division = symbols.division(node);
      if (division == null || !symbols.signs().isPlainlyNatural(division.whole())) {
        continue;
      }
      long half = division.isQuotient() ? division.divisor() : -division.divisor();
      Set<Long> seen = halves.computeIfAbsent(division.whole(), key -> new LinkedHashSet<>());
      seen.add(half);
      if (seen.contains(-half)) {
        found.add(division.whole());
      }
    }
    return found;
  }

  private boolean equateSame(Polynomial formula) {
    Polynomial distance = formula.minus(pair.second(formula));
    return distance != null && equate(distance, 1, 1);
  }

  /**
   * Notes what follows if a distance is more than {@code -first} and less than {@code second};
   * whether it cannot be.
   *
   * @param first the width of the first thread's place
   * @param second that of the second thread's place
   */
  private boolean equate(Polynomial distance, long first, long second) {
    Map<Monomial, Polynomial> weights = new LinkedHashMap<>();
    Map<Monomial, Polynomial> others = new LinkedHashMap<>();
    for (Term term : distance.terms()) {
      Monomial varying = part(term.product(), true);
      Monomial same = part(term.product(), false);
      long ofSecond = Arrays.stream(varying.nodes()).filter(ThreadPair::isSecond).count();
      Polynomial weight = Polynomial.term(same, term.coefficient());
      if (varying.nodes().length > 0 && ofSecond == 0) {
        weights.merge(varying, weight, PairProof::sum);
      } else if (varying.nodes().length > 0 && ofSecond == varying.nodes().length) {
        Monomial plain =
            new Monomial(Arrays.stream(varying.nodes()).map(ThreadPair::plain).toArray());
        others.merge(plain, weight, PairProof::sum);
      }
    }
    List<Digit> digits = new ArrayList<>();
    Polynomial rest = distance;
    for (Map.Entry<Monomial, Polynomial> each : weights.entrySet()) {
      Polynomial other = others.get(each.getKey());
      // What only one of the threads adds, or adds by another weight, is no digit.
      if (other != null && sum(each.getValue(), other).isZero()) {
        Digit digit = new Digit(each.getKey(), each.getValue());
        digits.add(digit);
        Polynomial both = both(digit);
        rest = both == null ? null : rest.minus(both);
        if (rest == null) {
          return false;
        }
      }
    }
    boolean before = grew;
    grew = false;
    boolean impossible = solve(digits, rest, first, second);
    if (!impossible && !grew) {
      Polynomial opposite = negated(rest);
      List<Digit> falling = new ArrayList<>();
      for (Digit digit : digits) {
        Polynomial weight = negated(digit.weight());
        if (weight != null) {
          falling.add(new Digit(digit.value(), weight));
        }
      }
      impossible =
          opposite != null
              && falling.size() == digits.size()
              && solve(falling, opposite, second, first);
    }
    grew |= before;
    return impossible;
  }

  /** The symbols of a product that may differ between the threads, or those that do not. */
  private Monomial part(Monomial product, boolean varying) {
    return new Monomial(
        Arrays.stream(product.nodes())
            .filter(id -> varying != (!ThreadPair.isSecond(id) && pair.isSame(symbols.node(id))))
            .toArray());
  }

  private static Polynomial sum(Polynomial a, Polynomial b) {
    Polynomial sum = a.plus(b);
    if (sum == null) {
      throw new TooComplexException("an address is too long a formula");
    }
    return sum;
  }

  /**
   * Notes which digits are the same if the sum of their differences and a rest is more than {@code
   * -first} and less than {@code second}; whether it cannot be.
   */
  private boolean solve(List<Digit> digits, Polynomial rest, long first, long second) {
    if (digits.isEmpty()) {
      return proofs.isAtLeast(rest, second) || proofs.isAtLeast(negated(rest), first);
    }
    boolean isZero = first == 1 && second == 1 && rest.isZero();
    if (digits.size() == 1 && isOne(digits.get(0).weight()) && isZero) {
      note(digits.get(0).value());
      return false;
    }
    Set<Polynomial> weights = new LinkedHashSet<>();
    digits.stream().map(Digit::weight).sorted(largestFirst()).forEach(weights::add);
    rest.terms()
        .forEach(
            each ->
                weights.add(
                    Polynomial.term(part(each.product(), false), Math.abs(each.coefficient()))));
    for (Polynomial weight : weights) {
      List<Digit> high = new ArrayList<>();
      List<Digit> low = new ArrayList<>();
      for (Digit digit : digits) {
        Polynomial quotient = digit.weight().over(weight);
        if (quotient == null) {
          low.add(digit);
        } else {
          high.add(new Digit(digit.value(), quotient));
        }
      }
      Polynomial multiple = Polynomial.ZERO;
      for (Term term : rest.terms()) {
        Polynomial part = Polynomial.term(term.product(), term.coefficient());
        if (!isOne(weight) && part.over(weight) != null) {
          multiple = sum(multiple, part);
        }
      }
      // The rest is one of the low digits, or its multiples of the weight are one of the high ones.
      for (Polynomial part : new LinkedHashSet<>(List.of(Polynomial.ZERO, multiple))) {
        Polynomial lowRest = rest.minus(part);
        Polynomial highRest = part.over(weight);
        boolean isSmaller = !high.isEmpty() || !part.isZero();
        if (isSmaller
            && (!low.isEmpty() || !isOne(weight))
            && lowRest != null
            && highRest != null
            && isBelow(low, lowRest, weight, first, second)) {
          boolean impossible = solve(high, highRest, 1, 1);
          return solve(low, lowRest, first, second) || impossible;
        }
      }
      if (low.isEmpty() && isBetween(rest, weight, first, second)) {
        return true;
      }
    }
    return false;
  }

  /** Whether low digits and a rest, with the widths, are less than one unit of the high ones. */
  private boolean isBelow(
      List<Digit> low, Polynomial rest, Polynomial weight, long first, long second) {
    Polynomial sum = rest;
    for (Digit digit : low) {
      Polynomial both = both(digit);
      sum = both == null || sum == null ? null : sum.plus(both);
    }
    if (sum == null) {
      return false;
    }
    Polynomial above = weight.minus(sum);
    Polynomial below = weight.plus(sum);
    return proofs.isAtLeast(above, first) && proofs.isAtLeast(below, second);
  }

  /** What a digit adds to a distance. */
  private @Nullable Polynomial both(Digit digit) {
    Polynomial first = digit.weight().times(Polynomial.term(digit.value(), 1));
    return first == null ? null : first.minus(pair.second(first));
  }

  /** Whether no multiple of a weight and a rest together are within the widths. */
  private boolean isBetween(Polynomial rest, Polynomial weight, long first, long second) {
    if (rest.size() != 1 || weight.size() != 1) {
      return false;
    }
    Monomial unit = weight.term(0).product();
    if (!rest.term(0).product().equals(unit) || !symbols.signs().isPositive(unit)) {
      return false;
    }
    long multiple = Math.abs(weight.term(0).coefficient());
    long beyond = Math.floorMod(rest.term(0).coefficient(), multiple);
    return beyond >= second && multiple - beyond >= first;
  }

  /** Notes that a digit is the same in both threads, and what it was computed from. */
  private void note(Monomial digit) {
    Node node = digit.nodes().length == 1 ? symbols.node(digit.nodes()[0]) : null;
    while (node != null) {
      grew |= pair.add(node);
      node = pair.invertible(node);
      Polynomial formula = node == null ? null : symbols.exact(node);
      if (formula != null && !same.contains(formula)) {
        same.add(formula);
      }
    }
  }

  private static boolean isOne(Polynomial polynomial) {
    return polynomial.equals(Polynomial.constant(1));
  }

  private static @Nullable Polynomial negated(Polynomial polynomial) {
    return Polynomial.ZERO.minus(polynomial);
  }

  private static Comparator<Polynomial> largestFirst() {
    return Comparator.<Polynomial>comparingInt(each -> each.terms().get(0).product().nodes().length)
        .thenComparingLong(each -> Math.abs(each.terms().get(0).coefficient()))
        .reversed();
  }
}
