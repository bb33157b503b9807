package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which of a kernel's values are not negative, and which are at least 1, in every ordinary launch.
 * What a loop changes is decided by induction over the iterations. Confined to one thread.
 */
final class Signs {
  /** By more than that, a loop multiplies only what wraps around, such as a hash. */
  private static final int MOST_GROWTH = 16;

  private final Symbols symbols;
  private final NodeGraph nodes;
  private final Formulas formulas;

  private final Induction natural;
  private final Induction positive;

  Signs(Symbols symbols, NodeGraph nodes, Formulas formulas) {
    this.symbols = symbols;
    this.nodes = nodes;
    this.formulas = formulas;
    this.natural = new Induction(id -> hasNoSign(nodes.node(id)), symbols::forgetFound);
    this.positive = new Induction(id -> areChoicesPositive(nodes.node(id)), symbols::forgetFound);
  }

  /** Whether a value is no negative number, whatever the launch. */
  boolean isNatural(int id) {
    Node node = nodes.node(id);
    boolean isChoice = node.is(Operator.PHI) || node.is(Operator.SELECT);
    return isChoice ? natural.assume(id) : natural.ask(id);
  }

  private boolean hasNoSign(Node node) {
    if (node.hasNoSign()) {
      return true;
    }
    return switch (node.operation) {
      case PHI, SELECT -> areChoicesNatural(node);
      case REMAINDER_UNSIGNED -> isNaturalDivisor(node.input(1));
      case DIVIDE_UNSIGNED -> isPlainlyNatural(symbols.whole(node.input(0)));
      case REMAINDER, DIVIDE, SHIFT_RIGHT ->
          Symbols.scale(node) > 0 && isPlainlyNatural(symbols.whole(node.input(0)));
      default -> false;
    };
  }

  private boolean areChoicesNatural(Node choice) {
    for (Node each : Formulas.choices(choice)) {
      Polynomial number = symbols.exact(each);
      if (number == null || !growsLittle(number) || !isPlainlyNatural(number)) {
        return false;
      }
    }
    return true;
  }

  /** Whether no value of a loop is multiplied by a large number. */
  private boolean growsLittle(Polynomial number) {
    return number.terms().stream()
        .noneMatch(
            term ->
                term.coefficient() > MOST_GROWTH
                    && term.product().has(id -> nodes.node(id).is(Operator.PHI)));
  }

  /** Whether all values of a product are at least 1, whatever the launch. */
  boolean isPositive(Monomial product) {
    return Arrays.stream(product.nodes()).allMatch(id -> isPositive(nodes.node(id)));
  }

  boolean isPositive(Node node) {
    return switch (node.operation) {
      case SPECIAL -> !node.special().isThread && !node.special().isBlock;
      case PHI, SELECT -> isNatural(node.id) && positive.assume(node.id);
      default -> false;
    };
  }

  private boolean areChoicesPositive(Node choice) {
    return Formulas.choices(choice).stream()
        .allMatch(each -> isPlainlyPositive(symbols.exact(each)));
  }

  private boolean isPlainlyPositive(@Nullable Polynomial polynomial) {
    return polynomial != null
        && isPlainlyNatural(polynomial)
        && polynomial.terms().stream()
            .anyMatch(term -> term.coefficient() > 0 && isPositive(term.product()));
  }

  /** Whether what is less than a divisor, without a sign, has no sign bit. */
  boolean isNaturalDivisor(Node divisor) {
    if (divisor.is(Operator.CONSTANT)) {
      return divisor.constant > 0;
    }
    Polynomial number = symbols.number(divisor);
    return isPlainlyNatural(number)
        || (formulas.isUniform(divisor)
            && (number == null
                || number.terms().stream().allMatch(term -> term.coefficient() >= 0)));
  }

  /** Whether no term of a polynomial can be negative. */
  boolean isPlainlyNatural(@Nullable Polynomial polynomial) {
    return polynomial != null
        && polynomial.terms().stream().allMatch(term -> term.coefficient() >= 0)
        && !polynomial.has(id -> !isNatural(id));
  }
}
