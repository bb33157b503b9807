package dev.streamfence.internal.ptx.races;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.LoadedNumbers;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the symbols in a kernel's formulas: the limits of a thread's place, of masks,
 * quotients and remainders. Confined to one thread.
 */
final class Symbols {
  private final NodeGraph nodes;
  private final Formulas formulas;
  private final LoadedNumbers loaded;
  private final LaunchSpace space;
  private final ControlGraph graph;
  private final Signs signs;

  /** See {@link #divisions()}; of the values whose numbers are below that in {@code seen}. */
  private final List<Node> divisions = new ArrayList<>();

  private int seen;

  /** The simpler formulas of the values that were looked at; empty if there is none. */
  private final Map<Integer, Optional<Polynomial>> simpler = new HashMap<>();

  private final Map<Integer, List<Polynomial>> limits = new HashMap<>();

  /** The most threads that a block has in each dimension; 0 if that is not limited. */
  private final int[] most = new int[3];

  Symbols(
      NodeGraph nodes,
      Formulas formulas,
      ControlGraph graph,
      LoadedNumbers loaded,
      LaunchSpace space) {
    this.loaded = loaded;
    this.nodes = nodes;
    this.graph = graph;
    this.formulas = formulas;
    this.space = space;
    this.signs = new Signs(this, nodes, formulas);
  }

  /** The most threads of a block in a dimension; 0 if there is no limit. */
  int limit(int dimension) {
    return most[dimension];
  }

  /** Assumes that no block has more threads in a dimension; 0 if there is no such limit. */
  void limit(int dimension, int threads) {
    most[dimension] = threads;
    limits.clear();
  }

  Node node(int id) {
    return nodes.node(id);
  }

  /** How many values there are, whose numbers begin at 0. */
  int size() {
    return nodes.size();
  }

  /** The values that are quotients or remainders, those that a proof has added among them. */
  List<Node> divisions() {
    for (; seen < nodes.size(); seen++) {
      if (isDivision(nodes.node(seen)) && division(nodes.node(seen)) != null) {
        divisions.add(nodes.node(seen));
      }
    }
    return divisions;
  }

  private static boolean isDivision(Node node) {
    return switch (node.operation) {
      case AND, SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED -> true;
      case DIVIDE, DIVIDE_UNSIGNED, REMAINDER, REMAINDER_UNSIGNED -> true;
      default -> false;
    };
  }

  Node special(Special special) {
    return nodes.special(special);
  }

  /** Whether an index is the same in all threads of a launch. */
  boolean isFlat(Node special) {
    Special index = special.special();
    return space.isFlat(index) || (index.isThread && most[index.dimension] == 1);
  }

  /** The index of the loop whose header has a phi. */
  int loop(Node phi) {
    Loop loop = graph.loop(phi.block);
    return loop == null ? -1 : loop.index;
  }

  /** A value as a polynomial, with the numbers of the block that are the same in all launches. */
  @Nullable Polynomial of(Node node) {
    return fixed(formulas.of(node));
  }

  /** A polynomial with the block's sizes that are the same in all launches; null if too long. */
  @Nullable Polynomial fixed(@Nullable Polynomial polynomial) {
    Polynomial result = polynomial;
    for (int dimension = 0; dimension < 3; dimension++) {
      int threads = space.threads(dimension);
      if (result != null && threads > 0) {
        int size = nodes.special(Special.blockSize(dimension)).id;
        result = result.with(size, Polynomial.constant(threads));
      }
    }
    return result == null ? null : simplified(result);
  }

  /** A polynomial with the simpler formulas of its values; null if too long. */
  private @Nullable Polynomial simplified(Polynomial polynomial) {
    for (Term term : polynomial.terms()) {
      for (int id : term.product().nodes()) {
        Polynomial simpler = simpler(id);
        if (simpler != null) {
          Polynomial next = polynomial.with(id, simpler);
          return next == null ? null : simplified(next);
        }
      }
    }
    return polynomial;
  }

  /**
   * The simpler formula of a value in a signed division by a power of two; null if there is none.
   * Compilers add to a negative number before they shift it: a number that is not negative has a
   * sign of 0, and adds 0. A number without its last bits is the number less the remainder.
   */
  private @Nullable Polynomial simpler(int id) {
    Optional<Polynomial> known = simpler.get(id);
    if (known == null) {
      known = Optional.ofNullable(computedSimpler(nodes.node(id)));
      simpler.put(id, known);
    }
    return known.orElse(null);
  }

