package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.races.PairProof.Place;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Formulas.Condition;
import dev.streamfence.internal.ptx.symbolic.Guards;
import dev.streamfence.internal.ptx.symbolic.Guards.Fact;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What a thread's branches say of its numbers where it makes an access. Confined to one thread. */
final class PathFacts {
  /** Facts that hold at one place at most; the farthest ones are left out. */
  private static final int MAX_FACTS = 24;

  /** Between how many values a choice is at most that is looked at. */
  private static final int MAX_WAYS = 3;

  /**
   * A comparison without a sign, with a difference of numbers of a launch: {@code 3 <= n - 1} holds
   * for n = 0 as well.
   *
   * @param more the difference
   * @param natural what is not negative if the difference is not
   */
  private record Doubt(Polynomial more, List<Polynomial> natural) {
    @Nullable Doubt with(int id, Polynomial value) {
      Polynomial changed = more.with(id, value);
      List<Polynomial> follows = new ArrayList<>();
      natural.forEach(each -> Known.add(each.with(id, value), follows));
      return changed == null ? null : new Doubt(changed, follows);
    }
  }

  /**
   * What holds at a place.
   *
   * @param natural what is not negative
   * @param zero what is 0
   * @param unequal what is not 0, the nearest first
   * @param orders which values are less than others, also without a sign
   * @param doubts what may hold
   */
  record Known(
      List<Polynomial> natural,
      List<Polynomial> zero,
      List<Polynomial> unequal,
      List<Fact> orders,
      List<Doubt> doubts) {
    Known() {
      this(
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>());
    }

    /** All of it as what is not negative. */
    List<Polynomial> inequalities() {
      List<Polynomial> all = new ArrayList<>(natural);
      for (Polynomial each : zero) {
        Polynomial negated = Polynomial.ZERO.minus(each);
        all.add(each);
        if (negated != null) {
          all.add(negated);
        }
      }
      return all;
    }

    boolean isFull() {
      return natural.size() + zero.size() + unequal.size() + doubts.size() >= MAX_FACTS;
    }

    void addAll(Known other) {
      natural.addAll(other.natural);
      zero.addAll(other.zero);
      unequal.addAll(other.unequal);
      orders.addAll(other.orders);
      doubts.addAll(other.doubts);
    }

    /** The same with a formula in place of a value. */
    Known with(int id, Polynomial value) {
      Known found = new Known();
      natural.forEach(each -> add(each.with(id, value), found.natural));
      zero.forEach(each -> add(each.with(id, value), found.zero));
      unequal.forEach(each -> add(each.with(id, value), found.unequal));
      found.orders.addAll(orders);
      for (Doubt each : doubts) {
        Doubt changed = each.with(id, value);
        if (changed != null) {
          found.doubts.add(changed);
        }
      }
      return found;
    }

    private static void add(@Nullable Polynomial formula, List<Polynomial> found) {
      if (formula != null) {
        found.add(formula);
      }
    }

    /** Leaves what holds at another place as well. */
    void retainAll(Known other) {
      natural.retainAll(other.natural);
      zero.retainAll(other.zero);
      unequal.retainAll(other.unequal);
      orders.retainAll(other.orders);
      doubts.retainAll(other.doubts);
    }
  }

  private final NodeGraph nodes;
  private final ControlGraph graph;
  private final Guards guards;
  private final Formulas formulas;
  private final Symbols symbols;
  private final Budget budget;
  private final Map<Integer, Known> known = new HashMap<>();

  /** A place in the code: many accesses stand at each. */
  private record Reached(int block, @Nullable Node guard) {}

  private final Map<Reached, Known> reached = new HashMap<>();

  PathFacts(
      NodeGraph nodes,
      ControlGraph graph,
      Guards guards,
      Formulas formulas,
      Symbols symbols,
      Budget budget) {
    this.nodes = nodes;
    this.graph = graph;
    this.guards = guards;
    this.formulas = formulas;
    this.symbols = symbols;
    this.budget = budget;
  }

  /** Forgets what was found with other limits of launches. */
  void forget() {
    known.clear();
    reached.clear();
  }

  /** What holds where a thread makes an access; not to be changed. */
  Known at(MemoryAccess access) {
    return reached.computeIfAbsent(new Reached(access.block(), access.guard()), key -> of(access));
  }

  private Known of(MemoryAccess access) {
    Known found = new Known();
    if (access.guard() != null) {
      addAll(guards.facts(access.guard(), true), found);
    }
    found.addAll(at(access.block()));
    conclude(found);
    return found;
  }

