package dev.streamfence.internal.ptx.symbolic;

import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A polynomial with integer coefficients over values, which are named by their node. Immutable. It
 * has no more than {@value #MAX_TERMS} terms of a degree of at most {@value #MAX_DEGREE}; an
 * operation whose result would be larger, or whose coefficients exceed 64 bits, returns null.
 */
public final class Polynomial {
  public static final int MAX_TERMS = 24;
  public static final int MAX_DEGREE = 5;

  public static final Polynomial ZERO = new Polynomial(new TreeMap<>());

  /** A product of values, each as often as it occurs, in ascending order. */
  @SuppressWarnings("ArrayRecordComponent") // Compared by content, and never changed.
  public record Monomial(int... nodes) implements Comparable<Monomial> {
    public static final Monomial ONE = new Monomial();

    @Override
    public int compareTo(Monomial other) {
      // The highest degree first, since it leads a division.
      int degrees = Integer.compare(other.nodes.length, nodes.length);
      return degrees != 0 ? degrees : Arrays.compare(nodes, other.nodes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Monomial monomial && Arrays.equals(nodes, monomial.nodes);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(nodes);
    }

    @Override
    public String toString() {
      return Arrays.toString(nodes);
    }

    public Monomial times(Monomial other) {
      int[] product = Arrays.copyOf(nodes, nodes.length + other.nodes.length);
      System.arraycopy(other.nodes, 0, product, nodes.length, other.nodes.length);
      Arrays.sort(product);
      return new Monomial(product);
    }

    /** This product without the other's factors; null if it does not have all of them. */
    public @Nullable Monomial without(Monomial other) {
      int[] rest = new int[Math.max(0, nodes.length - other.nodes.length)];
      int size = 0;
      int at = 0;
      for (int node : nodes) {
        if (at < other.nodes.length && other.nodes[at] == node) {
          at++;
        } else if (size < rest.length) {
          rest[size++] = node;
        } else {
          return null;
        }
      }
      return at == other.nodes.length ? new Monomial(rest) : null;
    }

    public boolean has(IntPredicate choice) {
      return Arrays.stream(nodes).anyMatch(choice);
    }
  }

  private final SortedMap<Monomial, Long> terms;

  private Polynomial(SortedMap<Monomial, Long> terms) {
    this.terms = terms;
  }

  public static Polynomial constant(long value) {
    return term(Monomial.ONE, value);
  }

  public static Polynomial of(int node) {
    return term(new Monomial(node), 1);
  }

  public static Polynomial term(Monomial monomial, long coefficient) {
    TreeMap<Monomial, Long> one = new TreeMap<>();
    if (coefficient != 0) {
      one.put(monomial, coefficient);
    }
    return new Polynomial(one);
  }

  public SortedMap<Monomial, Long> terms() {
    return terms;
  }

  /** The coefficient of a product; 0 if there is no such term. */
  public long coefficient(Monomial monomial) {
    return terms.getOrDefault(monomial, 0L);
  }

  public @Nullable Polynomial plus(Polynomial other) {
    return combine(other, Math::addExact);
  }

  public @Nullable Polynomial minus(Polynomial other) {
    return combine(other, Math::subtractExact);
  }

  private @Nullable Polynomial combine(Polynomial other, LongBinaryOperator operation) {
    TreeMap<Monomial, Long> sum = new TreeMap<>(terms);
    try {
      for (Map.Entry<Monomial, Long> term : other.terms.entrySet()) {
        long value = operation.applyAsLong(coefficient(term.getKey()), term.getValue());
        if (value == 0) {
          sum.remove(term.getKey());
        } else {
          sum.put(term.getKey(), value);
        }
      }
    } catch (ArithmeticException e) {
      return null;
    }
    return sum.size() > MAX_TERMS ? null : new Polynomial(sum);
  }

  public @Nullable Polynomial times(Polynomial other) {
    Polynomial product = ZERO;
    for (Map.Entry<Monomial, Long> a : terms.entrySet()) {
      for (Map.Entry<Monomial, Long> b : other.terms.entrySet()) {
        Monomial monomial = a.getKey().times(b.getKey());
        if (Math.multiplyHigh(a.getValue(), b.getValue()) != (a.getValue() * b.getValue()) >> 63
            || monomial.nodes.length > MAX_DEGREE) {
          return null;
        }
        Polynomial next = product.plus(term(monomial, a.getValue() * b.getValue()));
        if (next == null) {
          return null;
        }
        product = next;
      }
    }
    return product;
  }

  /**
   * A multiple of this polynomial, and a multiple of another one times a product; null if the sum
   * is too large.
   */
  public @Nullable Polynomial combined(
      long scale, Polynomial other, long factor, Monomial product) {
    TreeMap<Monomial, Long> sum = new TreeMap<>();
    try {
      for (Map.Entry<Monomial, Long> term : terms.entrySet()) {
        sum.put(term.getKey(), Math.multiplyExact(term.getValue(), scale));
      }
      for (Map.Entry<Monomial, Long> term : other.terms.entrySet()) {
        Monomial monomial =
            product.nodes.length == 0 ? term.getKey() : term.getKey().times(product);
        if (monomial.nodes.length > MAX_DEGREE) {
          return null;
        }
        long value = Math.multiplyExact(term.getValue(), factor);
        long total = Math.addExact(value, sum.getOrDefault(monomial, 0L));
        if (total == 0) {
          sum.remove(monomial);
        } else {
          sum.put(monomial, total);
        }
      }
    } catch (ArithmeticException e) {
      return null;
    }
    return sum.size() > MAX_TERMS ? null : new Polynomial(sum);
  }

  /** The quotient of a division that leaves no rest; null if there is none. */
  public @Nullable Polynomial over(Polynomial divisor) {
    Monomial lead = divisor.terms.firstKey();
    long unit = divisor.coefficient(lead);
    Polynomial quotient = ZERO;
    Polynomial rest = this;
    for (int i = 0; i < MAX_TERMS && !rest.terms.isEmpty(); i++) {
      Monomial first = rest.terms.firstKey();
      Monomial factor = first.without(lead);
      long number = rest.coefficient(first);
      if (factor == null || number % unit != 0) {
        return null;
      }
      Polynomial next = rest.combined(1, divisor, -(number / unit), factor);
      Polynomial sum = quotient.plus(term(factor, number / unit));
      if (next == null || sum == null) {
        return null;
      }
      quotient = sum;
      rest = next;
    }
    return rest.terms.isEmpty() ? quotient : null;
  }

  /** The terms whose values match. */
  public Polynomial only(java.util.function.Predicate<Monomial> choice) {
    TreeMap<Monomial, Long> chosen = new TreeMap<>();
    terms.forEach(
        (monomial, coefficient) -> {
          if (choice.test(monomial)) {
            chosen.put(monomial, coefficient);
          }
        });
    return new Polynomial(chosen);
  }

  /** Whether a value that matches occurs. */
  public boolean has(IntPredicate choice) {
    return terms.keySet().stream().anyMatch(monomial -> monomial.has(choice));
  }

  /** The polynomial with another one in place of a value; null if the result is too large. */
  public @Nullable Polynomial with(int node, Polynomial value) {
    Polynomial result = only(monomial -> !monomial.has(each -> each == node));
    for (Map.Entry<Monomial, Long> term : terms.entrySet()) {
      Monomial rest = term.getKey();
      Polynomial product = term(Monomial.ONE, term.getValue());
      Monomial divisor = new Monomial(node);
      if (!rest.has(each -> each == node)) {
        continue;
      }
      for (Monomial less = rest.without(divisor); less != null; less = rest.without(divisor)) {
        rest = less;
        product = product == null ? null : product.times(value);
      }
      product = product == null ? null : product.times(term(rest, 1));
      Polynomial next = product == null ? null : result.plus(product);
      if (next == null) {
        return null;
      }
      result = next;
    }
    return result;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Polynomial polynomial && terms.equals(polynomial.terms);
  }

  @Override
  public int hashCode() {
    return terms.hashCode();
  }

  @Override
  public String toString() {
    return terms.toString();
  }
}
