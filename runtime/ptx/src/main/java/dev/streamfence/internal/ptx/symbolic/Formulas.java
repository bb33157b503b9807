// Long because the rules for each operation stand beside each other.
package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Guards.Fact;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The values of a kernel as polynomials. The bits of a value are those of its polynomial, whatever
 * wrapped around on the way; where the code reads the bits as a number, the polynomial is that
 * number only in the range of the type, which is a condition of each use. Values that are no
 * polynomial of others stand for themselves. Confined to one thread.
 *
 * <p>Two values with the same polynomial are equal: this is value numbering (Alpern, Wegman,
 * Zadeck, "Detecting Equality of Variables in Programs", 1988) with the normal form of polynomials.
 * The phi of a loop that grows evenly is the chain of recurrences {first, +, step} (Bachmann, Wang,
 * Zima, "Chains of Recurrences", 1994).
 */
public final class Formulas {
  /** How deep an expression is followed. */
  private static final int MAX_DEPTH = 400;

  /** Beyond so many conditions, what a loop leaves is no formula. */
  private static final int MAX_AFTER_LOOP_CONDITIONS = 12;

  /**
   * A range in which a polynomial has to lie.
   *
   * @param value the node whose bits the code reads as a number
   */
  public record Condition(Node value, long least, long most) {}

  /**
   * What a loop leaves.
   *
   * @param conditions under which the polynomial is the number that the code has
   */
  private record AfterLoop(Polynomial value, Set<Condition> conditions) {}

  private final NodeGraph nodes;
  private final ControlGraph graph;
  private final Guards guards;
  private final NodeMap<Polynomial> raw = new NodeMap<>();
  private final NodeMap<Polynomial> known = new NodeMap<>();
  private final NodeMap<Set<Condition>> conditions = new NodeMap<>();

  /** The values that are the same for all threads, of those that were looked at. */
  private final BitSet uniform = new BitSet();

  /** How many values were looked at for that. */
  private int looked;

  private final Map<Integer, NodeMap<Boolean>> invariant = new HashMap<>();
  private final NodeMap<Boolean> loading = new NodeMap<>();

  /** The phis of loops that grow by the same amount in each iteration, with that amount. */
  private final Map<Node, Polynomial> steps = new LinkedHashMap<>();

  private final NodeMap<Optional<AfterLoop>> afterLoops = new NodeMap<>();

