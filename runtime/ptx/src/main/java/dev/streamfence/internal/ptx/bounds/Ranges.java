// Long because a range, the guards that narrow it, and the values that it is made of need each
// other.
package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Formulas.Condition;
import dev.streamfence.internal.ptx.symbolic.Guards;
import dev.streamfence.internal.ptx.symbolic.Guards.Fact;
import dev.streamfence.internal.ptx.symbolic.Interval;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
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
 * the code. What the guards on the way say of a difference is used by dividing by it: with {@code d
 * = n - 1 - i >= 0}, {@code 4 * i} is {@code -4 * d + 4 * (n - 1)}, and the second term is no
 * longer different between threads. Confined to one thread.
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

  /** What is known at a place in the code: one guard more than at another place. */
  static final class Context {
    final @Nullable Context before;
    final @Nullable Polynomial difference;

    /** The step with the values that the guard leaves of the difference. */
    final int guarded;

    /** Whether a guard compares what a division gives. */
    final boolean divides;

    private final Map<Polynomial, Integer> ranges = new HashMap<>();
    private final Map<Node, Integer> values = new HashMap<>();

    private Context(
        @Nullable Context before, @Nullable Polynomial difference, int guarded, boolean divides) {
      this.before = before;
      this.difference = difference;
      this.guarded = guarded;
      this.divides = divides;
    }
  }

  private final RangeProgram program = new RangeProgram();
  private final NodeGraph nodes;
  private final ControlGraph graph;
  private final Guards guards;
  private final Formulas formulas;
  private final TripCounts tripCounts;
  private final Map<Integer, Context> contexts = new HashMap<>();
  private final Context nothing = new Context(null, null, -1, false);
  private final Set<Integer> building = new HashSet<>();
  private final int zero = program.add(new RangeProgram.Fixed(0, 0, true, true));
  private int depth;

  Ranges(NodeGraph nodes, ControlGraph graph, Guards guards, Formulas formulas) {
    this.nodes = nodes;
    this.graph = graph;
    this.guards = guards;
    this.formulas = formulas;
    this.tripCounts = new TripCounts(nodes, formulas);
  }

  RangeProgram program() {
    return program;
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
    Context context = at(graph.dominator(block));
    Loop loop = graph.loop(block);
    return loop != null && loop.header == block ? within(context, loop) : context;
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
        context = signed(add(context, difference, false, checks), difference, checks);
        if (fact.operation() == Operator.EQUAL) {
          context = add(context, negated(difference), false, checks);
        }
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

  private Context context(Context before, Polynomial difference, int guarded) {
    return new Context(
        before, difference, guarded, before.divides || tripCounts.divides(difference));
  }

  private @Nullable Polynomial negated(Polynomial polynomial) {
    return Polynomial.ZERO.minus(polynomial);
  }

  /** What is at least 0 if a fact holds; what is not 0 if the fact is an inequality. */
  private @Nullable Polynomial difference(Fact fact) {
    Polynomial difference = fact.difference(formulas);
    // Of addresses only their distance within one array is a number.
    return difference == null || difference.has(id -> nodes.node(id).is(Operator.BASE))
        ? null
        : difference;
  }

  /** The steps that say whether a fact compares the numbers of its formulas. */
  private int[] checks(Fact fact, Context context) {
    return checks(fact.conditions(formulas), context);
  }

  /** The steps that say whether a value is the number that its formula gives. */
  int[] checks(Node value, Context context) {
    return checks(formulas.conditions(value), context);
  }

  private int[] checks(Collection<Condition> conditions, Context context) {
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

  /** What holds in every iteration of a loop because its guards held in the iteration before. */
  private Context within(Context before, Loop loop) {
    if (loop.latches.size() != 1) {
      return before;
    }
    int latch = loop.latches.get(0);
    List<Fact> facts = new ArrayList<>(guards.along(latch, loop.header));
    for (int block = latch; block != loop.header; ) {
      List<Integer> predecessors = graph.block(block).predecessors();
      if (predecessors.size() == 1) {
        facts.addAll(guards.along(predecessors.get(0), block));
      }
      block = guards.origin(block);
    }
    Context context = before;
    for (Fact fact : facts) {
      Polynomial difference = difference(fact);
      if (difference != null) {
        Context outside = context;
        context = within(context, loop, fact, difference, List.of());
        if (context != outside && fact.isTrue()) {
          for (TripCounts.Derived implied : tripCounts.implied(difference)) {
            context = within(context, loop, fact, implied.polynomial(), implied.conditions());
          }
        }
      }
    }
    return context;
  }

  /**
   * What holds in a loop because a fact held in the iteration before.
   *
   * @param difference what is at least 0 if the fact holds
   * @param conditions under which that is so, besides those of the fact
   */
  private Context within(
      Context before, Loop loop, Fact fact, Polynomial difference, List<Condition> conditions) {
    int iteration = nodes.iteration(loop.index).id;
    Polynomial first = difference.only(monomial -> !monomial.has(id -> id == iteration));
    Polynomial step = LoopEnd.coefficient(difference, iteration);
    boolean changes = difference.has(id -> id != iteration && !isFixed(id, loop));
    if (step == null || step.isZero() || changes) {
      return before;
    }
    if (fact.isTrue() && fact.operation() != Operator.EQUAL) {
      int open = range(difference, before);
      int[] least = {range(first, before), range(step, before)};
      boolean hasHigh = program.step(open).hasHigh();
      int assumed = program.add(new RangeProgram.Narrowed(open, least, false, new int[0], hasHigh));
      List<Condition> all = new ArrayList<>(fact.conditions(formulas));
      all.addAll(conditions);
      int[] checks = checks(all, context(before, difference, assumed));
      return context(
          before,
          difference,
          program.add(new RangeProgram.Narrowed(open, least, false, checks, hasHigh)));
    }
    return fact.isTrue() ? before : counted(before, fact, difference, first, step);
  }

  /** A loop that ends when two numbers are equal. */
  private Context counted(
      Context before, Fact fact, Polynomial difference, Polynomial first, Polynomial step) {
    long by = step.coefficient(Monomial.ONE);
    if (step.size() != 1 || by == 0 || by == Long.MIN_VALUE) {
      return before;
    }
    Polynomial falling = by < 0 ? difference : negated(difference);
    Polynomial start = by < 0 ? first : negated(first);
    if (falling == null || start == null) {
      return before;
    }
    long distance = Math.abs(by);
    boolean divides = start.terms().stream().allMatch(term -> term.coefficient() % distance == 0);
    int open = range(falling, before);
    boolean hasHigh = program.step(open).hasHigh();
    int from = range(start, before);
    int assumed =
        program.add(new RangeProgram.Counted(open, from, distance, divides, new int[0], hasHigh));
    int[] checks = checks(fact, context(before, falling, assumed));
    return context(
        before,
        falling,
        program.add(new RangeProgram.Counted(open, from, distance, divides, checks, hasHigh)));
  }

  private boolean isFixed(int id, Loop loop) {
    return formulas.isInvariant(nodes.node(id), loop);
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
      int step = sharper(polynomial, context, quotients(polynomial, context));
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

  /** The step of a sum, in which differences that guards limit stand for their terms. */
  private int quotients(Polynomial polynomial, Context context) {
    List<Polynomial> factors = new ArrayList<>();
    List<Integer> guarded = new ArrayList<>();
    Polynomial rest = polynomial;
    for (Context at = context; at != null && formulas.varyingTerms(rest) > 0; at = at.before) {
      Polynomial difference = at.difference;
      Polynomial factor = difference == null ? null : quotient(rest, difference);
      Polynomial product = factor == null || difference == null ? null : factor.times(difference);
      Polynomial less = product == null ? null : rest.minus(product);
      if (less != null
          && formulas.varyingTerms(less) < formulas.varyingTerms(rest)
          && iterations(less) <= iterations(rest)) {
        factors.add(factor);
        guarded.add(at.guarded);
        rest = less;
      }
    }
    return sum(rest, factors, guarded, context);
  }

  /** The step of a sum, and of what it is without the divisions in it. */
  private int sharper(Polynomial polynomial, Context context, int plain) {
    if (!context.divides && !tripCounts.divides(polynomial)) {
      return plain;
    }
    List<Polynomial> factors = new ArrayList<>();
    List<Integer> guarded = new ArrayList<>();
    List<Condition> conditions = new ArrayList<>();
    Polynomial rest = withoutDivisions(polynomial, polynomial, conditions);
    for (Context at = context; at != null && formulas.varyingTerms(rest) > 0; at = at.before) {
      Polynomial difference = at.difference == null ? Polynomial.ZERO : at.difference;
      for (Term leading : difference.terms()) {
        Polynomial factor = quotient(rest, leading);
        Polynomial product = factor == null ? null : factor.times(difference);
        Polynomial left = product == null ? null : rest.minus(product);
        Polynomial less = left == null ? rest : withoutDivisions(left, rest, conditions);
        if (openTerms(less) < openTerms(rest)) {
          factors.add(factor);
          guarded.add(at.guarded);
          rest = less;
          break;
        }
      }
    }
    if (conditions.isEmpty()) {
      return plain;
    }
    int sum = sum(rest, factors, guarded, context);
    RangeProgram.RangeStep step = program.step(sum);
    int checked =
        program.add(
            new RangeProgram.Checked(
                sum,
                Interval.LEAST,
                Interval.MOST,
                checks(conditions, context),
                step.hasLow(),
                step.hasHigh()));
    RangeProgram.RangeStep other = program.step(plain);
    return program.add(
        new RangeProgram.Both(
            plain, checked, step.hasLow() || other.hasLow(), step.hasHigh() || other.hasHigh()));
  }

  /**
   * A polynomial without the divisions in it if that leaves less open than another one does.
   *
   * @param conditions gets those under which it is the same number
   */
  private Polynomial withoutDivisions(
      Polynomial polynomial, Polynomial other, List<Condition> conditions) {
    TripCounts.Derived reduced = tripCounts.reduced(polynomial);
    if (reduced == null || openTerms(reduced.polynomial()) >= openTerms(other)) {
      return polynomial;
    }
    conditions.addAll(reduced.conditions());
    return reduced.polynomial();
  }

  /** How many terms differ between threads, and those that grow in a loop once more. */
  private int openTerms(Polynomial polynomial) {
    return formulas.varyingTerms(polynomial) + iterations(polynomial);
  }

  /** How many terms grow in a loop, of which only a guard tells the end. */
  private int iterations(Polynomial polynomial) {
    return polynomial
        .only(monomial -> monomial.has(id -> formulas.is(id, Operator.ITERATION)))
        .size();
  }

  /** How often the first varying term of a difference is contained, by uniform numbers. */
  private @Nullable Polynomial quotient(Polynomial dividend, Polynomial difference) {
    for (Term term : difference.terms()) {
      if (term.product().has(formulas::varies)) {
        return quotient(dividend, term);
      }
    }
    return null;
  }

  /** How often a term is contained, by uniform numbers. */
  private @Nullable Polynomial quotient(Polynomial dividend, Term leading) {
    Polynomial quotient = Polynomial.ZERO;
    for (Term term : dividend.terms()) {
      Monomial rest = term.product().without(leading.product());
      if (rest != null
          && !rest.has(formulas::varies)
          && term.coefficient() % leading.coefficient() == 0) {
        Polynomial next =
            quotient.plus(Polynomial.term(rest, term.coefficient() / leading.coefficient()));
        if (next == null) {
          return null;
        }
        quotient = next;
      }
    }
    return quotient.isZero() ? null : quotient;
  }

  private int sum(
      Polynomial rest, List<Polynomial> quotients, List<Integer> guarded, Context context) {
    int count = rest.size() + quotients.size();
    long[] coefficients = new long[count];
    int[][] steps = new int[count][];
    boolean hasLow = true;
    boolean hasHigh = true;
    int at = 0;
    for (Term term : rest.terms()) {
      coefficients[at] = term.coefficient();
      int[] factors = term.product().nodes().clone();
      for (int i = 0; i < factors.length; i++) {
        factors[i] = value(nodes.node(factors[i]), context);
      }
      steps[at] = factors;
      at++;
    }
    for (int i = 0; i < quotients.size(); i++) {
      coefficients[at] = 1;
      steps[at] = new int[] {range(quotients.get(i), nothing), guarded.get(i)};
      at++;
    }
    for (int i = 0; i < count; i++) {
      boolean low = hasLow(coefficients[i], steps[i]);
      hasHigh &= hasLow(-coefficients[i], steps[i]);
      hasLow &= low;
    }
    return program.add(new RangeProgram.Sum(coefficients, steps, hasLow, hasHigh));
  }

  /** Whether a product is limited from below; for that from above, the coefficient is negated. */
  private boolean hasLow(long coefficient, int[] factors) {
    int partial = -1;
    for (int factor : factors) {
      RangeProgram.RangeStep step = program.step(factor);
      if (!step.hasLow() || !step.hasHigh()) {
        if (partial >= 0) {
          return false;
        }
        partial = factor;
      }
    }
    if (partial < 0) {
      return true;
    }
    boolean positive = coefficient > 0;
    for (int factor : factors) {
      Long sign = factor == partial ? Long.valueOf(1) : sign(program.step(factor));
      if (sign == null) {
        // Its sign is known when the kernel is launched, too late for what has one end only.
        return false;
      }
      positive = positive == sign > 0;
    }
    RangeProgram.RangeStep open = program.step(partial);
    return positive ? open.hasLow() : open.hasHigh();
  }

  /** 1 for a step that is never negative, -1 for one that is never positive, null for others. */
  private @Nullable Long sign(RangeProgram.RangeStep step) {
    if (step instanceof RangeProgram.Geometry) {
      return 1L;
    }
    if (step instanceof RangeProgram.Fixed fixed) {
      return fixed.least() >= 0 ? Long.valueOf(1) : fixed.most() <= 0 ? Long.valueOf(-1) : null;
    }
    if (step instanceof RangeProgram.Sum sum
        && sum.coefficients().length == 1
        && sum.factors()[0].length == 0) {
      return sum.coefficients()[0] < 0 ? -1L : 1L;
    }
    if (step instanceof RangeProgram.Sum sum && sum.coefficients().length == 0) {
      return 1L;
    }
    return null;
  }

  /** The step that computes between which numbers a value lies that stands for itself. */
  private int value(Node node, Context context) {
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
    long width = node.limit - node.constant;
    // Of all values of 64 bits, the width is beyond a long and negative.
    boolean narrow = width >= 0 && width <= 1 << 16;
    return switch (node.operation) {
      case CONSTANT ->
          program.add(new RangeProgram.Fixed(node.constant, node.constant, true, true));
      case ARGUMENT -> program.add(new RangeProgram.Argument((int) node.constant));
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

  private static List<Fact> facts(Node select, boolean holds) {
    return Guards.facts(select.input(0), holds);
  }

  private int any(Node node) {
    long least = OperationRange.least(node.bits, false);
    long most = OperationRange.most(node.bits, false);
    return program.add(new RangeProgram.Fixed(least, most, false, false));
  }

  private int phi(Node node) {
    List<Integer> before = graph.block(node.block).predecessors();
    if (node.isCarried || node.inputs.size() != before.size()) {
      return any(node);
    }
    int[] parts = new int[before.size()];
    for (int i = 0; i < parts.length; i++) {
      Context edge = with(at(before.get(i)), guards.along(before.get(i), node.block));
      parts[i] = choice(node, node.input(i), edge);
    }
    return hull(parts);
  }

  /** What a choice between values is if it is this one: any value if that wrapped around. */
  private int choice(Node chosen, Node value, Context context) {
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
