// Long because the replacements of quotients and remainders undo each other's work.
package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Formulas.Condition;
import dev.streamfence.internal.ptx.symbolic.Interval;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The divisions by which a compiler counts the iterations of a loop that it unrolls. Of {@code for
 * (i = first; i < n; i += s)} it makes two loops: with {@code t = (n - 1 - first) / s}, one of
 * {@code (t + 1) % 4} iterations, and one that goes on from there in steps of {@code 4 * s} while
 * {@code i < n}. Each iteration of the second one touches {@code i} to {@code i + 3 * s}, of which
 * the comparison says little; that all are below {@code n} follows from the divisions, which are
 * written as sums here: {@code s * t} is {@code a - a % s} with {@code t = a / s}, and {@code a %
 * 4} is {@code a - 4 * (a / 4)}. Confined to one thread.
 */
final class TripCounts {
  /** How many divisions are replaced in one formula; a loop has two. */
  private static final int MAX_REPLACED = 6;

  /** A polynomial that stands for another one under conditions. */
  record Derived(Polynomial polynomial, List<Condition> conditions) {}

  /** A division without a rest, as polynomials. */
  private record Quotient(Node node, Polynomial dividend, Polynomial divisor) {}

  private final NodeGraph nodes;
  private final Formulas formulas;

  /** The divisions of the code. */
  private final List<Node> divisions = new ArrayList<>();

  /** What was found of polynomials: the guards of a block are those of all blocks behind it. */
  private final Map<Polynomial, Optional<Derived>> reduced = new HashMap<>();

  TripCounts(NodeGraph nodes, Formulas formulas) {
    this.nodes = nodes;
    this.formulas = formulas;
    for (int i = 0; i < nodes.size(); i++) {
      if (isDivision(nodes.node(i))) {
        divisions.add(nodes.node(i));
      }
    }
  }

  private static boolean isDivision(Node node) {
    return switch (node.operation) {
      case DIVIDE, DIVIDE_UNSIGNED -> true;
      case SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED ->
          node.input(1).is(Operator.CONSTANT)
              && node.input(1).constant > 0
              && node.input(1).constant < node.bits - 1;
      default -> false;
    };
  }

  /** Whether a value is the remainder of a division by a power of two. */
  private static boolean isRemainder(Node node) {
    return node.is(Operator.AND)
        && node.input(1).is(Operator.CONSTANT)
        && node.input(1).constant > 0
        && (node.input(1).constant & (node.input(1).constant + 1)) == 0;
  }

  /** Whether a polynomial has a quotient or a remainder. */
  boolean divides(Polynomial polynomial) {
    return polynomial.has(id -> isDivision(nodes.node(id)) || isRemainder(nodes.node(id)));
  }

  /** A polynomial without the quotients and remainders in it; null if it has none to replace. */
  @Nullable Derived reduced(Polynomial polynomial) {
    return divides(polynomial)
        ? reduced
            .computeIfAbsent(
                polynomial,
                key -> Optional.ofNullable(WitnessPlanner.ifShort(() -> withoutDivisions(key))))
            .orElse(null)
        : null;
  }

  private @Nullable Derived withoutDivisions(Polynomial polynomial) {
    List<Condition> conditions = new ArrayList<>();
    Set<Node> introduced = new HashSet<>();
    Polynomial plain = withoutRemainders(polynomial, conditions, introduced);
    Polynomial result = withoutQuotients(plain, conditions, introduced);
    return result.equals(polynomial) ? null : new Derived(result, conditions);
  }

  /**
   * A multiple of a polynomial that has half of a number: {@code 2 * (x + d / 2)} is {@code 2 * x +
   * d} less a rest.
   *
   * @param polynomial the multiple, but for the rest
   * @param rest how often the rest, which is less than the divisor, is subtracted
   * @param unit a number of which the first polynomial is a multiple
   */
  record Multiple(
      Polynomial polynomial, long divisor, long rest, long unit, List<Condition> conditions) {}

