// Long because the search for a proof and the proof share what a loop carries.
package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Guards;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Between which numbers the values lie that a loop carries from one iteration to the next, other
 * than those that grow evenly: the two ends of a binary search, an index that follows a list, a
 * distance that is halved.
 *
 * <p>The proof is an induction, for all values of a loop that need each other: a range that has
 * their first values is assumed of them, and if what one iteration makes of them lies in it, it has
 * them in each iteration. The code decides which range is tried, and the launch whether the proof
 * holds. Where an iteration limits a value whatever it was before, nothing needs to be assumed.
 * Confined to one thread.
 */
final class CarriedValues {
  /** How many values that need each other are followed: a merge has two or three. */
  private static final int MOST_TOGETHER = 4;

  /**
   * The steps of a program after which no further ranges are tried: a search takes some hundreds,
   * and what follows needs room as well.
   */
  private static final int MOST_STEPS = 8_000;

  /**
   * Values of a loop that need each other.
   *
   * @param first for each, the steps of what it is without the others: its first value first
   */
  private record Together(Loop loop, List<Node> values, List<int[]> first) {
    int latch() {
      return loop.latches.get(0);
    }
  }

  private final ControlGraph graph;
  private final Guards guards;
  private final Formulas formulas;
  private final RangeProgram program;
  private final List<LaunchNumbers> launches;
  private final List<RangeProgram.Results> results;

  /** The phis of each loop's header, by what the next iteration has in their place. */
  private final Map<Integer, Map<Node, Node>> byNext = new HashMap<>();

  /** Values that are too long a formula, which are not tried again. */
  private final Set<Node> tooLong = new HashSet<>();

  /**
   * Creates the values of a kernel.
   *
   * @param arguments the numbers that its launches pass
   */
  CarriedValues(
      NodeGraph nodes,
      ControlGraph graph,
      Guards guards,
      Formulas formulas,
      RangeProgram program,
      List<NumberPlace> arguments) {
    for (int id = 0; id < nodes.size(); id++) {
      Node node = nodes.node(id);
      if (node.isCarried && node.inputs.size() == 2) {
        byNext.computeIfAbsent(node.block, block -> new HashMap<>()).put(node.input(1), node);
      }
    }
    this.graph = graph;
    this.guards = guards;
    this.formulas = formulas;
    this.program = program;
    this.launches = TriedLaunch.alike(arguments);
    this.results = launches.stream().map(launch -> new RangeProgram.Results(program)).toList();
  }

  /** The phi in whose place the next iteration has a value; null if there is none. */
  @Nullable Node phi(Node next, Loop loop) {
    return byNext.getOrDefault(loop.header, Map.of()).get(next);
  }

  /** Whether a value is one that a loop carries and that does not grow evenly. */
  boolean isCarried(Node value) {
    return value.isCarried && value.inputs.size() == 2 && formulas.step(value) == null;
  }

  /**
   * The steps between whose numbers a value lies, and those that need it; none if they are not
   * followed.
   *
   * @param ranges what is known of them where nothing is assumed
   */
  Map<Node, Integer> ranges(Node value, Ranges ranges) {
    if (!isCarried(value) || program.size() >= MOST_STEPS || tooLong.contains(value)) {
      return Map.of();
    }
    int limit = program.limit(MOST_STEPS);
    try {
      return tried(value, ranges);
    } catch (TooComplexException e) {
      // What guards say of any value may still be enough.
      tooLong.add(value);
      return Map.of();
    } finally {
      program.limit(limit);
    }
  }

  private Map<Node, Integer> tried(Node value, Ranges ranges) {
    Loop loop = graph.loop(value.block);
    if (loop == null || loop.header != value.block) {
      return Map.of();
    }
    List<Node> values = together(value);
    List<Integer> before = new ArrayList<>(graph.block(loop.header).predecessors());
    before.removeAll(loop.latches);
    if (values.size() > MOST_TOGETHER || before.size() != 1 || loop.latches.size() != 1) {
      return Map.of();
    }
    int entry = before.get(0);
    Context context = ranges.with(ranges.at(entry), guards.along(entry, loop.header));
    Set<Node> computed = computedFrom(values);
    Together together =
        new Together(
            loop,
            values,
            values.stream().map(each -> first(each, computed, ranges, context)).toList());
    int[] all = together.first().stream().flatMapToInt(Arrays::stream).toArray();
    if (!areLimited(all)) {
      return Map.of();
    }
    Map<Node, Integer> ends = new LinkedHashMap<>();
    for (int i = 0; i < values.size(); i++) {
      int[] own = together.first().get(i);
      ends.put(
          values.get(i), program.add(new RangeProgram.Ends(own, all, direction(values.get(i)))));
    }
    Map<Node, Integer> proved = new HashMap<>();
    if (!prove(together, ends, ranges, proved)) {
      prove(together, open(together), ranges, proved);
    }
    values.forEach(each -> proved.computeIfAbsent(each, ranges::any));
    return proved;
  }

