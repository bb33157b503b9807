package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.races.PairProof.Place;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that a program takes apart into rows and columns, where it puts them together again:
 * {@code i / n * n + i % n} is {@code i}. A remainder is the number less a multiple of the
 * quotient, and a quotient that is divided again has one value whatever divisor comes first.
 * Confined to one thread.
 */
final class LinearIndexes {
  /** How deep divisions of divisions are looked at. */
  private static final int MAX_DEPTH = 8;

  /** A constant that fits into 32 bits, as what is divided does. */
  private static final long MAX_CONSTANT = Integer.MAX_VALUE;

  private final NodeGraph nodes;
  private final Symbols symbols;

  /** What divisions are, by the number of their value; empty for those that stay. */
  private final Map<Integer, Optional<Polynomial>> known = new HashMap<>();

  private int depth;

  LinearIndexes(NodeGraph nodes, Symbols symbols) {
    this.nodes = nodes;
    this.symbols = symbols;
  }

  /** A place without quotients and remainders; the place itself if some are left. */
  Place withNumbers(Place place) {
    Polynomial offset = expanded(place.offset());
    return offset == null || offset.has(id -> division(nodes.node(id)) != null)
        ? place
        : new Place(offset, place.width(), place.known());
  }

  /**
   * A quotient or a remainder.
   *
   * @param operator which quotient it is, or belongs to; null if both are the same
   * @param by what it is divided by
   */
  private record DivisionByFormula(
      @Nullable Operator operator, Node whole, Polynomial by, boolean isQuotient) {}

  /**
   * The division that gives a value; null if there is none, or if what it divides may wrap around.
   */
  private @Nullable DivisionByFormula division(Node node) {
    Symbols.Division constant = symbols.division(node);
    if (constant != null) {
      return symbols.signs().isPlainlyNatural(constant.whole())
          ? new DivisionByFormula(
              null,
              Symbols.dividend(node),
              Polynomial.constant(constant.divisor()),
              constant.isQuotient())
          : null;
    }
    Operator operator =
        switch (node.operation) {
          case DIVIDE, REMAINDER -> Operator.DIVIDE;
          case DIVIDE_UNSIGNED, REMAINDER_UNSIGNED -> Operator.DIVIDE_UNSIGNED;
          default -> null;
        };
    if (operator == null) {
      return null;
    }
    Polynomial by = symbols.exact(node.input(1));
    Polynomial whole = by == null || by.isZero() ? null : symbols.whole(node.input(0));
    if (by == null || whole == null) {
      return null;
    }
    // As a number without a sign, a negative one is another.
    Signs signs = symbols.signs();
    boolean hasSign = operator == Operator.DIVIDE;
    return hasSign || (signs.isPlainlyNatural(whole) && signs.isNaturalDivisor(node.input(1)))
        ? new DivisionByFormula(operator, node.input(0), by, node.is(operator))
        : null;
  }

  /** A formula with what its divisions are; null if it is too long. */
  private @Nullable Polynomial expanded(Polynomial formula) {
    Polynomial found = formula;
    for (int id : ids(formula)) {
      Polynomial number = formula(id);
      found = found == null || number == null ? found : found.with(id, number);
    }
    return found;
  }

  private static Set<Integer> ids(Polynomial formula) {
    Set<Integer> found = new LinkedHashSet<>();
    for (Term term : formula.terms()) {
      for (int id : term.product().nodes()) {
        found.add(id);
      }
    }
    return found;
  }

  /** What a value is, if it is a division that does not stay as it is; otherwise null. */
  private @Nullable Polynomial formula(int id) {
    Optional<Polynomial> number = known.get(id);
    if (number == null) {
      DivisionByFormula division = division(nodes.node(id));
      number =
          division == null || depth == MAX_DEPTH
              ? Optional.empty()
              : Optional.ofNullable(formula(nodes.node(id), division));
      known.put(id, number);
    }
    return number.orElse(null);
  }

  private @Nullable Polynomial formula(Node node, DivisionByFormula division) {
    Polynomial formula = symbols.whole(division.whole());
    depth++;
    Polynomial whole =
        formula == null || formula.has(this::mayBeOfMoreBits) ? null : expanded(formula);
    depth--;
    Polynomial quotient = whole == null ? null : quotient(whole, division, node.bits);
    if (whole == null || quotient == null || division.isQuotient()) {
      return quotient;
    }
    Polynomial multiple = quotient.times(division.by());
    return multiple == null ? null : whole.minus(multiple);
  }

  /** Whether a value is a number without a sign, and as one with a sign may be another. */
  private boolean mayBeOfMoreBits(int id) {
    Node node = nodes.node(id);
    return (node.is(Operator.DIVIDE_UNSIGNED) || node.is(Operator.REMAINDER_UNSIGNED))
        && !symbols.signs().isNatural(id);
  }

  private @Nullable Polynomial quotient(Polynomial whole, DivisionByFormula division, int bits) {
    Polynomial exact = whole.over(division.by());
    if (exact != null) {
      return exact;
    }
    List<Node> divisors = divisors(division.by(), bits);
    if (divisors.isEmpty()) {
      return null;
    }
    Node number = symbols.single(whole);
    if (number == null || number.bits != bits) {
      number = division.whole();
    }
    Operator operator = division.operator();
    DivisionByFormula next = division(number);
    while (next != null && next.isQuotient()) {
      boolean isOther = operator != null && next.operator() != null && next.operator() != operator;
      List<Node> more = divisors(next.by(), bits);
      if (isOther || more.isEmpty()) {
        break;
      }
      divisors.addAll(more);
      operator = next.operator() == null ? operator : next.operator();
      number = next.whole();
      next = division(number);
    }
    if (number.bits != bits) {
      return null;
    }
    Node quotient = number;
    for (Node divisor : inOrder(divisors, bits)) {
      quotient = nodes.of(operator == null ? Operator.DIVIDE : operator, bits, quotient, divisor);
    }
    known.put(quotient.id, Optional.empty());
    return Polynomial.of(quotient.id);
  }

  /** Divisors in the order in which every quotient has them, with one constant for several. */
  private List<Node> inOrder(List<Node> divisors, int bits) {
    List<Node> found = new ArrayList<>();
    long product = 1;
    for (Node divisor : divisors) {
      boolean isFactor = divisor.is(Operator.CONSTANT) && divisor.constant < MAX_CONSTANT / product;
      product *= isFactor ? divisor.constant : 1;
      if (!isFactor) {
        found.add(divisor);
      }
    }
    if (product > 1) {
      found.add(nodes.constant(product, bits));
    }
    found.sort(Comparator.comparingInt(divisor -> divisor.id));
    return found;
  }

  /** The factors of a product, each as a divisor of its own; none of a sum. */
  private List<Node> divisors(Polynomial product, int bits) {
    List<Node> found = new ArrayList<>();
    if (product.size() != 1 || product.term(0).coefficient() < 1) {
      return found;
    }
    Term term = product.term(0);
    if (term.coefficient() != 1) {
      found.add(nodes.constant(term.coefficient(), bits));
    }
    for (int id : term.product().nodes()) {
      Node factor = nodes.node(id);
      // A negative number has more than one extension.
      boolean fits =
          factor.bits == bits || (factor.bits < bits && symbols.signs().isNatural(factor.id));
      if (!fits) {
        return new ArrayList<>();
      }
      found.add(factor.bits == bits ? factor : nodes.of(Operator.SIGN_EXTEND, bits, factor));
    }
    return found;
  }
}
