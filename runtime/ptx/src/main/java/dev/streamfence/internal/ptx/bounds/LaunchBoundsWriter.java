package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.bounds.WitnessPlan.Check;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.End;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.Followed;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.Growth;
import dev.streamfence.internal.ptx.bounds.WitnessPlan.Target;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/**
 * Writes for {@link LaunchBoundsReader} what launches certainly touch, with the values that this
 * needs alone. What limits the elements that a launch may touch is left out: only launches that
 * require a proof ask for it. Confined to one thread, used once.
 */
public final class LaunchBoundsWriter {
  /** Which parts a value has; most have none. */
  static final int HAS_GATE = 1;

  static final int IN_LOOP = 2;
  static final int HAS_ADDRESS = 4;
  static final int GROWS = 8;
  static final int ANY_PART = HAS_GATE | IN_LOOP | HAS_ADDRESS | GROWS;

  private final LaunchBounds bounds;
  private final NumberWriter out;

  private LaunchBoundsWriter(LaunchBounds bounds, NumberWriter out) {
    this.bounds = bounds;
    this.out = out;
  }

  /** Writes bounds. */
  public static void write(LaunchBounds bounds, NumberWriter out) {
    new LaunchBoundsWriter(bounds, out).write();
  }

  private void write() {
    out.list(
        bounds.arguments(),
        place -> {
          out.add(place.parameter());
          out.add(place.offset());
          out.add(place.bytes());
        });
    out.optional(bounds.isChecked() ? bounds.plan() : null, plan -> new Values(plan).write());
  }

  /** The values of a plan that its accesses need, by new numbers without gaps. */
  private final class Values {
    private final WitnessPlan plan;
    private final BitSet needed = new BitSet();
    private final BitSet loops = new BitSet();
    private final Deque<Integer> waiting = new ArrayDeque<>();
    private final int[] numbers;
    private final List<Witness.Choice> choices =
        bounds.arrays().stream()
            .flatMap(array -> array.followed().stream())
            .flatMap(followed -> followed.choices().stream())
            .distinct()
            .toList();

    /** Most accesses of a kernel are followed by the same. */
    private final List<List<Target>> targets =
        bounds.arrays().stream()
            .flatMap(array -> array.followed().stream())
            .map(Followed::targets)
            .distinct()
            .toList();

    private List<Operator> operators = List.of();

    Values(WitnessPlan plan) {
      this.plan = plan;
      this.numbers = new int[plan.nodes()];
      bounds.arrays().forEach(array -> array.followed().forEach(this::need));
      while (!waiting.isEmpty()) {
        needMore(plan.node(waiting.remove()));
      }
      int next = 0;
      for (int id = needed.nextSetBit(0); id >= 0; id = needed.nextSetBit(id + 1)) {
        numbers[id] = next++;
      }
    }

    private void need(Followed followed) {
      followed.conditions().forEach(way -> need(way.predicate().id));
      need(followed.address().id);
      followed.loops().forEach(this::needEnd);
      for (Target target : followed.targets()) {
        need(target.rest());
        need(target.perBlock());
        need(target.perThread());
        CompiledSum perIteration = target.perIteration();
        if (perIteration != null) {
          need(perIteration);
        }
      }
    }

    private void need(int id) {
      if (!needed.get(id)) {
        needed.set(id);
        waiting.add(id);
      }
    }

    private void need(CompiledSum sum) {
      for (int i = 0; i < sum.terms(); i++) {
        for (int factor : sum.factors(i)) {
          need(factor);
        }
      }
    }

    /** Of a loop's phi the value before the loop: its growth says the rest. */
    private List<Node> inputs(Node node) {
      return plan.loopOf(node) >= 0 ? node.inputs.subList(0, 1) : node.inputs;
    }

    private void needMore(Node node) {
      inputs(node).forEach(input -> need(input.id));
      Node gate = node.gate;
      if (gate != null) {
        need(gate.id);
      }
      if (node.is(Operator.ITERATION)) {
        needEnd((int) node.constant);
      }
      if (plan.loopOf(node) >= 0) {
        needEnd(plan.loopOf(node));
      }
      Growth growth = plan.growth(node);
      if (growth != null) {
        need(growth.step());
        growth.checks().forEach(check -> need(check.value()));
      }
    }

    private void needEnd(int loop) {
      loops.set(loop);
      End end = plan.end(loop);
      if (end != null) {
        need(end.first());
        need(end.step());
        end.checks().forEach(check -> need(check.value()));
      }
    }

    void write() {
      operators = needed.stream().mapToObj(id -> plan.node(id).operation).distinct().toList();
      out.list(operators, operator -> out.add(operator.name()));
      out.list(choices, choice -> out.add(choice.name()));
      out.add(needed.cardinality());
      needed.stream().forEach(id -> write(plan.node(id)));
      out.add(plan.loops());
      for (int i = 0; i < plan.loops(); i++) {
        out.optional(
            loops.get(i) ? plan.end(i) : null,
            end -> {
              write(end.first());
              write(end.step());
              out.add(end.untilZero());
              write(end.checks());
            });
      }
      out.list(targets, list -> out.list(list, this::write));
      out.list(bounds.arrays(), array -> out.list(array.followed(), this::write));
    }

    private void write(Node node) {
      out.add(operators.indexOf(node.operation));
      out.add(node.bits - 1);
      out.add(node.constant);
      out.list(inputs(node), input -> out.add(numbers[input.id]));
      Node gate = node.gate;
      int loop = plan.loopOf(node);
      Growth growth = plan.growth(node);
      out.add(
          (gate == null ? 0 : HAS_GATE)
              | (loop < 0 ? 0 : IN_LOOP)
              | (plan.hasAddress(node) ? HAS_ADDRESS : 0)
              | (growth == null ? 0 : GROWS));
      if (gate != null) {
        out.add(numbers[gate.id]);
      }
      if (loop >= 0) {
        out.add(loop);
      }
      if (growth != null) {
        write(growth.step());
        write(growth.checks());
      }
    }

    private void write(Target target) {
      out.add(target.dimension());
      write(target.rest());
      write(target.perBlock());
      write(target.perThread());
      out.optional(target.perIteration(), this::write);
    }

    private void write(CompiledSum sum) {
      out.add(sum.terms());
      for (int i = 0; i < sum.terms(); i++) {
        out.add(sum.coefficient(i));
        int[] factors = sum.factors(i);
        out.add(factors.length);
        for (int factor : factors) {
          out.add(numbers[factor]);
        }
      }
    }

    private void write(List<Check> checks) {
      out.list(
          checks,
          check -> {
            write(check.value());
            out.add(check.least());
            out.add(check.most());
          });
    }

    private void write(Followed followed) {
      ReachedAccess access = followed.access();
      out.add(access.line());
      out.add(access.place());
      out.add(access.writes());
      out.list(access.arguments(), out::add);
      out.add(followed.width());
      out.list(
          followed.conditions(),
          way -> {
            out.add(numbers[way.predicate().id]);
            out.add(way.holds());
          });
      out.list(followed.loops(), out::add);
      out.add(numbers[followed.address().id]);
      out.add(targets.indexOf(followed.targets()));
      out.list(followed.choices(), choice -> out.add(choices.indexOf(choice)));
    }
  }
}
