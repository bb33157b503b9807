package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which of a kernel's values are not negative, and which are at least 1, in every ordinary launch.
 * What a loop changes is decided by induction over the iterations. Confined to one thread.
 */
final class Signs {
  private static final byte UNKNOWN = 0;
  private static final byte NATURAL = 1;
  private static final byte ANY = 2;

  /** A choice of which that is assumed for the iterations so far. */
  private static final byte ASSUMED = 3;

  private final Symbols symbols;
  private final NodeGraph nodes;
  private final Formulas formulas;

  /** For each value that was looked at, whether it is no negative number. */
  private byte[] natural = {};

  /** Whether an answer may depend on an assumption. */
  private boolean usesAssumption;

  /** For each choice that was looked at, whether it is at least 1; true while that is assumed. */
  private final Map<Integer, Boolean> positive = new HashMap<>();

  Signs(Symbols symbols, NodeGraph nodes, Formulas formulas) {
    this.symbols = symbols;
    this.nodes = nodes;
    this.formulas = formulas;
  }

  /** Whether a value is no negative number, whatever the launch. */
  boolean isNatural(int id) {
    if (id >= natural.length) {
      natural = Arrays.copyOf(natural, Math.max(nodes.size(), id + 1));
    }
    if (natural[id] == UNKNOWN) {
      boolean found = hasNoSign(nodes.node(id));
      natural[id] = found ? NATURAL : ANY;
    }
    usesAssumption |= natural[id] == ASSUMED;
    return natural[id] != ANY;
  }

  private boolean hasNoSign(Node node) {
    return switch (node.operation) {
      case SPECIAL, ITERATION -> true;
      case CONSTANT, UNKNOWN -> node.constant >= 0;
      case AND -> Symbols.mask(node) >= 0;
      case ZERO_EXTEND -> true;
      case REMAINDER_UNSIGNED -> isNaturalDivisor(node.input(1));
      case SHIFT_RIGHT_UNSIGNED, DIVIDE_UNSIGNED -> Symbols.scale(node) > 1;
      case REMAINDER, DIVIDE, SHIFT_RIGHT ->
          Symbols.scale(node) > 0 && isPlainlyNatural(symbols.whole(node.input(0)));
      case PHI, SELECT -> areChoicesNatural(node);
      default -> false;
    };
  }

  /** By induction: what a loop leaves for its next iteration may build on the iterations so far. */
  private boolean areChoicesNatural(Node node) {
    byte[] before = natural.clone();
    boolean usedBefore = usesAssumption;
    natural[node.id] = ASSUMED;
    usesAssumption = false;
    for (Node each : Formulas.choices(node)) {
      if (!isPlainlyNatural(symbols.exact(each))) {
        if (usesAssumption) {
          // What was found from it does not hold.
          natural = before;
          symbols.forgetFound();
        }
        usesAssumption = usedBefore;
        return false;
      }
    }
    usesAssumption |= usedBefore;
    return true;
  }

  /** Whether all values of a product are at least 1, whatever the launch. */
  boolean isPositive(Monomial product) {
    return Arrays.stream(product.nodes()).allMatch(id -> isPositive(nodes.node(id)));
  }

  boolean isPositive(Node node) {
    return switch (node.operation) {
      case SPECIAL -> !node.special().isThread && !node.special().isBlock;
      case PHI, SELECT -> isPositiveChoice(node);
      default -> false;
    };
  }

  /** By induction, as {@link #areChoicesNatural}: powers of two in a loop are at least 1. */
  private boolean isPositiveChoice(Node choice) {
    Boolean known = positive.get(choice.id);
    if (known != null) {
      return known;
    }
    if (!isNatural(choice.id)) {
      return false;
    }
    Map<Integer, Boolean> before = new HashMap<>(positive);
    positive.put(choice.id, true);
    boolean isPositive =
        Formulas.choices(choice).stream().allMatch(each -> isPlainlyPositive(symbols.exact(each)));
    if (!isPositive) {
      // What was found from the assumption does not hold.
      positive.keySet().retainAll(before.keySet());
      positive.put(choice.id, false);
    }
    return isPositive;
  }

  private boolean isPlainlyPositive(@Nullable Polynomial polynomial) {
    return polynomial != null
        && isPlainlyNatural(polynomial)
        && polynomial.terms().stream()
            .anyMatch(term -> term.coefficient() > 0 && isPositive(term.product()));
  }

  /** Whether what is less than a divisor, without a sign, has no sign bit. */
  private boolean isNaturalDivisor(Node divisor) {
    return divisor.is(Operator.CONSTANT)
        ? divisor.constant > 0
        : formulas.isUniform(divisor) || isPlainlyNatural(symbols.number(divisor));
  }

  /** Whether no term of a polynomial can be negative. */
  boolean isPlainlyNatural(@Nullable Polynomial polynomial) {
    return polynomial != null
        && polynomial.terms().stream().allMatch(term -> term.coefficient() >= 0)
        && !polynomial.has(id -> !isNatural(id));
  }
}
