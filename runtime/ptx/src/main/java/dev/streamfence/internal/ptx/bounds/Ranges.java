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
import dev.streamfence.internal.ptx.symbolic.NumberPlace;
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

    /** Whether this guard compares numbers of which each has limits of its own. */
    final boolean isApart;

    /** Whether this guard or one before does. */
    final boolean isAnyApart;

    private final Map<Polynomial, Integer> ranges = new HashMap<>();
    private final Map<Node, Integer> values = new HashMap<>();

    private Context(
        @Nullable Context before,
        @Nullable Polynomial difference,
        int guarded,
        boolean divides,
        boolean isApart) {
      this.before = before;
      this.difference = difference;
      this.guarded = guarded;
      this.divides = divides;
      this.isApart = isApart;
      this.isAnyApart = isApart || (before != null && before.isAnyApart);
    }
  }

  private final RangeProgram program;
  private final NodeGraph nodes;
  private final ControlGraph graph;
  private final Guards guards;
  private final Formulas formulas;
  private final LoadedNumbers loaded;
  private final TripCounts tripCounts;
  private final Map<Integer, Context> contexts = new HashMap<>();
  private final Context nothing = new Context(null, null, -1, false, false);
  private final Set<Integer> building = new HashSet<>();
  private final CarriedValues carried;

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
    Context context = with(at(dominator), entry);
    return isOnlyEntry ? carried(within(context, loop), loop, context) : within(context, loop);
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
    for (Polynomial more : loaded.atLeast(difference)) {
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

  private Context context(Context before, Polynomial difference, int guarded) {
    return new Context(
        before,
        difference,
        guarded,
        before.divides || tripCounts.divides(difference),
        loaded.isIn(difference) || difference.has(this::isCarried));
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
        for (Polynomial more : isOrder(fact) ? loaded.atLeast(difference) : Set.<Polynomial>of()) {
          context = within(context, loop, fact, more, List.of());
        }
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
   * What a loop's branch back says of values that it carries, where it holds of the first ones as
   * well.
   *
   * @param entry what is known before the loop
   */
  private Context carried(Context before, Loop loop, Context entry) {
    Context context = before;
    if (loop.latches.size() == 1) {
      for (Fact fact : guards.along(loop.latches.get(0), loop.header)) {
        Node left = carried(fact.left(), loop);
        Node right = carried(fact.right(), loop);
        if (isOrder(fact) && left != null && right != null) {
          Fact now = new Fact(fact.operation(), left, right, true);
          Fact first = new Fact(fact.operation(), first(left, loop), first(right, loop), true);
          Polynomial difference = difference(now);
          Polynomial start = difference(first);
          if (difference != null && start != null && difference.has(this::isCarried)) {
            int open = range(difference, context);
            int[] least = {range(start, entry), zero};
            boolean hasHigh = program.step(open).hasHigh();
            int[] checks = checks(first, entry);
            context =
                context(
                    context,
                    difference,
                    program.add(new RangeProgram.Narrowed(open, least, false, checks, hasHigh)));
          }
        }
      }
    }
    return context;
  }

  private boolean isCarried(int id) {
    return carried.isCarried(nodes.node(id));
  }

  /** What the next iteration has in the place of a value; null if that is not known. */
  private @Nullable Node carried(Node next, Loop loop) {
    boolean isExtended = next.is(Operator.SIGN_EXTEND) || next.is(Operator.ZERO_EXTEND);
    Node value = isExtended ? next.input(0) : next;
    Node phi = carried.phi(value, loop);
    if (phi != null) {
      return isExtended ? nodes.of(next.operation, next.bits, phi) : phi;
    }
    return formulas.isInvariant(next, loop) ? next : null;
  }

  /** What the first iteration has in the place of a value. */
  private Node first(Node value, Loop loop) {
    boolean isExtended = value.is(Operator.SIGN_EXTEND) || value.is(Operator.ZERO_EXTEND);
    Node phi = isExtended ? value.input(0) : value;
    if (!phi.isCarried || phi.block != loop.header) {
      return value;
    }
    return isExtended ? nodes.of(value.operation, value.bits, phi.input(0)) : phi.input(0);
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
    if (isOrder(fact)) {
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

  private static boolean isOrder(Fact fact) {
    return fact.isTrue() && fact.operation() != Operator.EQUAL;
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
      int plain = quotients(polynomial, context);
      int step = halved(polynomial, context, sharper(polynomial, context, plain));
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

  /** Which term of a guard on numbers that have limits of their own the others replace. */
  private enum Replaced {
    NONE,
    FIRST,
    LAST
  }

  /** The step of a sum, in which differences that guards limit stand for their terms. */
  private int quotients(Polynomial polynomial, Context context) {
    int step = quotients(polynomial, context, Replaced.NONE);
    if (context.isAnyApart) {
      // Such a guard says of either number only what the other one's limits say.
      int first = quotients(polynomial, context, Replaced.FIRST);
      int last = quotients(polynomial, context, Replaced.LAST);
      step = first < 0 ? step : both(step, first);
      step = last < 0 ? step : both(step, last);
    }
    return step;
  }

  /** The same in one way; negative if that uses no guard of which terms are replaced. */
  private int quotients(Polynomial polynomial, Context context, Replaced replaced) {
    List<Polynomial> factors = new ArrayList<>();
    List<Integer> guarded = new ArrayList<>();
    Polynomial rest = polynomial;
    boolean isUsed = replaced == Replaced.NONE;
    for (Context at = context; at != null && formulas.varyingTerms(rest) > 0; at = at.before) {
      Polynomial difference = at.difference;
      Replaced way = at.isApart ? replaced : Replaced.FIRST;
      if (difference == null || way == Replaced.NONE) {
        continue;
      }
      Polynomial factor = quotient(rest, difference, way == Replaced.LAST);
      Polynomial product = factor == null ? null : factor.times(difference);
      Polynomial less = product == null ? null : rest.minus(product);
      if (less != null && isSimpler(less, rest, replaced != Replaced.NONE)) {
        factors.add(factor);
        guarded.add(at.guarded);
        rest = less;
        isUsed |= at.isApart;
      }
    }
    return isUsed ? sum(rest, factors, guarded, context) : -1;
  }

  /**
   * Whether a polynomial has less that is open than another one.
   *
   * @param apart whether an iteration, of which a guard alone tells the end, is worse than all else
   */
  private boolean isSimpler(Polynomial less, Polynomial rest, boolean apart) {
    int fewer = iterations(rest) - iterations(less);
    return (apart && fewer > 0)
        || (fewer >= 0 && formulas.varyingTerms(less) < formulas.varyingTerms(rest));
  }

  /** The step of what two steps for the same number have in common. */
  private int both(int first, int second) {
    RangeProgram.RangeStep one = program.step(first);
    RangeProgram.RangeStep other = program.step(second);
    return program.add(
        new RangeProgram.Both(
            first, second, one.hasLow() || other.hasLow(), one.hasHigh() || other.hasHigh()));
  }

  /** The step of a sum with half of what a loop carries, and of a multiple of that sum. */
  private int halved(Polynomial polynomial, Context context, int plain) {
    TripCounts.Multiple multiple = context.isAnyApart ? tripCounts.multiple(polynomial) : null;
    if (multiple == null || !multiple.polynomial().has(this::isCarried)) {
      return plain;
    }
    long rest = multiple.rest() * (multiple.divisor() - 1);
    int range = range(multiple.polynomial(), context);
    RangeProgram.RangeStep step = program.step(range);
    return both(
        plain,
        program.add(
            new RangeProgram.Quotient(
                range,
                multiple.divisor(),
                Math.min(0, -rest),
                Math.max(0, -rest),
                multiple.unit(),
                checks(multiple.conditions(), context),
                step.hasLow(),
                step.hasHigh())));
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
    return both(plain, checked);
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

  /** How often the first or last varying term of a difference is contained, by uniform numbers. */
  private @Nullable Polynomial quotient(Polynomial dividend, Polynomial difference, boolean last) {
    Term leading = null;
    for (Term term : difference.terms()) {
      if (term.product().has(formulas::varies) && (last || leading == null)) {
        leading = term;
      }
    }
    return leading == null ? null : quotient(dividend, leading);
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
    if (loaded.isLimited(node)) {
      int[] ends = loaded.ends(node).stream().mapToInt(end -> range(end, nothing)).toArray();
      return program.add(new RangeProgram.UpTo(ends, OperationRange.most(node.bits, false)));
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

  private static List<Fact> facts(Node select, boolean holds) {
    return Guards.facts(select.input(0), holds);
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
      parts[i] = choice(node, node.input(i), edge);
    }
    return hull(parts);
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
