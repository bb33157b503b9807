package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Machine;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * Numbers for which everything holds that is given of two threads. What is negative for some of
 * them cannot be proved, so that no search for a proof is needed: most searches are in vain, and
 * take longest. Confined to one thread.
 */
final class Counterexamples {
  /** How many are kept. */
  private static final int MOST = 4;

  private static final int ATTEMPTS = 16;

  /** How many operations are computed one within another. */
  private static final int MAX_DEPTH = 32;

  private final List<Polynomial> given;
  private final Symbols symbols;
  private final UnaryOperator<Polynomial> second;
  private final Budget budget;
  private final SplittableRandom random = new SplittableRandom(1);
  private final List<Map<Integer, Long>> found = new ArrayList<>();
  private boolean isComplete;
  private int depth;

  /**
   * Creates a search for numbers.
   *
   * @param second gives a formula of the first thread as that of the second one
   */
  Counterexamples(
      List<Polynomial> given, Symbols symbols, UnaryOperator<Polynomial> second, Budget budget) {
    this.given = given;
    this.symbols = symbols;
    this.second = second;
    this.budget = budget;
  }

  /** Whether a polynomial is negative for some numbers. */
  boolean refute(Polynomial polynomial) {
    if (!isComplete) {
      isComplete = true;
      for (int i = 0; i < ATTEMPTS && found.size() < MOST; i++) {
        attempt();
      }
    }
    for (Map<Integer, Long> numbers : found) {
      if (!isNatural(polynomial, numbers)) {
        return true;
      }
    }
    return false;
  }

  /** Chooses numbers, and keeps them if all that is given holds. */
  private void attempt() {
    Map<Integer, Long> numbers = new HashMap<>();
    for (int i = 0; i < given.size(); i++) {
      if (!isNatural(given.get(i), numbers)) {
        budget.take(1 + i / 8);
        return;
      }
    }
    budget.take(1 + given.size() / 8);
    found.add(numbers);
  }

  /** Whether a polynomial is not negative, or has no value that fits. */
  private boolean isNatural(Polynomial polynomial, Map<Integer, Long> numbers) {
    depth = 0;
    try {
      return value(polynomial, numbers) >= 0;
    } catch (ArithmeticException e) {
      return true;
    }
  }

  private long value(Polynomial polynomial, Map<Integer, Long> numbers) {
    long sum = 0;
    for (int i = 0; i < polynomial.size(); i++) {
      Term term = polynomial.term(i);
      long product = term.coefficient();
      for (int id : term.product().nodes()) {
        product = Math.multiplyExact(product, value(id, numbers));
      }
      sum = Math.addExact(sum, product);
    }
    return sum;
  }

  private long value(int id, Map<Integer, Long> numbers) {
    Long known = numbers.get(id);
    if (known == null) {
      known = chosen(id, numbers);
      numbers.put(id, known);
    }
    return known;
  }

  private long chosen(int id, Map<Integer, Long> numbers) {
    Node node = symbols.node(ThreadPair.plain(id));
    return switch (node.operation) {
      case SPECIAL -> special(node, numbers);
      case ITERATION -> random.nextLong(4);
      case UNKNOWN -> {
        long most = Math.min(node.limit, Math.max(node.constant, 0) + 300);
        yield random.nextLong(Math.max(node.constant, -4), Math.max(most, -3) + 1);
      }
      case AND, XOR, MIN, MAX -> computed(id, node, numbers);
      case SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED -> computed(id, node, numbers);
      case DIVIDE, DIVIDE_UNSIGNED, REMAINDER, REMAINDER_UNSIGNED -> computed(id, node, numbers);
      default -> number();
    };
  }

  /** A number of a launch, or one that a loop changes: small, or larger than the launch. */
  private long number() {
    return random.nextBoolean() ? random.nextLong(9) : random.nextLong(2000, 4000);
  }

  private long special(Node node, Map<Integer, Long> numbers) {
    Special special = node.special();
    int dimension = special.dimension;
    if (!special.isThread && !special.isBlock) {
      return special.countsBlocks ? random.nextLong(1, 5) : 1L << random.nextInt(9);
    }
    if (symbols.isFlat(node)) {
      return 0;
    }
    Special counted = special.isThread ? Special.blockSize(dimension) : Special.gridSize(dimension);
    Polynomial formula = symbols.of(symbols.special(counted));
    long size = formula == null ? 1 : value(formula, numbers);
    int most = special.isThread ? symbols.limit(dimension) : 0;
    return random.nextLong(most > 0 ? Math.min(size, most) : size);
  }

  /** The value of an operation, from those of its operands. */
  private long computed(int id, Node node, Map<Integer, Long> numbers) {
    if (depth == MAX_DEPTH) {
      return number();
    }
    depth++;
    long[] operands = new long[2];
    for (int i = 0; i < 2; i++) {
      Polynomial formula = symbols.of(node.input(i));
      Polynomial own = formula != null && ThreadPair.isSecond(id) ? second.apply(formula) : formula;
      operands[i] = own == null ? number() : value(own, numbers);
    }
    depth--;
    boolean isDefined = !Machine.divides(node.operation) || operands[1] != 0;
    return isDefined
        ? Machine.apply(node.operation, node.bits, node.bits, operands[0], operands[1])
        : number();
  }
}