  Formulas(NodeGraph nodes, ControlGraph graph, Guards guards) {
    this.nodes = nodes;
    this.graph = graph;
    this.guards = guards;
    List<Node> carried = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.node(i).isCarried) {
        carried.add(nodes.node(i));
      }
    }
    for (Loop loop : graph.loops()) {
      for (Node node : carried) {
        if (node.block == loop.header) {
          findStep(node, loop);
        }
      }
    }
  }

  private void findStep(Node phi, Loop loop) {
    Polynomial self = Polynomial.of(phi.id);
    Polynomial step = null;
    for (int i = 1; i < phi.inputs.size(); i++) {
      Polynomial next = raw(phi.input(i), 0);
      Polynomial grown = next.minus(self);
      if (grown == null
          || grown.has(id -> !isInvariant(nodes.node(id), loop))
          || (step != null && !step.equals(grown))) {
        return;
      }
      step = grown;
    }
    // What one iteration reads as a number of fewer bits would have to fit in each one before it.
    boolean isRead =
        grown(phi).stream().anyMatch(node -> node.isExtended() && !isInvariant(node, loop));
    if (step != null && !isRead) {
      steps.put(phi, step);
    }
  }

  /** The phis that grow by one amount in each iteration of their loop, with these amounts. */
  public Map<Node, Polynomial> steps() {
    return Collections.unmodifiableMap(steps);
  }

  /** The amount by which a phi grows in each iteration of its loop; null if that is not known. */
  public @Nullable Polynomial step(Node phi) {
    return steps.get(phi);
  }

  /** Whether a value is the same in all iterations of a loop. */
  public boolean isInvariant(Node node, Loop loop) {
    return holds(
        node,
        invariant.computeIfAbsent(loop.index, index -> new NodeMap<>()),
        0,
        each ->
            switch (each.operation) {
              case CONSTANT, ARGUMENT, LENGTH, BASE, SPECIAL -> true;
              case UNKNOWN, PHI -> !loop.body.get(each.block);
              case ITERATION -> !loop.body.get(graph.loops().get((int) each.constant).header);
              default -> null;
            });
  }

  /** Whether a value is the same for all threads of a launch, and known before it. */
  public boolean isUniform(Node node) {
    // Only phis have inputs that are younger than they are.
    for (; looked <= node.id; looked++) {
      uniform.set(looked, isUniformByInputs(nodes.node(looked)));
    }
    return uniform.get(node.id);
  }

  private boolean isUniformByInputs(Node node) {
    return switch (node.operation) {
      case CONSTANT, ARGUMENT, LENGTH -> true;
      case SPECIAL -> !node.special().differs();
      case BASE, UNKNOWN, PHI, ITERATION -> false;
      default -> {
        boolean all = true;
        for (int i = 0; i < node.inputs.size(); i++) {
          all &= uniform.get(node.input(i).id);
        }
        yield all;
      }
    };
  }

  /** Whether something holds of a value: for a null of its own, of all its inputs. */
  private static boolean holds(
      Node node, NodeMap<Boolean> known, int depth, Function<Node, @Nullable Boolean> own) {
    Boolean found = known.get(node);
    if (found == null) {
      found = own.apply(node);
      if (found == null) {
        found = depth < MAX_DEPTH;
        for (int i = 0; found && i < node.inputs.size(); i++) {
          found = holds(node.input(i), known, depth + 1, own);
        }
      }
      known.put(node, found);
    }
    return found;
  }

  /** Whether a polynomial is the same for all threads of a launch, and known before it. */
  public boolean isUniform(Polynomial polynomial) {
    return !polynomial.has(this::varies);
  }

  /** The values that the symbols of a polynomial stand for. */
  public List<Node> parts(Polynomial polynomial) {
    List<Node> found = new ArrayList<>();
    for (int i = 0; i < polynomial.size(); i++) {
      for (int id : polynomial.term(i).product().nodes()) {
        found.add(nodes.node(id));
      }
    }
    return found;
  }

  public boolean varies(int id) {
    return !isUniform(nodes.node(id));
  }

  public boolean is(int id, Operator operation) {
    return nodes.node(id).is(operation);
  }

  /** Whether a value is loaded from memory, received from other code, or computed from such. */
  public boolean loads(int id) {
    Node node = nodes.node(id);
    Boolean found = loading.get(node);
    if (found == null) {
      found =
          node.is(Operator.UNKNOWN)
              || (!node.is(Operator.PHI)
                  && node.inputs.stream().anyMatch(input -> loads(input.id)));
      loading.put(node, found);
    }
    return found;
  }

  /** How many terms of a polynomial differ between threads or iterations. */
  public int varyingTerms(Polynomial polynomial) {
    return polynomial.count(monomial -> monomial.has(this::varies));
  }

  /** The polynomial of a value, with the phis of loops by their iteration. */
  public Polynomial of(Node node) {
    Polynomial found = known.get(node);
    if (found == null) {
      found = expanded(raw(node, 0));
      known.put(node, found);
    }
    return found;
  }

  /** Replaces phis by what they have in each iteration, and by what loops leave. */
  private Polynomial expanded(Polynomial polynomial) {
    Polynomial result = expanded(polynomial, true);
    // What a loop leaves may be a longer formula than the phi that stands for it.
    result = result == null ? expanded(polynomial, false) : result;
    if (result == null) {
      throw new TooComplexException("an address is too long a formula");
    }
    return result;
  }

  /**
   * Replaces phis that grow evenly, whose first value may contain those of outer loops.
   *
   * @param leaves whether to replace those as well that have what a loop leaves
   */
  private @Nullable Polynomial expanded(Polynomial polynomial, boolean leaves) {
    Polynomial result = polynomial;
    for (int round = 0; round < 64; round++) {
      Node phi = null;
      Polynomial value = null;
      for (Node part : parts(result)) {
        AfterLoop after = phi == null && leaves ? afterLoop(part) : null;
        if (after != null) {
          phi = part;
          value = after.value();
        } else if (phi == null && steps.containsKey(part)) {
          phi = part;
          value = grown(part, steps.get(part));
        }
      }
      if (phi == null) {
        return result;
      }
      Polynomial next = value == null ? null : result.with(phi.id, value);
      if (next == null) {
        return null;
      }
      result = next;
    }
    return null;
  }

  private @Nullable Polynomial grown(Node phi, @Nullable Polynomial step) {
    Loop loop = graph.loop(phi.block);
    return loop == null || step == null
        ? null
        : raw(phi.input(0), 0).combined(1, step, 1, new Monomial(nodes.iteration(loop.index).id));
  }

  /** What a phi has that joins the way out of a loop with the way around it; null for others. */
  private @Nullable AfterLoop afterLoop(Node phi) {
    Optional<AfterLoop> found = afterLoops.get(phi);
    if (found == null) {
      try {
        boolean isJoin = phi.is(Operator.PHI) && !phi.isCarried;
        found = isJoin ? Optional.ofNullable(joined(phi)) : Optional.empty();
      } catch (TooComplexException e) {
        found = Optional.empty();
      }
      afterLoops.put(phi, found);
    }
    return found.orElse(null);
  }

  /**
   * Where a loop ends when two numbers are equal, that tells which iteration was its last, and what
   * the loop leaves no longer depends on the iteration. Often that holds as well where the loop was
   * left out: {@code first + step * n} is {@code first} if {@code n} is 0.
   */
  private @Nullable AfterLoop joined(Node phi) {
    List<Integer> before = graph.block(phi.block).predecessors();
    for (int way = 0; phi.inputs.size() == 2 && before.size() == 2 && way < 2; way++) {
      Loop loop = graph.loop(before.get(way));
      if (loop == null || loop.body.get(phi.block)) {
        continue;
      }
      Node around = phi.input(1 - way);
      for (Fact end : equalities(before.get(way), phi)) {
        Polynomial value = ended(own(phi, phi.input(way)), end.difference(this), loop);
        Polynomial more = value == null ? null : value.minus(own(phi, around));
        if (value != null && more != null) {
          Set<Condition> all = new LinkedHashSet<>(conditions(phi.input(way)));
          all.addAll(conditions(around));
          addCompared(end, all);
          if (isZero(more, equalities(before.get(1 - way), phi), all)
              && all.size() <= MAX_AFTER_LOOP_CONDITIONS) {
            return new AfterLoop(value, all);
          }
        }
      }
    }
    return null;
  }

  /** What the symbol of a phi stands for if the phi has this value. */
  private Polynomial own(Node phi, Node value) {
    return base(raw(phi, 0)) == null ? of(value) : relative(value);
  }

  /** The equalities on the way to a phi that hold of as many bits as the phi has. */
  private List<Fact> equalities(int before, Node phi) {
    return guards.along(before, phi.block).stream()
        .filter(fact -> fact.operation() == Operator.EQUAL && fact.isTrue())
        .filter(
            fact ->
                Math.min(fact.left().unextended().bits, fact.right().unextended().bits) >= phi.bits)
        .toList();
  }

  private void addCompared(Fact fact, Set<Condition> all) {
    all.addAll(conditions(fact.left().unextended()));
    all.addAll(conditions(fact.right().unextended()));
  }

  /** A value in the iteration of a loop in which a difference is 0; null if that is not known. */
  private @Nullable Polynomial ended(Polynomial value, @Nullable Polynomial difference, Loop loop) {
    int iteration = nodes.iteration(loop.index).id;
    Monomial once = new Monomial(iteration);
    long by = difference == null ? 0 : difference.coefficient(once);
    Polynomial result = value;
    for (Polynomial.Term term : value.terms()) {
      Monomial factor = term.product().without(once);
      if (factor != null) {
        result =
            by == 0 || difference == null || result == null || term.coefficient() % by != 0
                ? null
                : result.combined(1, difference, -(term.coefficient() / by), factor);
      }
    }
    return result == null || result.has(id -> id == iteration) ? null : result;
  }

  /** Whether a polynomial is 0 if facts hold. */
  private boolean isZero(Polynomial polynomial, List<Fact> facts, Set<Condition> conditions) {
    if (polynomial.isZero()) {
      return true;
    }
    for (Fact fact : facts) {
      Polynomial difference = fact.difference(this);
      if (difference != null && !difference.isZero() && polynomial.over(difference) != null) {
        addCompared(fact, conditions);
        return true;
      }
    }
    return false;
  }

  /** The polynomial of a value, with phis standing for themselves. */
  private Polynomial raw(Node node, int depth) {
    Polynomial found = raw.get(node);
    if (found == null) {
      Polynomial computed = depth > MAX_DEPTH ? null : computed(node, depth);
      found = computed == null ? Polynomial.of(node.id) : computed;
      raw.put(node, found);
    }
    return found;
  }

  private @Nullable Polynomial computed(Node node, int depth) {
    return switch (node.operation) {
      case CONSTANT -> Polynomial.constant(node.constant);
      case ADD -> raw(node.input(0), depth + 1).plus(raw(node.input(1), depth + 1));
      case SUBTRACT -> raw(node.input(0), depth + 1).minus(raw(node.input(1), depth + 1));
      case NEGATE -> Polynomial.ZERO.minus(raw(node.input(0), depth + 1));
      // In two's complement, ~x is -x - 1.
      case NOT ->
          node.bits == 1 ? null : Polynomial.constant(-1).minus(raw(node.input(0), depth + 1));
      case MULTIPLY -> raw(node.input(0), depth + 1).times(raw(node.input(1), depth + 1));
      case SHIFT_LEFT -> shifted(node, depth);
      case TRUNCATE, SIGN_EXTEND -> raw(node.input(0), depth + 1);
      case ZERO_EXTEND -> isAnySigned(node.input(0)) ? null : raw(node.input(0), depth + 1);
      case SELECT, PHI -> sameBase(node, depth);
      default -> null;
    };
  }

  private @Nullable Polynomial shifted(Node node, int depth) {
    Node distance = node.input(1);
    return distance.is(Operator.CONSTANT)
            && distance.constant >= 0
            && distance.constant < Math.min(node.bits, Long.SIZE - 2)
        ? raw(node.input(0), depth + 1).times(Polynomial.constant(1L << distance.constant))
        : null;
  }

  /** Unsigned, a loaded number is another one, which the code compares as such. */
  private static boolean isAnySigned(Node node) {
    return node.is(Operator.UNKNOWN) && node.constant < 0;
  }

  /** A choice between two places in one array is the array's address and a choice of offsets. */
  private @Nullable Polynomial sameBase(Node node, int depth) {
    boolean isLoop = node.isCarried;
    if (node.bits != Long.SIZE || isLoop) {
      return null;
    }
    Node base = null;
    for (Node choice : choices(node)) {
      Node found = base(raw(choice, depth + 1));
      if (found == null || (base != null && base != found)) {
        return null;
      }
      base = found;
    }
    return base == null ? null : Polynomial.of(base.id).plus(Polynomial.of(node.id));
  }

  /** The values of which a select or a phi is one. */
  public static List<Node> choices(Node node) {
    return node.is(Operator.SELECT) ? node.inputs.subList(1, 3) : node.inputs;
  }

  /** The array whose address a polynomial contains exactly once, and no other; null if none. */
  public @Nullable Node base(Polynomial polynomial) {
    Node found = null;
    for (Polynomial.Term term : polynomial.terms()) {
      for (int id : term.product().nodes()) {
        if (!nodes.node(id).is(Operator.BASE)) {
          continue;
        }
        if (found != null || term.product().nodes().length != 1 || term.coefficient() != 1) {
          return null;
        }
        found = nodes.node(id);
      }
    }
    return found;
  }

  /** The array whose address a value contains exactly once; null if there is none. */
  public @Nullable Node base(Node node) {
    return base(of(node));
  }

  /** Where in its array an address lies, in bytes; null if it lies in none. */
  public @Nullable Polynomial offset(Node address) {
    Polynomial whole = of(address);
    Node base = base(whole);
    return base == null ? null : whole.minus(Polynomial.of(base.id));
  }

  /** The polynomial of a value, or of its place in an array if it is an address. */
  public Polynomial relative(Node value) {
    Polynomial offset = offset(value);
    return offset == null ? of(value) : offset;
  }

  /**
   * What a choice stands for in a polynomial if it is this value: its place in the array, where the
   * choice is between places in one.
   */
  public Polynomial chosen(Node choice, Node value) {
    return base(choice) == null ? of(value) : relative(value);
  }

  /** The conditions under which a value is the number that its polynomial gives. */
  public Set<Condition> conditions(Node node) {
    return conditions(node, 0);
  }

  private Set<Condition> conditions(Node node, int depth) {
    Set<Condition> found = conditions.get(node);
    if (found != null) {
      return found;
    }
    Set<Condition> all = new LinkedHashSet<>();
    if (depth > MAX_DEPTH) {
      throw new TooComplexException("an address is too long a formula");
    }
    boolean standsForItself =
        node.inputs.isEmpty()
            || (!steps.containsKey(node) && raw(node, 0).equals(Polynomial.of(node.id)));
    AfterLoop after = afterLoop(node);
    Polynomial step = steps.get(node);
    if (after != null) {
      all.addAll(after.conditions());
    } else if (step != null) {
      // The condition of the step would be this value's own: the first value stands for both.
      all.addAll(conditions(node.input(0), depth + 1));
      all.addAll(growthConditions(node));
      // The step may have what an earlier loop leaves, or what one around this loop changes.
      for (Node part : parts(step)) {
        all.addAll(conditions(part, depth + 1));
      }
    } else if (!standsForItself) {
      for (Node input : node.inputs) {
        boolean isChoice = node.is(Operator.SELECT) || node.is(Operator.PHI);
        if (!isChoice) {
          all.addAll(conditions(input, depth + 1));
        }
      }
      addCondition(node, all);
    }
    if (all.size() > 64) {
      throw new TooComplexException("an address is too long a formula");
    }
    conditions.put(node, all);
    return all;
  }

  /** The conditions of what is added to a phi, which no iteration changes. */
  public Set<Condition> growthConditions(Node phi) {
    Set<Condition> all = new LinkedHashSet<>();
    for (Node node : grown(phi)) {
      addCondition(node, all);
    }
    return all;
  }

  private static void addCondition(Node node, Set<Condition> all) {
    if (node.is(Operator.SIGN_EXTEND)) {
      int bits = node.input(0).bits;
      all.add(new Condition(node.input(0), -(1L << (bits - 1)), (1L << (bits - 1)) - 1));
    } else if (node.is(Operator.ZERO_EXTEND)) {
      all.add(new Condition(node.input(0), 0, (1L << node.input(0).bits) - 1));
    }
  }

  /** The values that make up what a phi receives in each iteration, up to the phi itself. */
  private Set<Node> grown(Node phi) {
    List<Node> open = new ArrayList<>(phi.inputs.subList(1, phi.inputs.size()));
    Set<Node> seen = new LinkedHashSet<>();
    while (!open.isEmpty()) {
      Node node = open.remove(open.size() - 1);
      if (node == phi || raw(node, 0).equals(Polynomial.of(node.id)) || !seen.add(node)) {
        continue;
      }
      if (seen.size() > MAX_DEPTH) {
        throw new TooComplexException("an address is too long a formula");
      }
      open.addAll(node.inputs);
    }
    return seen;
  }
}
