package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Machine;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
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
  private static final int ATTEMPTS = 4;

  /** How many numbers an attempt changes where something does not hold. */
  private static final int CHANGES = 6;

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

  /** Whether there are any, as far as they are found. */
  boolean exist() {
    if (!isComplete) {
      isComplete = true;
      for (int i = 0; i < ATTEMPTS; i++) {
        attempt();
      }
    }
    return !found.isEmpty();
  }

  /** Whether a polynomial is negative for some numbers. */
  boolean refute(Polynomial polynomial) {
    if (exist()) {
      for (Map<Integer, Long> numbers : found) {
        if (!isNatural(polynomial, numbers)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Chooses numbers, and changes some of them until all that is given holds. */
  private void attempt() {
    Map<Integer, Long> numbers = new HashMap<>();
    int failing = failing(numbers);
    for (int i = 0; i < CHANGES && failing >= 0; i++) {
      failing = change(given.get(failing), numbers) ? failing(numbers) : failing;
    }
    if (failing >= 0) {
      return;
    }
    found.add(numbers);
    // Most of what is given holds as well if the two threads are exchanged.
    Map<Integer, Long> exchanged = exchanged(numbers);
    if (failing(exchanged) < 0) {
      found.add(exchanged);
    }
  }

  /** The index of the first given polynomial that is negative; negative if none is. */
  private int failing(Map<Integer, Long> numbers) {
    int failing = 0;
    while (failing < given.size() && isNatural(given.get(failing), numbers)) {
      failing++;
    }
    budget.take(1 + failing / 8);
    return failing == given.size() ? -1 : failing;
  }

  /**
   * Changes one of the numbers by so much that a negative polynomial no longer is.
   *
   * @return false if that was not possible
   */
  private boolean change(Polynomial negative, Map<Integer, Long> numbers) {
    List<Integer> free = new ArrayList<>();
    for (int i = 0; i < negative.size(); i++) {
      for (int id : negative.term(i).product().nodes()) {
        if (isFree(id)) {
          free.add(id);
        }
      }
    }
    if (free.isEmpty()) {
      return false;
    }
    int id = free.get(random.nextInt(free.size()));
    try {
      long before = value(id, numbers);
      long missing = Math.negateExact(value(negative, numbers));
      numbers.put(id, before + 1);
      long slope = Math.addExact(value(negative, numbers), missing);
      numbers.put(id, before);
      if (slope == 0) {
        return false;
      }
      long distance = (missing - 1) / Math.abs(slope) + 1 + random.nextLong(3);
      long after = slope > 0 ? before + distance : before - distance;
      if (after < 0 && node(id).is(Operator.ITERATION)) {
        return false;
      }
      // What was computed from it is computed anew.
      numbers.keySet().removeIf(each -> !isFree(each) && !node(each).is(Operator.SPECIAL));
      numbers.put(id, after);
      return true;
    } catch (ArithmeticException e) {
      return false;
    }
  }

  private Map<Integer, Long> exchanged(Map<Integer, Long> numbers) {
    Map<Integer, Long> exchanged = new HashMap<>();
    numbers.forEach(
        (id, number) -> {
          int other = ThreadPair.isSecond(id) ? ThreadPair.plain(id) : ThreadPair.second(id);
          boolean isOfThread = numbers.containsKey(other);
          if (isFree(id) || node(id).is(Operator.SPECIAL)) {
            exchanged.put(isOfThread ? other : id, number);
          }
        });
    return exchanged;
  }

  /** Whether a number is neither computed nor limited by what it is. */
  private boolean isFree(int id) {
    return switch (node(id).operation) {
      case SPECIAL, UNKNOWN, AND, XOR, MIN, MAX -> false;
      case SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED -> false;
      case DIVIDE, DIVIDE_UNSIGNED, REMAINDER, REMAINDER_UNSIGNED -> false;
      default -> true;
    };
  }

  private Node node(int id) {
    return symbols.node(ThreadPair.plain(id));
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
    Node node = node(id);
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
