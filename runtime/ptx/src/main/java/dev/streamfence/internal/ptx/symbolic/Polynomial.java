package dev.streamfence.internal.ptx.symbolic;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A polynomial with integer coefficients over values, which are named by their node. Immutable. It
 * has no more than {@value #MAX_TERMS} terms of a degree of at most {@value #MAX_DEGREE}; an
 * operation whose result would be larger, or whose coefficients exceed 64 bits, returns null.
 */
public final class Polynomial {
  public static final int MAX_TERMS = 24;
  public static final int MAX_DEGREE = 5;

  public static final Polynomial ZERO = new Polynomial();

  /**
   * A multiple of a product.
   *
   * @param coefficient not 0
   */
  public record Term(Monomial product, long coefficient) {
    // Written out, because proofs compare many, and what a record has by itself is slow at first.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Term term
          && coefficient == term.coefficient
          && product.equals(term.product);
    }

    @Override
    public int hashCode() {
      return 31 * product.hashCode() + Long.hashCode(coefficient);
    }
  }

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
      if (nodes.length == 0 || other.nodes.length == 0) {
        return nodes.length == 0 ? other : this;
      }
      int[] product = new int[nodes.length + other.nodes.length];
      int i = 0;
      int j = 0;
      for (int at = 0; at < product.length; at++) {
        boolean isOwn = j == other.nodes.length || (i < nodes.length && nodes[i] <= other.nodes[j]);
        product[at] = isOwn ? nodes[i++] : other.nodes[j++];
      }
      return new Monomial(product);
    }

    /** This product without the other's factors; null if it does not have all of them. */
    public @Nullable Monomial without(Monomial other) {
      if (other.nodes.length == 0) {
        return this;
      }
      int left = nodes.length - other.nodes.length;
      int at = 0;
      for (int i = 0; i < nodes.length && at < other.nodes.length && i - at <= left; i++) {
        at += other.nodes[at] == nodes[i] ? 1 : 0;
      }
      if (at < other.nodes.length) {
        return null;
      }
      int[] rest = new int[left];
      int size = 0;
      at = 0;
      for (int node : nodes) {
        if (at < other.nodes.length && other.nodes[at] == node) {
          at++;
        } else {
          rest[size++] = node;
        }
      }
      return new Monomial(rest);
    }

    public boolean has(IntPredicate choice) {
      for (int node : nodes) {
        if (choice.test(node)) {
          return true;
        }
      }
      return false;
    }
  }

  /** In the order of their products, each of which occurs once. */
  private final Term[] terms;

  /** Kept, since what is found of polynomials is kept by them; 0 if it is not known. */
  private int hash;

  /** One bit for each value that occurs, which others may share; 0 if it is not known. */
  private long occurring;

  private Polynomial(Term... terms) {
    this.terms = terms;
  }

  public static Polynomial constant(long value) {
    return term(Monomial.ONE, value);
  }

  public static Polynomial of(int node) {
    return term(new Monomial(node), 1);
  }

  public static Polynomial term(Monomial product, long coefficient) {
    return coefficient == 0 ? ZERO : new Polynomial(new Term(product, coefficient));
  }

  /** The terms, the one of the highest degree first. */
  public List<Term> terms() {
    return Collections.unmodifiableList(Arrays.asList(terms));
  }

  /** One of the terms, in the same order. */
  public Term term(int index) {
    return terms[index];
  }

  /** How many terms it has. */
  public int size() {
    return terms.length;
  }

  public boolean isZero() {
    return terms.length == 0;
  }

  /** The coefficient of a product; 0 if there is no such term. */
  public long coefficient(Monomial product) {
    for (Term term : terms) {
      int order = term.product.compareTo(product);
      if (order >= 0) {
        return order == 0 ? term.coefficient : 0;
      }
    }
    return 0;
  }

  /** The greatest number that divides all coefficients but the constant; 0 if there are none. */
  public long commonDivisor() {
    long divisor = 0;
    for (Term term : terms) {
      divisor = term.product.nodes.length == 0 ? divisor : gcd(divisor, term.coefficient);
    }
    return divisor;
  }

  /** The greatest common divisor of two numbers, not negative. */
  public static long gcd(long a, long b) {
    return b == 0 || a == 1 ? Math.abs(a) : gcd(b, a % b);
  }

  public @Nullable Polynomial plus(Polynomial other) {
    return combined(1, other, 1, Monomial.ONE);
  }

  public @Nullable Polynomial minus(Polynomial other) {
    return combined(1, other, -1, Monomial.ONE);
  }

  public @Nullable Polynomial times(Polynomial other) {
    Polynomial product = ZERO;
    for (Term term : terms) {
      Polynomial next = product.combined(1, other, term.coefficient, term.product);
      if (next == null) {
        return null;
      }
      product = next;
    }
    return product;
  }

  /**
   * A multiple of this polynomial, and a multiple of another one times a product; null if the sum
   * is too large.
   */
  public @Nullable Polynomial combined(
      long scale, Polynomial other, long factor, Monomial product) {
    Term[] sum = new Term[Math.min(MAX_TERMS, terms.length + other.terms.length)];
    int size = 0;
    int i = 0;
    int j = 0;
    // Products keep their order when they are multiplied by the same one.
    Monomial theirs = null;
    try {
      while (i < terms.length || j < other.terms.length) {
        if (j < other.terms.length && theirs == null) {
          theirs = other.terms[j].product.times(product);
          if (theirs.nodes.length > MAX_DEGREE) {
            return null;
          }
        }
        int order =
            i == terms.length ? 1 : theirs == null ? -1 : terms[i].product.compareTo(theirs);
        Monomial next = order <= 0 || theirs == null ? terms[i].product : theirs;
        long value = 0;
        if (order <= 0) {
          value = Math.multiplyExact(terms[i++].coefficient, scale);
        }
        if (order >= 0) {
          value = Math.addExact(value, Math.multiplyExact(other.terms[j++].coefficient, factor));
          theirs = null;
        }
        if (value != 0) {
          if (size == MAX_TERMS) {
            return null;
          }
          sum[size++] = new Term(next, value);
        }
      }
    } catch (ArithmeticException e) {
      return null;
    }
    return new Polynomial(size == sum.length ? sum : Arrays.copyOf(sum, size));
  }

  /** The quotient of a division that leaves no rest; null if there is none. */
  public @Nullable Polynomial over(Polynomial divisor) {
    Term lead = divisor.terms[0];
    Polynomial quotient = ZERO;
    Polynomial rest = this;
    for (int i = 0; i < MAX_TERMS && !rest.isZero(); i++) {
      Term first = rest.terms[0];
      Monomial factor = first.product.without(lead.product);
      if (factor == null || first.coefficient % lead.coefficient != 0) {
        return null;
      }
      long number = first.coefficient / lead.coefficient;
      Polynomial next = rest.combined(1, divisor, -number, factor);
      Polynomial sum = quotient.plus(term(factor, number));
      if (next == null || sum == null) {
        return null;
      }
      quotient = sum;
      rest = next;
    }
    return rest.isZero() ? quotient : null;
  }

  /** The terms whose products match. */
  public Polynomial only(Predicate<Monomial> choice) {
    Term[] found = new Term[terms.length];
    int size = 0;
    for (Term term : terms) {
      if (choice.test(term.product)) {
        found[size++] = term;
      }
    }
    return size == terms.length ? this : new Polynomial(Arrays.copyOf(found, size));
  }

  /** How many terms have products that match. */
  public int count(Predicate<Monomial> choice) {
    int found = 0;
    for (Term term : terms) {
      found += choice.test(term.product) ? 1 : 0;
    }
    return found;
  }

  /** Whether a value that matches occurs. */
  public boolean has(IntPredicate choice) {
    for (Term term : terms) {
      if (term.product.has(choice)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether all factors of a product may occur, though in different terms: false is certain, and
   * found without a look at the terms.
   */
  public boolean mayHave(Monomial product) {
    long known = occurring;
    if (known == 0) {
      for (Term term : terms) {
        known |= bits(term.product);
      }
      occurring = known;
    }
    return (bits(product) & ~known) == 0;
  }

  private static long bits(Monomial product) {
    long bits = 0;
    for (int node : product.nodes) {
      bits |= 1L << node;
    }
    return bits;
  }

  /** The polynomial with another one in place of a value; null if the result is too large. */
  public @Nullable Polynomial with(int node, Polynomial value) {
    if (!has(each -> each == node)) {
      return this;
    }
    Polynomial result = only(product -> !product.has(each -> each == node));
    Monomial divisor = new Monomial(node);
    for (Term term : terms) {
      Monomial rest = term.product;
      Polynomial product = term(Monomial.ONE, term.coefficient);
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
    return other instanceof Polynomial polynomial && Arrays.equals(terms, polynomial.terms);
  }

  @Override
  public int hashCode() {
    int known = hash;
    if (known == 0) {
      known = Arrays.hashCode(terms);
      hash = known;
    }
    return known;
  }

  @Override
  public String toString() {
    return Arrays.toString(terms);
  }
}
