package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.EvaluatedKernel;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.KernelMemory;
import dev.streamfence.internal.ptx.symbolic.KernelValues;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that a kernel loads from arrays, as far as a declaration limits them. Confined to one
 * thread.
 */
final class LoadedNumbers {
  private final KernelValues values;
  private final KernelMemory memory;
  private final Formulas formulas;
  private final NodeGraph nodes;
  private final Dependences dependences;
  private final Map<Integer, List<NumberLimit>> limits;

  /** Those of values that were asked for. */
  private final Map<Node, List<NumberLimit>> known = new HashMap<>();

  /**
   * Creates the numbers of a kernel.
   *
   * @param limits those that hold together for the numbers of an array
   */
  LoadedNumbers(EvaluatedKernel kernel, Formulas formulas, Map<Integer, List<NumberLimit>> limits) {
    this.values = kernel.values();
    this.memory = kernel.memory();
    this.nodes = kernel.nodes();
    this.dependences = kernel.dependences();
    this.formulas = formulas;
    this.limits = limits;
  }

  /** The limits of a value; none unless it is certainly loaded from an array that has some. */
  private List<NumberLimit> limits(Node value) {
    if (limits.isEmpty()) {
      return List.of();
    }
    List<NumberLimit> found = known.get(value);
    if (found == null) {
      found = ofLoads(value);
      known.put(value, found);
    }
    return found;
  }

  /** The limits that all loads have in common of which a value is one. */
  private List<NumberLimit> ofLoads(Node value) {
    Set<Node> all = Node.reached(List.of(value), LoadedNumbers::isChoice);
    List<NumberLimit> common = null;
    for (Node each : all) {
      List<NumberLimit> own = isChoice(each) ? common : ofLoad(each);
      if (own != null && common != null && !own.equals(common)) {
        return List.of();
      }
      common = own;
    }
    boolean isUnsigned = all.stream().anyMatch(node -> node.is(Operator.ZERO_EXTEND));
    return common == null || (isUnsigned && mayBeNegative(common)) ? List.of() : common;
  }

  /** Whether numbers within limits may be negative, so that they are others without a sign. */
  private static boolean mayBeNegative(List<NumberLimit> limits) {
    return limits.stream().allMatch(limit -> limit.least() < 0);
  }

  private static boolean isChoice(Node value) {
    return value.is(Operator.ZERO_EXTEND) || value.is(Operator.PHI);
  }

  private List<NumberLimit> ofLoad(Node value) {
    MemoryAccess load = values.load(value);
    Node base = load == null ? null : formulas.base(load.address());
    if (load == null
        || base == null
        || dependences.bases(load.address()).cardinality() > 1
        || !load.instruction().opcode().startsWith("ld")) {
      return List.of();
    }
    List<NumberLimit> found = limits.getOrDefault((int) base.constant, List.of());
    int bytes = Widths.element(load.instruction());
    ScalarType type = load.instruction().type();
    boolean isExtended =
        type != null && !type.isSigned() && type.bits < value.bits && mayBeNegative(found);
    return !isExtended && found.stream().allMatch(limit -> limit.bytes() == bytes)
        ? found
        : List.of();
  }

  /** Whether a polynomial has a value that is limited. */
  boolean isIn(Polynomial polynomial) {
    return !limits.isEmpty() && polynomial.has(id -> isLimited(nodes.node(id)));
  }

  /** Whether a value is one that is limited. */
  boolean isLimited(Node value) {
    return !limits(value).isEmpty();
  }

  /** The greatest number that a limit allows. */
  private @Nullable Polynomial most(NumberLimit limit) {
    NumberPlace number = limit.number();
    Node end =
        number == null
            ? nodes.length(limit.array())
            : nodes.argument(memory.index(number), number.bytes() * Byte.SIZE);
    return Polynomial.of(end.id).minus(Polynomial.constant(limit.isBelow() ? 1 : 0));
  }

  /** The least number that the limits of a value allow. */
  long least(Node value) {
    return limits(value).stream().mapToLong(NumberLimit::least).max().orElse(Long.MIN_VALUE);
  }

  /** The steps of the greatest numbers that the limits of a value allow. */
  List<Polynomial> ends(Node value) {
    return limits(value).stream().map(this::most).filter(Objects::nonNull).toList();
  }

  /**
   * Upper bounds of a polynomial, none if it has no limited numbers. In one of them, the greatest
   * number that a limit allows stands in the place of each such number that is added; in another
   * one, the least number in the place of each that is subtracted as well. If a number has several
   * limits, there are two for each.
   */
  Set<Polynomial> upperBounds(Polynomial polynomial) {
    if (!isIn(polynomial)) {
      return Set.of();
    }
    Set<Polynomial> found = new LinkedHashSet<>();
    int most = limits.values().stream().mapToInt(List::size).max().orElse(0);
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
      List<NumberLimit> all =
          product.length == 1
                  && term.coefficient() > 0 == added
                  // In a product with other numbers, a greater number may make it less.
                  && polynomial.only(other -> other.has(id -> id == product[0])).size() == 1
              ? limits(nodes.node(product[0]))
              : List.of();
      if (!all.isEmpty()) {
        NumberLimit limit = all.get(Math.min(which, all.size() - 1));
        Polynomial end = added ? most(limit) : Polynomial.constant(limit.least());
        Polynomial next = end == null ? null : result.with(product[0], end);
        result = next == null ? result : next;
      }
    }
    return result;
  }
}