  /**
   * The steps of what a value is without the values that need each other: its first value first.
   */
  private int[] first(Node value, Set<Node> computed, Ranges ranges, Context context) {
    return Stream.concat(
            Stream.of(value.input(0)),
            choices(value.input(1)).stream().filter(each -> !computed.contains(each)))
        .mapToInt(each -> ranges.choice(value, each, context))
        .toArray();
  }

  /** Ranges without an end above, which an iteration may limit whatever a value was before. */
  private Map<Node, Integer> open(Together together) {
    Map<Node, Integer> open = new LinkedHashMap<>();
    for (int i = 0; i < together.values().size(); i++) {
      Node value = together.values().get(i);
      long most = OperationRange.most(value.bits, false);
      int any = program.add(new RangeProgram.Fixed(0, most, true, true));
      open.put(value, hull(together.first().get(i), any));
    }
    return open;
  }

  /**
   * Tries ranges.
   *
   * @param proved gets what is left of them if the proof holds in some launch
   * @return whether it holds in all launches that are tried
   */
  private boolean prove(
      Together together, Map<Node, Integer> assumed, Ranges ranges, Map<Node, Integer> proved) {
    Ranges under = ranges.under(assumed);
    Context end =
        under.with(
            under.at(together.latch()), guards.along(together.latch(), together.loop().header));
    int[] next =
        assumed.keySet().stream()
            .mapToInt(value -> under.choice(value, value.input(1), end))
            .toArray();
    if (!areLimited(next)) {
      return false;
    }
    int[] steps = assumed.values().stream().mapToInt(Integer::intValue).toArray();
    int[] closed = {program.add(new RangeProgram.Inside(next, steps))};
    int held = held(closed[0]);
    for (int i = 0; i < next.length && held > 0; i++) {
      Node value = together.values().get(i);
      int range = hull(together.first().get(i), next[i]);
      long least = OperationRange.least(value.bits, false);
      long most = OperationRange.most(value.bits, false);
      int checked = program.add(new RangeProgram.Checked(range, least, most, closed, true, true));
      proved.merge(
          value,
          checked,
          (one, other) -> program.add(new RangeProgram.Both(one, other, true, true)));
    }
    return held == launches.size();
  }

  /** A range that has what some steps have, and what one more has. */
  private int hull(int[] steps, int more) {
    int[] parts = Arrays.copyOf(steps, steps.length + 1);
    parts[steps.length] = more;
    return program.add(new RangeProgram.Hull(parts, true, true));
  }

  /** In how many launches that are tried a step is 1. */
  private int held(int step) {
    int held = 0;
    for (int i = 0; i < results.size(); i++) {
      program.goOn(launches.get(i), results.get(i));
      held += results.get(i).low[step] == 1 ? 1 : 0;
    }
    return held;
  }

  private boolean areLimited(int[] steps) {
    return Arrays.stream(steps)
        .mapToObj(program::step)
        .allMatch(step -> step.hasLow() && step.hasHigh());
  }

  /** A value, and those of its loop that the next one of it is computed from. */
  private List<Node> together(Node value) {
    List<Node> reached =
        Node.reached(
            List.of(value),
            node -> !node.isCarried || (node.block == value.block && isCarried(node)));
    return reached.stream()
        .filter(node -> node.block == value.block && isCarried(node) && node.bits > 1)
        .sorted(Comparator.comparingInt(node -> node.id))
        .toList();
  }

  /** The values of which a value is one, and which are no choices themselves. */
  private static Set<Node> choices(Node value) {
    Set<Node> seen = new HashSet<>();
    Set<Node> found = new LinkedHashSet<>();
    Deque<Node> open = new ArrayDeque<>(List.of(value));
    while (!open.isEmpty()) {
      Node next = open.pop();
      boolean isChoice = next.is(Operator.SELECT) || (next.is(Operator.PHI) && !next.isCarried);
      if (isChoice && seen.add(next)) {
        Formulas.choices(next).forEach(open::push);
      } else if (!isChoice) {
        found.add(next);
      }
    }
    return found;
  }

  /** Some values, and what their next ones need that is computed from them. */
  private static Set<Node> computedFrom(List<Node> values) {
    Map<Node, List<Node>> users = new HashMap<>();
    for (Node node : Node.reached(values, each -> true)) {
      for (Node input : node.inputs) {
        users.computeIfAbsent(input, key -> new ArrayList<>()).add(node);
      }
    }
    Set<Node> found = new HashSet<>();
    Deque<Node> open = new ArrayDeque<>(values);
    while (!open.isEmpty()) {
      Node next = open.pop();
      if (found.add(next)) {
        open.addAll(users.getOrDefault(next, List.of()));
      }
    }
    return found;
  }

  /** 1 if an iteration may leave a number that is one more than another one, -1 if one less. */
  private static int direction(Node value) {
    for (Node choice : choices(value.input(1))) {
      boolean isSum = choice.is(Operator.ADD) || choice.is(Operator.SUBTRACT);
      long by = isSum && choice.input(1).is(Operator.CONSTANT) ? choice.input(1).constant : 0;
      if (Math.abs(by) == 1) {
        return (int) (choice.is(Operator.ADD) ? by : -by);
      }
    }
    return 0;
  }
}