  /**
   * Adds what comparisons without a sign say where none can be negative, that what is not negative
   * and not 0 is at least 1, and what that says of masks.
   */
  private void conclude(Known found) {
    // The outermost comparison first, here as well.
    for (int i = found.doubts.size() - 1; i >= 0; i--) {
      Doubt doubt = found.doubts.get(i);
      if (proofs(found, doubt.more).isNatural(doubt.more)) {
        found.natural.addAll(doubt.natural);
      }
    }
    // The outermost comparison first: those within it may build on it.
    for (int i = found.unequal.size() - 1; i >= 0; i--) {
      addSign(found.unequal.get(i), found);
      addSign(Polynomial.ZERO.minus(found.unequal.get(i)), found);
    }
    List<Polynomial> formulas = new ArrayList<>(found.inequalities());
    formulas.addAll(found.unequal);
    for (int id : ids(formulas)) {
      addMask(symbols.node(id), found);
    }
  }

  /** Adds that the last bits of a number that is not negative are at most the number. */
  private void addMask(Node masked, Known found) {
    if (!masked.is(Operator.AND) || Symbols.mask(masked) < 0) {
      return;
    }
    Polynomial whole = symbols.exact(masked.input(masked.input(0).is(Operator.CONSTANT) ? 1 : 0));
    Polynomial rest = whole == null ? null : whole.minus(Polynomial.of(masked.id));
    if (whole != null && rest != null && proofs(found, whole).isNatural(whole)) {
      found.natural.add(rest);
    }
  }

  private void addSign(@Nullable Polynomial number, Known found) {
    Polynomial less = number == null ? null : number.minus(Polynomial.constant(1));
    if (number != null && less != null && proofs(found, number).isNatural(number)) {
      found.natural.add(less);
    }
  }

  /**
   * A place with each of the values that a choice in its offset is between, and with what holds
   * where that one is chosen; only the place itself if there is no such choice.
   */
  List<Place> ways(Place place) {
    for (Term term : place.offset().terms()) {
      for (int id : term.product().nodes()) {
        List<Place> ways = ways(place, symbols.node(id));
        if (!ways.isEmpty()) {
          return ways;
        }
      }
    }
    return List.of(place);
  }

