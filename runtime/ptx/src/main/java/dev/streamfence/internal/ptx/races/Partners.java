package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Guards.Fact;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;

/**
 * Threads in pairs, as in a sorting network: the partner of {@code i} is {@code i ^ j}, and that of
 * the partner is {@code i}. Stateless but for the threads.
 */
final class Partners {
  private final ThreadPair pair;
  private final Symbols symbols;

  Partners(ThreadPair pair, Symbols symbols) {
    this.pair = pair;
    this.symbols = symbols;
  }

  /**
   * Whether two threads whose places are equal would be partners, although only one of two
   * partners, such as the smaller one, comes to both places.
   *
   * @param distance that of the places
   * @param width how many bytes a thread touches
   * @param first what holds where the first thread is
   * @param second what holds where the second thread is
   */
  boolean areExcluded(
      Polynomial distance, long width, PathFacts.Known first, PathFacts.Known second) {
    for (Term term : distance.terms()) {
      int[] factors = term.product().nodes();
      Node partner = factors.length == 1 ? symbols.node(ThreadPair.plain(factors[0])) : null;
      if (partner == null || !partner.is(Operator.XOR) || Math.abs(term.coefficient()) < width) {
        continue;
      }
      Node index = pair.invertible(partner);
      Polynomial number = index == null ? null : symbols.exact(index);
      if (index == null || number == null) {
        continue;
      }
      Polynomial other = ThreadPair.isSecond(factors[0]) ? number : pair.second(number);
      Polynomial multiple = other.times(Polynomial.constant(-term.coefficient()));
      Polynomial rest = distance.minus(Polynomial.term(term.product(), term.coefficient()));
      if (rest != null && rest.equals(multiple) && areOrdered(index, partner, first, second)) {
        return true;
      }
    }
    return false;
  }

  /** Whether one of two values is the smaller one in both threads. */
  private static boolean areOrdered(
      Node one, Node other, PathFacts.Known first, PathFacts.Known second) {
    for (Fact order : first.orders()) {
      Node less = order.left();
      Node more = order.right();
      // Both with a sign, or both without.
      if (less.isExtended() && more.is(less.operation)) {
        less = less.input(0);
        more = more.input(0);
      }
      boolean areBoth =
          (less.equals(one) && more.equals(other)) || (less.equals(other) && more.equals(one));
      if (areBoth && second.orders().contains(order)) {
        return true;
      }
    }
    return false;
  }
}
