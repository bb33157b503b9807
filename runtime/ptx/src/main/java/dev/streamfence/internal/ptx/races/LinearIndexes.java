package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.races.PairProof.Place;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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
  private record Division(
      @Nullable Operator operator, Node whole, Polynomial by, boolean isQuotient) {}

  /** The division that a value is, of a number that does not wrap around; null for others. */
  private @Nullable Division division(Node node) {
    Symbols.Division constant = symbols.division(node);
    if (constant != null) {
      boolean isMask = node.is(Operator.AND) && node.input(0).is(Operator.CONSTANT);
      return symbols.signs().isPlainlyNatural(constant.whole())
          ? new Division(
              null,
              node.input(isMask ? 1 : 0),
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
    // As a number without a sign, a negative one is another.
    return by == null
            || whole == null
            || (operator == Operator.DIVIDE_UNSIGNED && !symbols.signs().isPlainlyNatural(whole))
        ? null
        : new Division(operator, node.input(0), by, node.is(operator));
  }

  /** A formula with what its divisions are; null if it is too long. */
  private @Nullable Polynomial expanded(Polynomial formula) {
    Polynomial found = formula;
    for (int id : Set.copyOf(ids(formula))) {
      Polynomial number = number(id);
      found = found == null || number == null ? found : found.with(id, number);
    }
    return found;
  }

  private static List<Integer> ids(Polynomial formula) {
    List<Integer> found = new ArrayList<>();
    for (Term term : formula.terms()) {
      for (int id : term.product().nodes()) {
        found.add(id);
      }
    }
    return found;
  }

  /** What a value is, if it is a division that does not stay as it is; otherwise null. */
  private @Nullable Polynomial number(int id) {
    Optional<Polynomial> number = known.get(id);
    if (number == null) {
      Division division = division(nodes.node(id));
      number =
          division == null || depth == MAX_DEPTH
              ? Optional.empty()
              : Optional.ofNullable(number(nodes.node(id), division));
      known.put(id, number);
    }
    return number.orElse(null);
  }

  private @Nullable Polynomial number(Node node, Division division) {
    Polynomial formula = symbols.whole(division.whole());
    depth++;
    Polynomial whole = formula == null ? null : expanded(formula);
    depth--;
    Polynomial quotient = whole == null ? null : quotient(whole, division, node.bits);
    if (whole == null || quotient == null || division.isQuotient()) {
      return quotient;
    }
    Polynomial multiple = quotient.times(division.by());
    return multiple == null ? null : whole.minus(multiple);
  }

  private @Nullable Polynomial quotient(Polynomial whole, Division division, int bits) {
    Polynomial exact = whole.over(division.by());
    if (exact != null) {
      return exact;
    }
    List<Node> divisors = divisors(division.by(), bits);
    Node number = single(whole);
    if (number == null || number.bits != bits) {
      number = division.whole();
    }
    Operator operator = division.operator();
    Division next = division(number);
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
    if (divisors.isEmpty() || number.bits != bits) {
      return null;
    }
    divisors.sort(Comparator.comparingInt(divisor -> divisor.id));
    Node quotient = number;
    for (Node divisor : divisors) {
      quotient = nodes.of(operator == null ? Operator.DIVIDE : operator, bits, quotient, divisor);
    }
    known.put(quotient.id, Optional.empty());
    return Polynomial.of(quotient.id);
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
      if (factor.bits > bits) {
        return new ArrayList<>();
      }
      found.add(factor.bits == bits ? factor : nodes.of(Operator.SIGN_EXTEND, bits, factor));
    }
    return found;
  }

  /** The value that a formula is; null if it is more than one value. */
  private @Nullable Node single(Polynomial formula) {
    boolean isOne = formula.size() == 1 && formula.term(0).coefficient() == 1;
    Monomial product = isOne ? formula.term(0).product() : Monomial.ONE;
    return product.nodes().length == 1 ? nodes.node(product.nodes()[0]) : null;
  }
}