  /**
   * A quotient or a remainder of a number and multiples of the divisor, with the number alone
   * divided: {@code (256 * block + thread) / 32} is {@code 8 * block + thread / 32}.
   *
   * @return null if the value is none of such a sum
   */
  @Nullable Polynomial withoutMultiples(Node node) {
    Division division = isDivision(node) ? division(node) : null;
    if (division == null || !signs.isPlainlyNatural(division.whole())) {
      return null;
    }
    Polynomial quotient = Polynomial.ZERO;
    Polynomial rest = Polynomial.ZERO;
    for (Term term : division.whole().terms()) {
      long coefficient = term.coefficient();
      boolean isMultiple = coefficient % division.divisor() == 0;
      Polynomial part =
          Polynomial.term(
              term.product(), isMultiple ? coefficient / division.divisor() : coefficient);
      quotient = isMultiple ? sum(quotient, part) : quotient;
      rest = isMultiple ? rest : sum(rest, part);
    }
    Polynomial part = divided(node, division, rest);
    return part == null || !division.isQuotient() ? part : quotient.plus(part);
  }

  /** The same division of a part of what is divided; null if that is all, or no single value. */
  private @Nullable Polynomial divided(Node node, Division division, Polynomial rest) {
    if (greatest(rest) < division.divisor()) {
      return division.isQuotient() ? Polynomial.ZERO : rest;
    }
    if (rest.equals(division.whole())) {
      return null;
    }
    Node number = single(rest);
    // A number of fewer bits cannot be divided by what has more.
    return number == null || division.divisor() >= 1L << (number.bits - 1)
        ? null
        : of(divided(node, number));
  }

  /** The value that a formula is; null if it is more than one value. */
  @Nullable Node single(Polynomial formula) {
    boolean isOne = formula.size() == 1 && formula.term(0).coefficient() == 1;
    int[] factors = isOne ? formula.term(0).product().nodes() : new int[0];
    return factors.length == 1 ? nodes.node(factors[0]) : null;
  }

  private static Polynomial sum(Polynomial a, Polynomial b) {
    // The terms of one polynomial, which is no larger than it was.
    return requireNonNull(a.plus(b));
  }

  /** The same division of another number. */
  private Node divided(Node division, Node number) {
    boolean isMask = division.is(Operator.AND);
    Node by = division.input(isMask && division.input(0).is(Operator.CONSTANT) ? 0 : 1);
    Node fitting = nodes.constant(by.constant, number.bits);
    return nodes.of(division.operation, number.bits, number, fitting);
  }

  private @Nullable Polynomial computedSimpler(Node node) {
    Node by = node.inputs.size() == 2 ? node.input(1) : null;
    if (by == null || !by.is(Operator.CONSTANT)) {
      return null;
    }
    switch (node.operation) {
      case SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED -> {
        Polynomial shifted = exact(node.input(0));
        boolean isSign = by.constant == node.bits - 1L && signs.isPlainlyNatural(shifted);
        return isSign || (shifted != null && shifted.isZero()) ? Polynomial.ZERO : null;
      }
      case AND -> {
        long last = -by.constant - 1;
        if (by.constant >= 0 || last < 1 || Long.bitCount(last + 1) != 1) {
          return null;
        }
        Node whole = node.input(0);
        Node rest = nodes.of(Operator.AND, node.bits, whole, nodes.constant(last, node.bits));
        Polynomial number = number(whole);
        Polynomial less = of(rest);
        return number == null || less == null ? null : number.minus(less);
      }
      default -> {
        return null;
      }
    }
  }

  /** Which values are not negative, and which are at least 1. */
  Signs signs() {
    return signs;
  }

  /** Forgets what was found from an assumption on signs. */
  void forgetFound() {
    simpler.clear();
    limits.clear();
  }

  /** What is not negative because of what a value is. */
  List<Polynomial> limits(int id) {
    List<Polynomial> known = limits.get(id);
    if (known == null) {
      known = computedLimits(id);
      limits.put(id, known);
    }
    return known;
  }

