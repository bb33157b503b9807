// Long because the guards that narrow a range, and the values that it is made of, need each other.
package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Formulas.Condition;
import dev.streamfence.internal.ptx.symbolic.Guards;
import dev.streamfence.internal.ptx.symbolic.Guards.Fact;
import dev.streamfence.internal.ptx.symbolic.Interval;
import dev.streamfence.internal.ptx.symbolic.LoadedNumbers;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the program that computes, for a launch, between which numbers a value lies at a place in
 * the code. Confined to one thread.
 *
 * <p>This is abstract interpretation over intervals, refined by branch conditions and by invariants
 * of loops (Cousot, Cousot, "Abstract Interpretation: A Unified Lattice Model for Static Analysis
 * of Programs", 1977), in two stages: the code decides which operations on intervals are necessary,
 * and the launch carries them out.
 *
 * <p>A guard counts only where the numbers that it compares are the numbers of their formulas, that
 * is, nothing wrapped around; the program checks that with the guards before. For a loop's own
 * guard the proof is an induction: as long as the guard held in the iteration before, the next
 * value is at most one step further, and if that still fits, it has not wrapped around.
 */
final class Ranges {
  /** How deep formulas of values that are no polynomials are followed. */
  private static final int MAX_DEPTH = 60;

  private final RangeProgram program;
  private final NodeGraph nodes;
  private final ControlGraph graph;
  private final Guards guards;
  private final Formulas formulas;
  private final LoadedNumbers loaded;
  private final TripCounts tripCounts;
  private final Map<Integer, Context> contexts = new HashMap<>();
  private final Context nothing = new Context(null, null, -1, false, false, List.of());
  private final Set<Integer> building = new HashSet<>();
  private final CarriedValues carried;
  private final LoopFacts loops;
  private final SumRanges sums;

  /** The steps of values of which something is assumed. */
  private final Map<Node, Integer> assumed;

  private final int zero;
  private int depth;

  Ranges(
      NodeGraph nodes,
      ControlGraph graph,
      Guards guards,
      Formulas formulas,
      LoadedNumbers loaded,
      List<NumberPlace> arguments) {
    this.program = new RangeProgram();
    this.zero = program.add(new RangeProgram.Fixed(0, 0, true, true));
    this.carried = new CarriedValues(nodes, graph, guards, formulas, program, arguments);
    this.assumed = new HashMap<>();
    this.nodes = nodes;
    this.graph = graph;
    this.guards = guards;
    this.formulas = formulas;
    this.loaded = loaded;
    this.tripCounts = new TripCounts(nodes, formulas);
    this.loops = new LoopFacts(this, nodes, graph, guards, formulas, loaded, tripCounts, carried);
    this.sums = new SumRanges(this, nodes, formulas, tripCounts, carried);
  }

  private Ranges(Ranges other, Map<Node, Integer> assumed) {
    this.program = other.program;
    this.zero = other.zero;
    this.carried = other.carried;
    this.assumed = assumed;
    this.nodes = other.nodes;
    this.graph = other.graph;
    this.guards = other.guards;
    this.formulas = other.formulas;
    this.loaded = other.loaded;
    this.tripCounts = other.tripCounts;
    this.depth = other.depth;
    this.loops = new LoopFacts(this, nodes, graph, guards, formulas, loaded, tripCounts, carried);
    this.sums = new SumRanges(this, nodes, formulas, tripCounts, carried);
  }

  /** The ranges of the same program if values lie between the numbers of these steps as well. */
  Ranges under(Map<Node, Integer> more) {
    Map<Node, Integer> all = new HashMap<>(assumed);
    all.putAll(more);
    return new Ranges(this, all);
  }

  RangeProgram program() {
    return program;
  }

  /** The step of the number 0. */
  int zero() {
    return zero;
  }

  /** What is known at every place. */
  Context nothing() {
    return nothing;
  }

  /** What is known where an access is made. */
  Context at(MemoryAccess access) {
    Context block = at(access.block());
    return access.guard() == null ? block : with(block, guards.facts(access.guard(), true));
  }

  /** What is known where a block begins. */
  Context at(int block) {
    Context found = contexts.get(block);
    if (found != null) {
      return found;
    }
    if (!building.add(block)) {
      return nothing;
    }
    try {
      Context context = entering(block);
      contexts.put(block, context);
      return context;
    } finally {
      building.remove(block);
    }
  }

  private Context entering(int block) {
    if (block == 0) {
      return nothing;
    }
    List<Integer> before = graph.block(block).predecessors();
    if (before.size() == 1) {
      return with(at(before.get(0)), guards.along(before.get(0), block));
    }
    int dominator = graph.dominator(block);
    Loop loop = graph.loop(block);
    if (loop == null || loop.header != block) {
      return at(dominator);
    }
    // The branch into a loop compares values that no iteration changes.
    boolean isOnlyEntry = before.contains(dominator) && before.size() == 1 + loop.latches.size();
    List<Fact> entry = isOnlyEntry ? guards.along(dominator, block) : List.of();
    return loops.at(loop, with(at(dominator), entry), isOnlyEntry);
  }

  /** What is known besides if facts hold. */
  Context with(Context before, List<Fact> facts) {
    Context context = before;
    for (Fact fact : facts) {
      Polynomial difference = difference(fact);
      if (difference == null) {
        continue;
      }
      int[] checks = checks(fact, context);
      if (fact.isTrue()) {
        context = signed(atLeast(context, difference, checks), difference, checks);
        Polynomial negated = fact.operation() == Operator.EQUAL ? negated(difference) : null;
        context = negated == null ? context : atLeast(context, negated, checks);
      } else {
        context = add(context, difference, true, checks);
      }
    }
    return context;
  }

  /**
   * What a comparison without sign says of the same bits with a sign: below a number that has no
   * sign bit, neither have they.
   */
  private Context signed(Context before, Polynomial difference, int[] checks) {
    Context context = before;
    for (Term term : difference.terms()) {
      int[] factors = term.product().nodes();
      Node extended = factors.length == 1 ? nodes.node(factors[0]) : null;
      if (extended == null
          || term.coefficient() != -1
          || !extended.is(Operator.ZERO_EXTEND)
          || !extended.input(0).is(Operator.UNKNOWN)) {
        continue;
      }
      Node bits = extended.input(0);
      Polynomial most = difference.plus(Polynomial.of(extended.id));
      Polynomial rest = most == null ? null : most.minus(Polynomial.of(bits.id));
      if (most == null || rest == null) {
        continue;
      }
      int[] all = Arrays.copyOf(checks, checks.length + 1);
      all[checks.length] =
          program.add(
              new RangeProgram.Within(
                  range(most, before), Interval.LEAST, OperationRange.most(bits.bits, false)));
      context = add(context, rest, false, all);
      context = add(context, Polynomial.of(bits.id), false, all);
    }
    return context;
  }

  /** What is known besides if a difference is at least 0, and so is what it is at most. */
  private Context atLeast(Context before, Polynomial difference, int[] checks) {
    Context context = before;
    for (Polynomial more : loaded.upperBounds(difference)) {
      context = add(context, more, false, checks);
    }
    return add(context, difference, false, checks);
  }

  private Context add(
      Context before, @Nullable Polynomial difference, boolean nonZero, int[] checks) {
    if (difference == null) {
      return before;
    }
    int open = range(difference, before);
    boolean hasHigh = program.step(open).hasHigh();
    if (nonZero && !program.step(open).hasLow() && !hasHigh) {
      return before;
    }
    int guarded =
        program.add(new RangeProgram.Narrowed(open, new int[0], nonZero, checks, hasHigh));
    return context(before, difference, guarded);
  }

  Context context(Context before, Polynomial difference, int guarded) {
    return new Context(
        before,
        difference,
        guarded,
        before.divides || tripCounts.divides(difference),
        loaded.isIn(difference) || difference.has(id -> carried.isCarried(nodes.node(id))),
        difference.only(monomial -> monomial.has(formulas::varies)).terms());
  }

  private @Nullable Polynomial negated(Polynomial polynomial) {
    return Polynomial.ZERO.minus(polynomial);
  }

  /** What is at least 0 if a fact holds; what is not 0 if the fact is an inequality. */
  @Nullable Polynomial difference(Fact fact) {
    Polynomial difference = fact.difference(formulas);
    // Of addresses only their distance within one array is a number.
    return difference == null || difference.has(id -> nodes.node(id).is(Operator.BASE))
        ? null
        : difference;
  }

  /** The steps that say whether a fact compares the numbers of its formulas. */
  int[] checks(Fact fact, Context context) {
    return checks(fact.conditions(formulas), context);
  }

  /** The steps that say whether a value is the number that its formula gives. */
  int[] checks(Node value, Context context) {
    return checks(formulas.conditions(value), context);
  }

  int[] checks(Collection<Condition> conditions, Context context) {
    int[] checks = new int[conditions.size()];
    int count = 0;
    for (Condition condition : conditions) {
      int check = check(condition, context);
      int same = 0;
      while (same < count && checks[same] != check) {
        same++;
      }
      checks[same] = check;
      count = Math.max(count, same + 1);
    }
    return Arrays.copyOf(checks, count);
  }

  private int check(Condition condition, Context context) {
    Polynomial polynomial = formulas.relative(condition.value());
    return program.add(
        new RangeProgram.Within(range(polynomial, context), condition.least(), condition.most()));
  }

  /** The guards at a place, as the steps with what they leave; an empty one is never reached. */
  List<Integer> guards(Context context) {
    List<Integer> steps = new ArrayList<>();
    for (Context at = context; at != null && at.difference != null; at = at.before) {
      steps.add(at.guarded);
    }
    return steps;
  }

  /** The step that computes between which numbers a polynomial lies at a place. */
  int range(Polynomial polynomial, Context context) {
    Integer found = context.ranges.get(polynomial);
    if (found != null) {
      return found;
    }
    enter();
    try {
      int step = sums.range(polynomial, context);
      context.ranges.put(polynomial, step);
      return step;
    } finally {
      depth--;
    }
  }

  private void enter() {
    if (depth == MAX_DEPTH) {
      throw new TooComplexException("its addresses are too long a formula");
    }
    depth++;
  }

  /** The step that computes between which numbers a value lies that stands for itself. */
  int value(Node node, Context place) {
    // The range of a value without inputs does not depend on the place.
    Context context = node.inputs.isEmpty() ? nothing : place;
    Integer found = context.values.get(node);
    if (found != null) {
      return found;
    }
    enter();
    try {
      int step = computed(node, context);
      context.values.put(node, step);
      return step;
    } finally {
      depth--;
    }
  }

  private int computed(Node node, Context context) {
    if (loaded.isLimited(node)) {
      int[] ends = loaded.ends(node).stream().mapToInt(end -> range(end, nothing)).toArray();
      long most = OperationRange.most(node.bits, false);
      return program.add(new RangeProgram.UpTo(loaded.least(node), ends, most));
    }
    long width = node.limit - node.constant;
    // Of all values of 64 bits, the width is beyond a long and negative.
    boolean narrow = width >= 0 && width <= 1 << 16;
    return switch (node.operation) {
      case CONSTANT ->
          program.add(new RangeProgram.Fixed(node.constant, node.constant, true, true));
      case ARGUMENT -> program.add(new RangeProgram.Argument((int) node.constant));
      case LENGTH -> program.add(new RangeProgram.Length((int) node.constant));
      case SPECIAL -> program.add(new RangeProgram.Geometry(node.special()));
      case ITERATION -> program.add(new RangeProgram.Fixed(0, Interval.MOST, true, false));
      case UNKNOWN ->
          program.add(
              new RangeProgram.Fixed(
                  node.constant, node.limit, narrow || node.constant == 0, narrow));
      case PHI -> phi(node);
      case SELECT -> {
        int taken = choice(node, node.input(1), with(context, facts(node, true)));
        int other = choice(node, node.input(2), with(context, facts(node, false)));
        yield hull(new int[] {taken, other});
      }
      case BASE -> any(node);
      default -> applied(node, context);
    };
  }

  private List<Fact> facts(Node select, boolean holds) {
    return guards.facts(select.input(0), holds);
  }

  int any(Node node) {
    long least = OperationRange.least(node.bits, false);
    long most = OperationRange.most(node.bits, false);
    return program.add(new RangeProgram.Fixed(least, most, false, false));
  }

  private int phi(Node node) {
    List<Integer> before = graph.block(node.block).predecessors();
    if (node.isCarried) {
      Integer given = assumed.get(node);
      return given == null ? carried(node) : given;
    }
    if (node.inputs.size() != before.size()) {
      return any(node);
    }
    int[] parts = new int[before.size()];
    for (int i = 0; i < parts.length; i++) {
      Context edge = with(at(before.get(i)), guards.along(before.get(i), node.block));
      int part = choice(node, node.input(i), edge);
      Loop left = graph.loop(before.get(i));
      parts[i] = left == null || left.body.get(node.block) ? part : reached(part, node.block, edge);
    }
    return hull(parts);
  }

  /**
   * The values that come out of a loop, none in a launch whose numbers keep all threads out of it:
   * there, the loop's end says nothing.
   *
   * @param to where they come to
   * @param from what is known where they come from
   */
  private int reached(int part, int to, Context from) {
    Context known = at(graph.dominator(to));
    RangeProgram.RangeStep step = program.step(part);
    int any = program.add(new RangeProgram.Fixed(Interval.LEAST, Interval.MOST, false, false));
    int most = program.add(new RangeProgram.Fixed(Interval.MOST, Interval.MOST, true, true));
    int reached = part;
    for (Context at = from; at != null && at != known && at.difference != null; at = at.before) {
      if (at.firstVarying == null) {
        // Only no value at all lies from 1 to 0.
        int isNever = program.add(new RangeProgram.Within(at.guarded, 1, 0));
        // Any value where the guard can hold, else only the greatest: that leaves a part with
        // limits
        // no value.
        int all =
            program.add(
                new RangeProgram.Narrowed(
                    any, new int[] {most}, false, new int[] {isNever}, false));
        reached = program.add(new RangeProgram.Both(reached, all, step.hasLow(), step.hasHigh()));
      }
    }
    return reached;
  }

  private int carried(Node node) {
    // While its range is looked for, and for those that need it, it may have any value.
    int any = any(node);
    assumed.put(node, any);
    Map<Node, Integer> found = carried.ranges(node, this);
    assumed.putAll(found);
    return found.getOrDefault(node, any);
  }

  /** What a choice between values is if it is this one: any value if that wrapped around. */
  int choice(Node chosen, Node value, Context context) {
    Polynomial polynomial = formulas.chosen(chosen, value);
    int[] checks = read(value, value.bits, false, context);
    int range = range(polynomial, context);
    RangeProgram.RangeStep step = program.step(range);
    return program.add(
        new RangeProgram.Checked(
            range,
            OperationRange.least(chosen.bits, false),
            OperationRange.most(chosen.bits, false),
            checks,
            step.hasLow(),
            step.hasHigh()));
  }

  private int hull(int[] parts) {
    boolean hasLow = Arrays.stream(parts).allMatch(part -> program.step(part).hasLow());
    boolean hasHigh = Arrays.stream(parts).allMatch(part -> program.step(part).hasHigh());
    return program.add(new RangeProgram.Hull(parts, hasLow, hasHigh));
  }

  private int applied(Node node, Context context) {
    Operator operation = node.operation;
    boolean unsigned = OperationRange.isUnsigned(operation);
    Node left = node.input(0);
    Node right = node.inputs.size() > 1 ? node.input(1) : left;
    int bits = node.bits;
    if (operation == Operator.ZERO_EXTEND) {
      int range = range(formulas.of(left), context);
      return program.add(
          new RangeProgram.Checked(
              range,
              0,
              OperationRange.most(left.bits, true),
              read(left, left.bits, true, context),
              true,
              left.bits <= Short.SIZE
                  || (program.step(range).hasLow() && program.step(range).hasHigh())));
    }
    int a = range(formulas.of(left), context);
    int b = node.inputs.size() > 1 ? range(formulas.of(right), context) : zero;
    boolean[] ends = ends(operation, left, right, a, b);
    return program.add(
        new RangeProgram.Apply(
            operation,
            bits,
            a,
            b,
            read(left, bits, unsigned, context),
            node.inputs.size() > 1 ? read(right, right.bits, unsigned, context) : new int[0],
            ends[0],
            ends[1]));
  }

  /** The steps that say whether an operand, read as a number, is that of its formula. */
  private int[] read(Node operand, int bits, boolean unsigned, Context context) {
    List<Condition> conditions = new ArrayList<>(formulas.conditions(operand));
    conditions.add(
        new Condition(
            operand, OperationRange.least(bits, unsigned), OperationRange.most(bits, unsigned)));
    return checks(conditions, context);
  }

  private boolean isMask(Node operand) {
    return !operand.is(Operator.CONSTANT) && formulas.isUniform(operand);
  }

  /** Whether the result of an operation is limited from below and from above. */
  private boolean[] ends(Operator operation, Node left, Node right, int a, int b) {
    RangeProgram.RangeStep x = program.step(a);
    RangeProgram.RangeStep y = program.step(b);
    boolean both = x.hasLow() && x.hasHigh() && y.hasLow() && y.hasHigh();
    boolean xBoth = x.hasLow() && x.hasHigh();
    boolean yBoth = y.hasLow() && y.hasHigh();
    return switch (operation) {
      case AND -> {
        boolean masked =
            (left.is(Operator.CONSTANT) && left.constant >= 0)
                || (right.is(Operator.CONSTANT) && right.constant >= 0);
        // A mask that the launch decides is one that limits, unless it is negative.
        boolean isOfLaunch = isMask(left) || isMask(right);
        yield new boolean[] {masked || isOfLaunch || both, masked || isOfLaunch || both};
      }
      case REMAINDER_UNSIGNED -> new boolean[] {true, yBoth};
      case REMAINDER -> new boolean[] {yBoth, yBoth};
      case SHIFT_RIGHT, DIVIDE -> new boolean[] {xBoth, xBoth};
      case SHIFT_RIGHT_UNSIGNED, DIVIDE_UNSIGNED -> new boolean[] {true, xBoth};
      case MIN -> new boolean[] {x.hasLow() && y.hasLow(), x.hasHigh() || y.hasHigh()};
      case MIN_UNSIGNED -> new boolean[] {true, xBoth || yBoth};
      case MAX -> new boolean[] {x.hasLow() || y.hasLow(), x.hasHigh() && y.hasHigh()};
      case MAX_UNSIGNED -> new boolean[] {true, both};
      default -> new boolean[] {both, both};
    };
  }
}