  /** A multiple without the first quotient by a constant; null if there is none. */
  @Nullable Multiple multiple(Polynomial polynomial) {
    for (Polynomial.Term term : polynomial.terms()) {
      int[] product = term.product().nodes();
      Node division = product.length == 1 ? nodes.node(product[0]) : null;
      Quotient quotient = division != null && isDivision(division) ? quotient(division) : null;
      long divisor = quotient == null ? 0 : quotient.divisor().coefficient(Polynomial.Monomial.ONE);
      if (quotient != null && quotient.divisor().equals(Polynomial.constant(divisor))) {
        Polynomial others = polynomial.minus(Polynomial.term(term.product(), term.coefficient()));
        Polynomial first = others == null ? null : others.times(Polynomial.constant(divisor));
        Polynomial second = quotient.dividend().times(Polynomial.constant(term.coefficient()));
        Polynomial sum = first == null || second == null ? null : first.plus(second);
        if (divisor > 0 && sum != null) {
          long unit = 0;
          for (Polynomial.Term each : polynomial.terms()) {
            unit = Polynomial.gcd(unit, each.coefficient());
          }
          boolean fits =
              Interval.isBound(Interval.multiply(divisor, unit))
                  && Interval.isBound(Interval.multiply(term.coefficient(), divisor));
          // The launch divides by both, and adds what is less than their product.
          return fits
              ? new Multiple(sum, divisor, term.coefficient(), unit, conditions(quotient))
              : null;
        }
      }
    }
    return null;
  }

  /**
   * What is at least 0 if a difference is: {@code t - m} follows from {@code a - s * m}. Where all
   * but a constant is a multiple of a number, the constant is rounded down to one.
   */
  List<Derived> implied(Polynomial difference) {
    List<Derived> found = new ArrayList<>();
    add(found, () -> withRemainders(difference, new ArrayList<>()));
    for (Node division : divisions) {
      add(found, () -> byQuotient(division, difference));
    }
    return found;
  }

  private static void add(List<Derived> found, Supplier<@Nullable Derived> search) {
    Derived derived = WitnessPlanner.ifShort(search);
    if (derived != null) {
      found.add(derived);
    }
  }

  private @Nullable Derived byQuotient(Node division, Polynomial difference) {
    Quotient quotient = quotient(division);
    if (quotient == null) {
      return null;
    }
    Polynomial multiple = quotient.dividend().minus(difference);
    Polynomial times = multiple == null ? null : multiple.over(quotient.divisor());
    Polynomial rest = times == null ? null : Polynomial.of(division.id).minus(times);
    return rest == null ? null : withRemainders(rest, conditions(quotient));
  }

  /** A difference with remainders that makes it a multiple of a number; null for others. */
  private @Nullable Derived withRemainders(Polynomial difference, List<Condition> conditions) {
    Polynomial plain = withoutRemainders(difference, conditions, new HashSet<>());
    Polynomial rounded = plain.equals(difference) ? plain : rounded(plain);
    return rounded.equals(plain) ? null : new Derived(rounded, conditions);
  }

  /** A polynomial that is at least 0, divided by what all terms but the constant have in common. */
  private static Polynomial rounded(Polynomial polynomial) {
    long common = 0;
    for (Polynomial.Term term : polynomial.terms()) {
      if (term.product().nodes().length > 0) {
        common = Polynomial.gcd(common, term.coefficient());
      }
    }
    if (common <= 1) {
      return polynomial;
    }
    Polynomial result = Polynomial.ZERO;
    for (Polynomial.Term term : polynomial.terms()) {
      Polynomial next =
          result.plus(Polynomial.term(term.product(), Math.floorDiv(term.coefficient(), common)));
      if (next == null) {
        return polynomial;
      }
      result = next;
    }
    return result;
  }

  /**
   * Replaces remainders.
   *
   * @param introduced gets the quotients that stand for them
   */
  private Polynomial withoutRemainders(
      Polynomial polynomial, List<Condition> conditions, Set<Node> introduced) {
    Polynomial result = polynomial;
    for (int i = 0; i < MAX_REPLACED; i++) {
      Node remainder = remainderIn(result);
      if (remainder == null) {
        return result;
      }
      Polynomial whole = whole(remainder, conditions, introduced);
      Polynomial next = whole == null ? null : result.with(remainder.id, whole);
      if (next == null) {
        return result;
      }
      result = next;
    }
    return result;
  }