  private List<Polynomial> computedLimits(int id) {
    Node node = nodes.node(id);
    Polynomial self = Polynomial.of(id);
    List<Polynomial> found = new ArrayList<>();
    if (loaded.isLimited(node)) {
      loaded.numbersOfCode(node).forEach(most -> add(most.minus(self), found));
    }
    switch (node.operation) {
      case SPECIAL -> {
        Special special = node.special();
        if (special.isThread || special.isBlock) {
          Special counted =
              special.isThread
                  ? Special.blockSize(special.dimension)
                  : Special.gridSize(special.dimension);
          Polynomial size = Polynomial.of(nodes.special(counted).id);
          add(fixed(below(size, self)), found);
          if (special.isThread) {
            int own = most[special.dimension];
            long limit = own > 0 ? own : counted.most();
            add(below(Polynomial.constant(limit), self), found);
          }
        } else {
          add(self.minus(Polynomial.constant(1)), found);
        }
      }
      case UNKNOWN -> {
        if (node.limit < Integer.MAX_VALUE) {
          add(Polynomial.constant(node.limit).minus(self), found);
        }
        if (node.constant > Integer.MIN_VALUE) {
          add(self.minus(Polynomial.constant(node.constant)), found);
        }
      }
      case AND, OR, XOR -> {
        if (node.hasNoSign() && node.most() < Integer.MAX_VALUE) {
          add(Polynomial.constant(node.most()).minus(self), found);
        }
      }
      case REMAINDER, REMAINDER_UNSIGNED -> {
        Polynomial divisor = number(node.input(1));
        if (divisor != null && signs.isNatural(id)) {
          add(below(divisor, self), found);
        }
      }
      case SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED, DIVIDE, DIVIDE_UNSIGNED -> {
        Polynomial whole = whole(node.input(0));
        if (whole != null && signs.isPlainlyNatural(whole) && scale(node) > 0) {
          Polynomial multiple = self.times(Polynomial.constant(scale(node)));
          Polynomial rest = multiple == null ? null : whole.minus(multiple);
          add(rest, found);
          add(rest == null ? null : below(Polynomial.constant(scale(node)), rest), found);
          long most = greatest(whole);
          if (most < Long.MAX_VALUE) {
            // Rounded down, which does not follow from the others.
            add(Polynomial.constant(most / scale(node)).minus(self), found);
          }
        }
      }
      case PHI, SELECT -> {
        if (signs.isPositive(node)) {
          add(self.minus(Polynomial.constant(1)), found);
        }
      }
      case MIN -> {
        for (Node input : node.inputs) {
          Polynomial most = exact(input);
          add(most == null ? null : most.minus(self), found);
        }
      }
      case MAX -> {
        for (Node input : node.inputs) {
          Polynomial least = exact(input);
          add(least == null ? null : self.minus(least), found);
        }
      }
      default -> {
        // Its inputs say nothing of it.
      }
    }
    return found;
  }

  /**
   * What a polynomial without negative terms is at most; {@code MAX_VALUE} if that is not known.
   */
  private long greatest(Polynomial polynomial) {
    long sum = 0;
    for (Term term : polynomial.terms()) {
      long product = term.coefficient();
      for (int id : term.product().nodes()) {
        long most = greatest(id);
        if (most > Integer.MAX_VALUE || product > Integer.MAX_VALUE) {
          return Long.MAX_VALUE;
        }
        product *= most;
      }
      sum += product;
      if (product > 1L << 60 || sum > 1L << 60) {
        return Long.MAX_VALUE;
      }
    }
    return sum;
  }

  /** The constant that a value is at most, as its limits say. */
  private long greatest(int id) {
    long least = Long.MAX_VALUE;
    Polynomial negated = Polynomial.term(new Monomial(id), -1);
    for (Polynomial limit : limits(id)) {
      Polynomial rest = limit.minus(negated);
      if (rest != null && !rest.has(each -> true)) {
        least = Math.min(least, rest.coefficient(Monomial.ONE));
      }
    }
    return least;
  }

  private static @Nullable Polynomial below(Polynomial limit, Polynomial value) {
    Polynomial distance = limit.minus(value);
    return distance == null ? null : distance.minus(Polynomial.constant(1));
  }

  private static void add(@Nullable Polynomial polynomial, List<Polynomial> found) {
    if (polynomial != null) {
      found.add(polynomial);
    }
  }

  /** The constant that a value is at most; negative if there is none. */
  static long mask(Node and) {
    for (Node input : and.inputs) {
      if (input.is(Operator.CONSTANT) && input.constant >= 0) {
        return input.constant;
      }
    }
    return -1;
  }

