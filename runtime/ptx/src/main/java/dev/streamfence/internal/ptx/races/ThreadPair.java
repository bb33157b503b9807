package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Two different threads of one launch, and which values are the same in both. A formula of the
 * second thread has symbols of its own for the values that may differ. Confined to one thread.
 */
final class ThreadPair {
  /** What the symbols of the second thread are more by. */
  private static final int SECOND = 1 << 24;

  private final Symbols symbols;

  /** The indexes of the loops that the two are in the same iteration of. */
  private final BitSet sameIterations;

  private final boolean areInOneBlock;

  /** Where in an array a value is loaded that is the same if the place is; null for others. */
  private final Function<Node, @Nullable Polynomial> constantPlace;

  private final Set<Node> equal = new HashSet<>();
  private final Budget budget;

  /** The values that are the same in both, by their numbers; null until they are computed. */
  private @Nullable BitSet same;

  /** Whether they include what follows from those that were added. */
  private boolean isConcluded = true;

  /** How many values there were then: an analysis may add some. */
  private int size;

  ThreadPair(
      Symbols symbols,
      boolean areInOneBlock,
      BitSet sameIterations,
      Function<Node, @Nullable Polynomial> constantPlace,
      Budget budget) {
    this.budget = budget;
    this.symbols = symbols;
    this.areInOneBlock = areInOneBlock;
    this.sameIterations = sameIterations;
    this.constantPlace = constantPlace;
  }

  /** The two with what is known of them so far, to which a proof adds what it assumes. */
  ThreadPair copy() {
    ThreadPair copy = new ThreadPair(symbols, areInOneBlock, sameIterations, constantPlace, budget);
    copy.equal.addAll(equal);
    copy.same = same();
    copy.size = size;
    return copy;
  }

  /** The value that a symbol of either thread stands for. */
  static int plain(int id) {
    return id % SECOND;
  }

  static boolean isSecond(int id) {
    return id >= SECOND;
  }

  /** The second thread's symbol for a value that differs between the threads. */
  static int second(int plain) {
    return plain + SECOND;
  }

  /**
   * Notes that a value is the same in both; whether that is new. What follows for other values is
   * known from {@link #conclude} on.
   */
  boolean add(Node node) {
    boolean isNew = equal.add(node);
    if (isNew) {
      BitSet more = (BitSet) same().clone();
      more.set(node.id);
      same = more;
      isConcluded = false;
    }
    return isNew;
  }

  /** Finds what follows from the values that are the same. */
  void conclude() {
    if (!isConcluded) {
      same = null;
      isConcluded = true;
    }
  }

  /** Whether a value is known to be the same in both threads. */
  boolean isSame(Node node) {
    return same().get(node.id);
  }

  private BitSet same() {
    BitSet found = same;
    if (found == null || size != symbols.size()) {
      found = computed();
      same = found;
      size = symbols.size();
    }
    return found;
  }

  /** A phi that a loop changes is the same if that holds of the iteration before. */
  private BitSet computed() {
    BitSet found = new BitSet(symbols.size());
    found.set(0, symbols.size());
    boolean changed = true;
    while (changed) {
      changed = false;
      budget.take(1 + symbols.size() / 16);
      for (int id = found.nextSetBit(0); id >= 0; id = found.nextSetBit(id + 1)) {
        Node node = symbols.node(id);
        if (!equal.contains(node) && !isSame(node, found)) {
          found.clear(id);
          changed = true;
        }
      }
    }
    return found;
  }

  private boolean isSame(Node node, BitSet found) {
    return switch (node.operation) {
      case CONSTANT, ARGUMENT, BASE -> true;
      case SPECIAL ->
          symbols.isFlat(node)
              || !node.special().differs()
              || (node.special().isBlock && areInOneBlock);
      case ITERATION -> sameIterations.get((int) node.constant);
      case UNKNOWN -> {
        Polynomial place = constantPlace.apply(node);
        yield place != null && !place.has(id -> !found.get(id));
      }
      case PHI -> {
        Node gate = node.gate;
        boolean isChosenAlike =
            node.isCarried
                ? sameIterations.get(symbols.loop(node)) && isOfOneLatch(node)
                : gate != null && found.get(gate.id);
        yield isChosenAlike && areSame(node.inputs, found);
      }
      default -> areSame(node.inputs, found);
    };
  }

  /** Whether it does not matter which of a loop's latches a thread came from. */
  private static boolean isOfOneLatch(Node carried) {
    List<Node> inputs = carried.inputs;
    return inputs.stream().skip(1).allMatch(each -> each.equals(inputs.get(1)));
  }

  private static boolean areSame(List<Node> nodes, BitSet found) {
    for (int i = 0; i < nodes.size(); i++) {
      if (!found.get(nodes.get(i).id)) {
        return false;
      }
    }
    return true;
  }

  /** The operand that is the same in both threads if the result is; null if none has to be. */
  @Nullable Node invertible(Node result) {
    return switch (result.operation) {
      case ZERO_EXTEND, SIGN_EXTEND -> result.input(0);
      case XOR ->
          isSame(result.input(1))
              ? result.input(0)
              : isSame(result.input(0)) ? result.input(1) : null;
      default -> null;
    };
  }

  /** A formula of the first thread as that of the second one. */
  Polynomial second(Polynomial formula) {
    Polynomial result = Polynomial.ZERO;
    for (Term term : formula.terms()) {
      int[] ids = term.product().nodes().clone();
      for (int i = 0; i < ids.length; i++) {
        ids[i] = isSame(symbols.node(ids[i])) ? ids[i] : second(ids[i]);
      }
      Arrays.sort(ids);
      Polynomial sum = result.plus(Polynomial.term(new Monomial(ids), term.coefficient()));
      // No two terms of it are alike, so that it has as many as before.
      result = sum == null ? result : sum;
    }
    return result;
  }

  /** The limits of all values in some formulas, and in these limits. */
  static void closure(
      Collection<Polynomial> formulas, Symbols symbols, Consumer<Polynomial> found) {
    Deque<Polynomial> waiting = new ArrayDeque<>(formulas);
    BitSet seen = new BitSet();
    while (!waiting.isEmpty() && seen.cardinality() < 64) {
      for (Term term : waiting.remove().terms()) {
        for (int id : term.product().nodes()) {
          if (!seen.get(plain(id))) {
            seen.set(plain(id));
            for (Polynomial limit : symbols.limits(plain(id))) {
              found.accept(limit);
              waiting.add(limit);
            }
          }
        }
      }
    }
  }
}