  private @Nullable Node remainderIn(Polynomial polynomial) {
    for (Node part : formulas.parts(polynomial)) {
      if (isRemainder(part)) {
        return part;
      }
    }
    return null;
  }

  /** A remainder as the dividend less a multiple of the quotient. */
  private @Nullable Polynomial whole(
      Node remainder, List<Condition> conditions, Set<Node> introduced) {
    Node dividend = remainder.input(0);
    long mask = remainder.input(1).constant;
    if (dividend.is(Operator.CONSTANT)) {
      return null;
    }
    Node distance = nodes.constant(Long.bitCount(mask), Integer.SIZE);
    Node quotient = nodes.of(Operator.SHIFT_RIGHT_UNSIGNED, remainder.bits, dividend, distance);
    introduced.add(quotient);
    addRange(dividend, 0, conditions);
    return formulas
        .of(dividend)
        .minus(Polynomial.term(new Polynomial.Monomial(quotient.id), mask + 1));
  }

  /** Replaces quotients, other than those whose remainder would come back by that. */
  private Polynomial withoutQuotients(
      Polynomial polynomial, List<Condition> conditions, Set<Node> introduced) {
    Polynomial result = polynomial;
    Set<Node> parts = new LinkedHashSet<>(formulas.parts(polynomial));
    for (Node division : parts) {
      boolean isReplaced = isDivision(division) && !introduced.contains(division);
      Quotient quotient = isReplaced ? quotient(division) : null;
      if (quotient == null) {
        continue;
      }
      Polynomial factor = LoopEnd.coefficient(result, division.id);
      Polynomial times = factor == null ? null : factor.over(quotient.divisor());
      if (times == null || times.isZero()) {
        continue;
      }
      Polynomial product = quotient.divisor().times(Polynomial.of(division.id));
      Polynomial rest = quotient.dividend().minus(Polynomial.of(remainder(division).id));
      Polynomial more = product == null || rest == null ? null : rest.minus(product);
      Polynomial change = more == null ? null : more.times(times);
      Polynomial next = change == null ? null : result.plus(change);
      if (next != null) {
        conditions.addAll(conditions(quotient));
        result = next;
      }
    }
    return result;
  }

  /** What a division leaves. */
  private Node remainder(Node division) {
    Node dividend = division.input(0);
    Node divisor = division.input(1);
    return switch (division.operation) {
      case DIVIDE -> nodes.of(Operator.REMAINDER, division.bits, dividend, divisor);
      case DIVIDE_UNSIGNED ->
          nodes.of(Operator.REMAINDER_UNSIGNED, division.bits, dividend, divisor);
      default ->
          nodes.of(
              Operator.AND,
              division.bits,
              dividend,
              nodes.constant((1L << divisor.constant) - 1, division.bits));
    };
  }

  /** A division by what the launch decides; null for others. */
  private @Nullable Quotient quotient(Node division) {
    Node divisor = division.input(1);
    boolean shifts = divisor.is(Operator.CONSTANT) && !isPlain(division);
    Polynomial by = shifts ? Polynomial.constant(1L << divisor.constant) : formulas.of(divisor);
    return by.isZero() || !formulas.isUniform(by)
        ? null
        : new Quotient(division, formulas.of(division.input(0)), by);
  }

  private static boolean isPlain(Node division) {
    return division.is(Operator.DIVIDE) || division.is(Operator.DIVIDE_UNSIGNED);
  }

  /** The conditions under which a division is one of the numbers of the formulas. */
  private List<Condition> conditions(Quotient quotient) {
    List<Condition> conditions = new ArrayList<>();
    addRange(quotient.node().input(0), 0, conditions);
    if (isPlain(quotient.node())) {
      addRange(quotient.node().input(1), 1, conditions);
    }
    return conditions;
  }

  /** A value is the number of its formula, and at least as large, whether it has a sign or not. */
  private void addRange(Node value, long least, List<Condition> conditions) {
    conditions.addAll(formulas.conditions(value));
    conditions.add(new Condition(value, least, OperationRange.most(value.bits, false)));
  }
}