  /**
   * A value that is divided, if it does not wrap around in ordinary launches; otherwise null. What
   * is shifted to the left before is to lose its upper bits.
   */
  @Nullable Polynomial whole(Node divided) {
    return divided.is(Operator.SHIFT_LEFT) ? null : exact(divided);
  }

  /** The constant that an operation divides by; 0 if there is none. */
  static long scale(Node node) {
    Node by = node.inputs.size() < 2 ? null : node.input(1);
    if (by == null || !by.is(Operator.CONSTANT)) {
      return 0;
    }
    return switch (node.operation) {
      case SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED ->
          by.constant >= 0 && by.constant < Integer.SIZE - 1 ? 1L << by.constant : 0;
      case DIVIDE, DIVIDE_UNSIGNED, REMAINDER, REMAINDER_UNSIGNED -> Math.max(0, by.constant);
      default -> 0;
    };
  }

  /** What a quotient or a remainder divides; a mask may stand on either side. */
  static Node dividend(Node node) {
    return node.input(node.is(Operator.AND) && node.input(0).is(Operator.CONSTANT) ? 1 : 0);
  }

  /** The operand and divisor of a quotient or a remainder; null if it is neither. */
  @Nullable Division division(Node node) {
    long by =
        node.is(Operator.AND) && mask(node) >= 0 && Long.bitCount(mask(node) + 1) == 1
            ? mask(node) + 1
            : scale(node);
    if (by < 1) {
      return null;
    }
    Polynomial formula = whole(dividend(node));
    boolean isQuotient =
        switch (node.operation) {
          case SHIFT_RIGHT, SHIFT_RIGHT_UNSIGNED, DIVIDE, DIVIDE_UNSIGNED -> true;
          default -> false;
        };
    return formula == null ? null : new Division(formula, by, isQuotient);
  }

  /** Whether a formula is a multiple of a number, as {@code n - n % 4} is one of 4. */
  boolean isMultiple(Polynomial formula, long number) {
    Polynomial rest = formula;
    for (Term term : formula.terms()) {
      int[] factors = term.product().nodes();
      if (rest == null || factors.length != 1 || number < 1) {
        continue;
      }
      Division division = division(node(factors[0]));
      // A remainder differs from the whole number by a multiple of the divisor.
      boolean isRemainder =
          division != null && !division.isQuotient() && division.divisor() % number == 0;
      if (division != null && isRemainder && isDivided(node(factors[0]), division)) {
        rest = rest.with(factors[0], division.whole());
      }
    }
    return number > 0
        && rest != null
        && rest.terms().stream().allMatch(term -> term.coefficient() % number == 0);
  }

  /** Whether what an operation divides is the whole number, and not that number as unsigned. */
  private boolean isDivided(Node node, Division division) {
    return !node.is(Operator.REMAINDER_UNSIGNED)
        || Long.bitCount(division.divisor()) == 1
        || signs.isPlainlyNatural(division.whole());
  }

  /**
   * A quotient, or a remainder: both together are the whole number.
   *
   * @param isQuotient false for the remainder
   */
  record Division(Polynomial whole, long divisor, boolean isQuotient) {}

  /** Whether a value is what its formula says, in ordinary launches. */
  boolean isExact(Node value) {
    return formulas.conditions(value).stream().allMatch(this::isAssumed);
  }

  /** Whether a condition on a value is one on numbers of 32 bits or more. */
  boolean isAssumed(Formulas.Condition condition) {
    return isOfWideNumber(condition) && exact(condition.value()) != null;
  }

  /** The formula of a value that does not wrap around in ordinary launches; otherwise null. */
  @Nullable Polynomial exact(Node value) {
    Polynomial formula = number(value);
    return formula != null && formula.terms().stream().allMatch(Symbols::isSmall) ? formula : null;
  }

  /** The formula of a value that is one of 32 bits or more, and made of such; otherwise null. */
  @Nullable Polynomial number(Node value) {
    boolean isWide =
        value.bits >= Integer.SIZE
            && formulas.conditions(value).stream().allMatch(Symbols::isOfWideNumber);
    return isWide ? of(value) : null;
  }

  private static boolean isOfWideNumber(Formulas.Condition condition) {
    return condition.most() - condition.least() >= (1L << Integer.SIZE) - 1;
  }

  /** A factor of more would take a value beyond 32 bits in ordinary launches. */
  private static boolean isSmall(Term term) {
    return term.product().nodes().length == 0 || Math.abs(term.coefficient()) < 1 << 20;
  }
}
