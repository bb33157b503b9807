package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that a kernel loads from arrays, as far as a declaration limits them. Confined to one
 * thread.
 */
public final class LoadedNumbers {
  private final KernelValues values;
  private final KernelMemory memory;
  private final Formulas formulas;
  private final NodeGraph nodes;
  private final Dependences dependences;
  private final Map<Integer, NumberLimits> limits;

  /** The arrays whose declared limits do not count, since the kernel may store there. */
  private final Set<Integer> stored;

  /** Those of values that were asked for. */
  private final NodeMap<Optional<NumberLimits>> known = new NodeMap<>();

  /**
   * Creates the numbers of a kernel.
   *
   * @param limits those of the numbers in an array, by its index
   * @param stored the arrays that have limits too, and to which the kernel may store
   */
  LoadedNumbers(EvaluatedKernel kernel, Map<Integer, NumberLimits> limits, Set<Integer> stored) {
    this.stored = stored;
    this.values = kernel.values();
    this.memory = kernel.memory();
    this.nodes = kernel.nodes();
    this.dependences = kernel.dependences();
    this.formulas = kernel.formulas();
    this.limits = limits;
  }

  /** The limits of a value; none unless it is certainly loaded from an array that has some. */
  private Optional<NumberLimits> limits(Node value) {
    if (limits.isEmpty()) {
      return Optional.empty();
    }
    Optional<NumberLimits> found = known.get(value);
    if (found == null) {
      found = Optional.ofNullable(ofLoads(value));
      known.put(value, found);
    }
    return found;
  }

  /** The limits that all loads have in common of which a value is one; null if there are none. */
  private @Nullable NumberLimits ofLoads(Node value) {
    NumberLimits common = null;
    boolean isUnsigned = false;
    for (Node each : Node.reached(List.of(value), LoadedNumbers::isChoice)) {
      isUnsigned |= each.is(Operator.ZERO_EXTEND);
      if (!isChoice(each)) {
        NumberLimits own = ofLoad(each);
        if (own == null || (common != null && !own.equals(common))) {
          return null;
        }
        common = own;
      }
    }
    return common == null || (isUnsigned && mayBeNegative(common)) ? null : common;
  }

  /** Whether numbers within limits may be negative, so that they are others without a sign. */
  private static boolean mayBeNegative(NumberLimits limits) {
    return limits.least() < 0;
  }

  private static boolean isChoice(Node value) {
    return value.is(Operator.ZERO_EXTEND) || value.is(Operator.PHI);
  }

  private @Nullable NumberLimits ofLoad(Node value) {
    MemoryAccess load = values.load(value);
    Node base = load == null ? null : formulas.base(load.address());
    if (load == null
        || base == null
        || dependences.bases(load.address()).cardinality() > 1
        || !load.instruction().opcode().startsWith("ld")) {
      return null;
    }
    NumberLimits found = limits.get((int) base.constant);
    if (found == null || found.bytes() != Widths.element(load.instruction())) {
      return null;
    }
    ScalarType type = load.instruction().type();
    boolean isExtended = type != null && !type.isSigned() && type.bits < value.bits;
    return isExtended && mayBeNegative(found) ? null : found;
  }

  /** Whether a value is loaded from an array whose declared limits do not count. */
  public boolean isStored(Node value) {
    MemoryAccess load = stored.isEmpty() ? null : values.load(value);
    Node base = load == null ? null : formulas.base(load.address());
    return base != null && stored.contains((int) base.constant);
  }

  /** Whether a polynomial has a value that is limited. */
  public boolean isIn(Polynomial polynomial) {
    return !limits.isEmpty() && polynomial.has(id -> isLimited(nodes.node(id)));
  }

  /** Whether a value is one that is limited. */
  public boolean isLimited(Node value) {
    return limits(value).isPresent();
  }

  /** The greatest number that a limit allows; null if it is too long a formula. */
  private @Nullable Polynomial most(NumberLimits.Limit limit) {
    Node end;
    if (limit instanceof NumberLimits.ArrayLength length) {
      end = nodes.length(length.array());
    } else {
      NumberPlace place = ((NumberLimits.PassedNumber) limit).place();
      end = nodes.argument(memory.index(place), place.bytes() * Byte.SIZE);
    }
    return Polynomial.of(end.id).minus(Polynomial.constant(limit.isBelow() ? 1 : 0));
  }

  /** The least number that the limits of a value allow. */
  public long least(Node value) {
    return limits(value).map(NumberLimits::least).orElse(Long.MIN_VALUE);
  }

  /** The greatest numbers that the limits of a value allow. */
  public List<Polynomial> ends(Node value) {
    return limits(value).map(NumberLimits::limits).orElse(List.of()).stream()
        .map(this::most)
        .filter(Objects::nonNull)
        .toList();
  }

  /**
   * Those of the greatest numbers that the limits of a value allow which the code itself reads: of
   * others, and of lengths, its formulas have nothing.
   */
  public List<Polynomial> numbersOfCode(Node value) {
    return limits(value).map(NumberLimits::limits).orElse(List.of()).stream()
        .filter(this::isOfCode)
        .map(this::most)
        .filter(Objects::nonNull)
        .toList();
  }

  private boolean isOfCode(NumberLimits.Limit limit) {
    return limit instanceof NumberLimits.PassedNumber passed
        && memory.numbers().contains(passed.place());
  }

  /**
   * Upper bounds of a polynomial, none if it has no limited numbers. In one of them, the greatest
   * number that a limit allows stands in the place of each such number that is added; in another
   * one, the least number in the place of each that is subtracted as well. If a number has several
   * limits, there are two for each.
   */
  public Set<Polynomial> upperBounds(Polynomial polynomial) {
    if (!isIn(polynomial)) {
      return Set.of();
    }
    Set<Polynomial> found = new LinkedHashSet<>();
    int most = limits.values().stream().mapToInt(each -> each.limits().size()).max().orElse(0);
    for (int limit = 0; limit < most; limit++) {
      Polynomial added = replaced(polynomial, limit, true);
      found.add(replaced(added, limit, false));
      found.add(added);
    }
    found.remove(polynomial);
    return found;
  }

  /**
   * Puts limits in the place of the loaded numbers that a polynomial adds, or subtracts.
   *
   * @param which the index of the limit, where a number has so many
   */
  private Polynomial replaced(Polynomial polynomial, int which, boolean added) {
    Polynomial result = polynomial;
    for (Term term : polynomial.terms()) {
      int[] product = term.product().nodes();
      boolean isReplaced =
          product.length == 1
              && term.coefficient() > 0 == added
              // In a product with other numbers, a greater number may make it less.
              && polynomial.only(other -> other.has(id -> id == product[0])).size() == 1;
      NumberLimits own = isReplaced ? limits(nodes.node(product[0])).orElse(null) : null;
      if (own != null) {
        List<NumberLimits.Limit> all = own.limits();
        Polynomial end =
            added
                ? most(all.get(Math.min(which, all.size() - 1)))
                : Polynomial.constant(own.least());
        Polynomial next = end == null ? null : result.with(product[0], end);
        result = next == null ? result : next;
      }
    }
    return result;
  }
}
