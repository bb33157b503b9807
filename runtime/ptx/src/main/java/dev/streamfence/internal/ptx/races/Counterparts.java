package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Adds equations that hold for one of two threads to the distance of their places, so that a term
 * of one thread has the same term of the other thread beside it. If thread 0 alone loads {@code
 * t[0]}, and another thread stores to {@code t[i]}, the distance is {@code -i}; with {@code i = 0}
 * of the first thread it is the difference of both indices. Confined to one thread.
 */
final class Counterparts {
  private final ThreadPair pair;
  private final Symbols symbols;
  private final Budget budget;

  Counterparts(ThreadPair pair, Symbols symbols, Budget budget) {
    this.pair = pair;
    this.symbols = symbols;
    this.budget = budget;
  }

  /**
   * The distance of two places, with fewer single terms where that is possible.
   *
   * @param first what holds where the first thread is
   * @param second what holds where the second thread is
   */
  Polynomial balanced(Polynomial distance, PathFacts.Known first, PathFacts.Known second) {
    List<Polynomial> zeros = new ArrayList<>(first.zero());
    second.zero().forEach(zero -> zeros.add(pair.second(zero)));
    Polynomial result = distance;
    int single = countSingle(result);
    for (int i = 0; i < zeros.size() && single > 0; i++) {
      Polynomial next = withMultiple(result, zeros.get(i), single);
      if (next != null) {
        result = next;
        single = countSingle(next);
        // What was of no use before may be now.
        i = -1;
      }
    }
    return result;
  }

  /**
   * The distance with a multiple of what is 0 that leaves fewer single terms; null if none does.
   */
  private @Nullable Polynomial withMultiple(Polynomial distance, Polynomial zero, int single) {
    for (Term own : zero.terms()) {
      Monomial counterpart = counterpart(own.product());
      for (Term term : distance.terms()) {
        budget.take(1);
        Monomial weight = varies(own.product()) ? term.product().without(counterpart) : null;
        if (weight != null && !varies(weight) && term.coefficient() % own.coefficient() == 0) {
          long factor = -(term.coefficient() / own.coefficient());
          Polynomial next = distance.combined(1, zero, factor, weight);
          if (next != null && countSingle(next) < single) {
            return next;
          }
        }
      }
    }
    return null;
  }

  /** How many terms that differ between the threads have no counterpart in the other one. */
  private int countSingle(Polynomial distance) {
    return distance.count(
        product ->
            varies(product)
                && distance.coefficient(counterpart(product)) != -distance.coefficient(product));
  }

  /** A product with the values of the other thread. */
  private Monomial counterpart(Monomial product) {
    return new Monomial(
        Arrays.stream(product.nodes())
            .map(
                id ->
                    ThreadPair.isSecond(id)
                        ? ThreadPair.plain(id)
                        : varies(id) ? ThreadPair.second(id) : id)
            .sorted()
            .toArray());
  }

  private boolean varies(Monomial product) {
    return product.has(this::varies);
  }

  private boolean varies(int id) {
    Node node = symbols.node(ThreadPair.plain(id));
    return ThreadPair.isSecond(id) || !pair.isSame(node);
  }
}