  private List<Place> ways(Place place, Node choice) {
    List<Integer> before =
        choice.is(Operator.PHI) ? graph.block(choice.block).predecessors() : List.of(0, 0);
    List<Node> values = Formulas.choices(choice);
    boolean isChoice = choice.is(Operator.SELECT) || choice.is(Operator.PHI);
    if (!isChoice
        || choice.isCarried
        || values.size() != before.size()
        || values.size() > MAX_WAYS) {
      return List.of();
    }
    List<Place> ways = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      Polynomial value = number(choice, values.get(i));
      Polynomial offset = value == null ? null : place.offset().with(choice.id, value);
      if (value == null || offset == null) {
        return List.of();
      }
      Known known = new Known();
      if (choice.is(Operator.SELECT)) {
        addAll(guards.facts(choice.input(0), i == 0), known);
      } else {
        addAll(guards.along(before.get(i), choice.block), known);
        known.addAll(at(before.get(i)));
      }
      known.addAll(place.known().with(choice.id, value));
      conclude(known);
      ways.add(new Place(offset, place.width(), known));
    }
    return ways;
  }

  /** What a choice stands for if it is this value; null if that is no number that is known. */
  private @Nullable Polynomial number(Node choice, Node value) {
    Polynomial number = formulas.chosen(choice, value);
    return symbols.isExact(value) && !number.has(id -> formulas.is(id, Operator.BASE))
        ? symbols.fixed(number)
        : null;
  }

  /**
   * A place with multiples of divisors for the numbers that they divide, as {@code t % (2 * d) ==
   * 0} says; the place itself if there is no such number.
   */
  Place withMultiples(Place place) {
    Place found = place;
    for (Polynomial zero : place.known().zero()) {
      Monomial product = zero.size() == 1 ? zero.term(0).product() : Monomial.ONE;
      Node rest = product.nodes().length == 1 ? symbols.node(product.nodes()[0]) : null;
      if (rest != null
          && (rest.is(Operator.REMAINDER) || rest.is(Operator.REMAINDER_UNSIGNED))
          && symbols.exact(rest.input(1)) != null) {
        boolean isSigned = rest.is(Operator.REMAINDER);
        Operator division = isSigned ? Operator.DIVIDE : Operator.DIVIDE_UNSIGNED;
        found = withMultiples(found, division, rest.input(0), rest.input(1));
      }
    }
    return found;
  }

  private Place withMultiples(Place place, Operator division, Node whole, Node by) {
    Polynomial divisor = symbols.of(by);
    boolean isNumber = Polynomial.of(whole.id).equals(symbols.of(whole));
    if (divisor == null || !isNumber || !symbols.signs().isNatural(whole.id)) {
      return place;
    }
    Node quotient = nodes.of(division, whole.bits, whole, by);
    Polynomial multiple = divisor.times(Polynomial.of(quotient.id));
    Polynomial offset = multiple == null ? null : place.offset().with(whole.id, multiple);
    return multiple == null || offset == null
        ? place
        : new Place(offset, place.width(), place.known().with(whole.id, multiple));
  }

  /**
   * A place whose quotients and remainders are those of a part of what they divide, see {@link
   * Symbols#withoutMultiples}; the place itself if there is no such one.
   */
  Place withParts(Place place) {
    List<Polynomial> formulas = new ArrayList<>(place.known().inequalities());
    formulas.addAll(place.known().unequal());
    formulas.add(place.offset());
    Place found = place;
    for (int id : ids(formulas)) {
      Polynomial part = symbols.withoutMultiples(symbols.node(id));
      Polynomial offset = part == null ? null : found.offset().with(id, part);
      if (part != null && offset != null) {
        found = new Place(offset, found.width(), found.known().with(id, part));
      }
    }
    return found;
  }

  /** The values in some formulas. */
  private static Set<Integer> ids(List<Polynomial> formulas) {
    Set<Integer> found = new LinkedHashSet<>();
    for (Polynomial formula : formulas) {
      for (Term term : formula.terms()) {
        for (int id : term.product().nodes()) {
          found.add(id);
        }
      }
    }
    return found;
  }

  private Known at(int block) {
    Known kept = known.get(block);
    if (kept != null) {
      return kept;
    }
    Known found = new Known();
    known.put(block, found);
    for (int at = block; at != 0 && !found.isFull(); ) {
      List<Integer> predecessors = graph.block(at).predecessors();
      if (predecessors.size() == 1) {
        addAll(guards.along(predecessors.get(0), at), found);
        at = predecessors.get(0);
        continue;
      }
      Loop loop = graph.loop(at);
      int dominator = graph.dominator(at);
      if (loop != null && loop.header == at && loop.latches.size() == 1) {
        Known before = new Known();
        before.addAll(at(dominator));
        conclude(before);
        addIterations(loop, before, found);
      }
      at = dominator;
    }
    return found;
  }

  private void addAll(List<Fact> facts, Known found) {
    for (Fact fact : facts) {
      if (found.isFull()) {
        return;
      }
      boolean isOrder =
          fact.operation() == Operator.LESS || fact.operation() == Operator.LESS_UNSIGNED;
      if (isOrder && found.orders.size() < MAX_FACTS) {
        found.orders.add(fact);
      }
      Polynomial difference = difference(fact);
      if (difference == null) {
        continue;
      }
      if (fact.operation() != Operator.EQUAL) {
        Polynomial more = doubtful(fact);
        List<Polynomial> natural = new ArrayList<>(List.of(difference));
        Polynomial left = symbols.of(fact.left());
        if (isUnsigned(fact) && left != null) {
          natural.add(left);
        }
        if (more == null) {
          found.natural.addAll(natural);
        } else {
          found.doubts.add(new Doubt(more, natural));
        }
      } else {
        (fact.isTrue() ? found.zero : found.unequal).add(difference);
      }
    }
  }

  /** Whether numbers with a sign bit may be below what they are compared with, without a sign. */
  private static boolean isBeyondSigned(Fact fact) {
    Node left = fact.left();
    int bits = left.is(Operator.ZERO_EXTEND) ? left.input(0).bits : left.bits;
    boolean isLess =
        fact.operation() == Operator.LESS || fact.operation() == Operator.LESS_UNSIGNED;
    long most = fact.right().constant - (isLess ? 1 : 0);
    return fact.right().is(Operator.CONSTANT)
        && (fact.right().constant < 0 || (bits < Long.SIZE && most >= 1L << (bits - 1)));
  }

  private static boolean isUnsigned(Fact fact) {
    return fact.operation() == Operator.LESS_UNSIGNED
        || fact.operation() == Operator.LESS_OR_EQUAL_UNSIGNED
        || fact.left().is(Operator.ZERO_EXTEND);
  }

  /**
   * The difference of numbers of a launch that a fact compares without a sign; null if it compares
   * something else.
   */
  private @Nullable Polynomial doubtful(Fact fact) {
    Polynomial more = formulas.of(fact.right());
    boolean isDifference =
        fact.operation() != Operator.EQUAL
            && comparesWithoutSign(fact)
            && more.terms().stream().anyMatch(term -> term.coefficient() < 0)
            && more.has(id -> true);
    return isDifference ? Objects.requireNonNullElse(symbols.fixed(more), more) : null;
  }

  private boolean comparesWithoutSign(Fact fact) {
    return fact.operation() == Operator.LESS_UNSIGNED
        || fact.operation() == Operator.LESS_OR_EQUAL_UNSIGNED
        || formulas.conditions(fact.right()).stream().anyMatch(each -> each.least() == 0);
  }

  /** What a fact compares, if it compares the numbers of its formulas; otherwise null. */
  private @Nullable Polynomial difference(Fact fact) {
    for (Condition condition : formulas.conditions(fact.left())) {
      if (!symbols.isAssumed(condition)) {
        return null;
      }
    }
    for (Condition condition : formulas.conditions(fact.right())) {
      if (!symbols.isAssumed(condition)) {
        return null;
      }
    }
    if (isUnsigned(fact) && isBeyondSigned(fact)) {
      return null;
    }
    Polynomial more = formulas.of(fact.right());
    // A number below 0 is a large one without a sign.
    boolean isOfLaunch = formulas.isUniform(more) && more.has(id -> true);
    boolean mayWrap =
        comparesWithoutSign(fact) && !isOfLaunch && !symbols.signs().isPlainlyNatural(more);
    if (fact.operation() != Operator.EQUAL && mayWrap) {
      return null;
    }
    Polynomial difference = symbols.fixed(fact.difference(formulas));
    return difference == null || difference.has(id -> formulas.is(id, Operator.BASE))
        ? null
        : difference;
  }

  /** What holds in every iteration because the loop went on after the one before. */
  private void addIterations(Loop loop, Known before, Known found) {
    int latch = loop.latches.get(0);
    List<Fact> facts = new ArrayList<>(guards.along(latch, loop.header));
    for (int block = latch; block != loop.header; block = guards.origin(block)) {
      List<Integer> predecessors = graph.block(block).predecessors();
      if (predecessors.size() == 1) {
        facts.addAll(guards.along(predecessors.get(0), block));
      }
    }
    int iteration = nodes.iteration(loop.index).id;
    for (Fact fact : facts) {
      Polynomial difference = difference(fact);
      boolean isFollowed =
          difference != null
              && difference.has(id -> id == iteration)
              && !difference.has(
                  id -> id != iteration && !formulas.isInvariant(nodes.node(id), loop));
      Polynomial previous = Polynomial.of(iteration).minus(Polynomial.constant(1));
      Polynomial last =
          difference == null || previous == null || !isFollowed
              ? null
              : difference.with(iteration, previous);
      Polynomial more = doubtful(fact);
      boolean isCertain = more == null || proofs(before, more).isNatural(more);
      Polynomial holds = last == null || !isCertain ? null : held(fact, last, iteration);
      Polynomial first = holds == null ? null : first(fact, holds, iteration);
      if (holds != null
          && first != null
          && !found.isFull()
          && proofs(before, first).isNatural(first)) {
        found.natural.add(holds);
      }
    }
  }

  /** What has to be not negative for what holds in each iteration to hold in the first one. */
  private static @Nullable Polynomial first(Fact fact, Polynomial holds, int iteration) {
    Polynomial first = holds.with(iteration, Polynomial.ZERO);
    // A multiple of a number that is more than minus that number is none that is negative.
    return first == null || fact.operation() != Operator.EQUAL
        ? first
        : first.plus(Polynomial.constant(Math.abs(step(holds, iteration)) - 1));
  }

  /** What is not negative in an iteration if a fact held in the one before. */
  private @Nullable Polynomial held(Fact fact, Polynomial last, int iteration) {
    if (fact.operation() != Operator.EQUAL) {
      return last;
    }
    // A multiple of a number that is not 0 and changes by that number stays on its side.
    long step = step(last, iteration);
    if (fact.isTrue() || !symbols.isMultiple(last, Math.abs(step))) {
      return null;
    }
    Polynomial falling = step < 0 ? last : Polynomial.ZERO.minus(last);
    return falling == null ? null : falling.minus(Polynomial.constant(Math.abs(step)));
  }

  /** By how much a formula grows in each iteration; 0 if that is no number. */
  private static long step(Polynomial last, int iteration) {
    Monomial once = new Monomial(iteration);
    boolean isEven = !last.only(product -> !product.equals(once)).has(id -> id == iteration);
    return isEven ? last.coefficient(once) : 0;
  }

  private Inequalities proofs(Known before, Polynomial goal) {
    List<Polynomial> given = before.inequalities();
    List<Polynomial> all = new ArrayList<>(given);
    all.add(goal);
    ThreadPair.closure(all, symbols, given::add);
    return new Inequalities(given, symbols, UnaryOperator.identity(), budget);
  }
}
