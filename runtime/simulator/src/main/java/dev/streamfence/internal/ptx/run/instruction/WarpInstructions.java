package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.IntegerArithmetic;
import dev.streamfence.internal.ptx.run.machine.Collective;
import dev.streamfence.internal.ptx.run.machine.Convergence;
import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.run.machine.Warp;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Map;
import java.util.function.LongBinaryOperator;

/** Instructions by which the lanes of a warp exchange values, vote, match and reduce. */
final class WarpInstructions {
  private static final long LOW_32 = 0xFFFF_FFFFL;

  private WarpInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("shfl", WarpInstructions::shuffle);
    translators.put("vote", WarpInstructions::vote);
    translators.put("match", WarpInstructions::match);
    translators.put("redux", WarpInstructions::reduce);
    translators.put("activemask", WarpInstructions::activeMask);
    translators.put("elect", WarpInstructions::elect);
  }

  /** Delivers the results to a lane of a group. */
  @FunctionalInterface
  private interface Delivery {
    void deliver(Warp warp, int group, Lane lane);
  }

  /** A collective in which each lane gets its own result from the inputs of all lanes. */
  private static final class Exchange extends Collective {
    private final int mask;
    private final int value;
    private final int control;
    private final int bound;
    private final Delivery delivery;

    Exchange(Object key, int mask, int value, int control, int bound, Delivery delivery) {
      super(key);
      this.mask = mask;
      this.value = value;
      this.control = control;
      this.bound = bound;
      this.delivery = delivery;
    }

    @Override
    protected int arrive(Lane lane) {
      bring(lane);
      return (int) lane.registers[mask];
    }

    private void bring(Lane lane) {
      long[] r = lane.registers;
      lane.waitValue = r[value];
      lane.waitControl = r[control];
      lane.waitBound = r[bound];
    }

    @Override
    protected void complete(Warp warp, int group) {
      for (int rest = group; rest != 0; rest &= rest - 1) {
        Lane lane = warp.lanes[Integer.numberOfTrailingZeros(rest)];
        // Each lane's own step knows the destination of its results.
        if (lane.waitingIn instanceof Exchange own) {
          own.delivery.deliver(warp, group, lane);
        }
      }
    }

    /** Returns the step for instructions that have no member mask. */
    Convergence unmasked() {
      return new Convergence(
          this::bring,
          (warp, group) -> {
            for (int rest = group; rest != 0; rest &= rest - 1) {
              Lane lane = warp.lanes[Integer.numberOfTrailingZeros(rest)];
              delivery.deliver(warp, group, lane);
            }
          });
    }
  }

  private static int first(Translation t, ScalarType type) {
    return t.operand(0) instanceof Operand.Pair pair
        ? t.function().destination(t, pair.first(), type)
        : t.destination(0, type);
  }

  /** Returns the slot of the predicate after the bar; without one, a slot that is never read. */
  private static int second(Translation t) {
    return t.operand(0) instanceof Operand.Pair pair
        ? t.function().destination(t, pair.second(), ScalarType.PRED)
        : t.function().temporary();
  }

  private static Op shuffle(Translation t) {
    boolean sync = t.has("sync");
    String mode = t.anyOf("it has no mode", "up", "down", "bfly", "idx");
    ScalarType type = t.type();
    t.expectOperands(sync ? 5 : 4, sync ? 5 : 4);
    int d = first(t, type);
    int p = second(t);
    int value = t.source(1, type);
    int control = t.source(2, ScalarType.B32);
    int bound = t.source(3, ScalarType.B32);
    int mask = sync ? t.source(4, ScalarType.B32) : t.function().constant(LOW_32);
    Delivery delivery =
        (warp, group, lane) -> {
          int j = sourceLane(mode, lane);
          boolean inRange = j >= 0;
          // The value of a lane outside the group is undefined; here it is the reading lane's own
          // value.
          Lane from = inRange && (group >> j & 1) != 0 ? warp.lanes[j] : lane;
          long[] r = lane.registers;
          r[d] = from.waitValue;
          r[p] = inRange ? 1 : 0;
        };
    Exchange exchange = new Exchange("shfl." + mode, mask, value, control, bound, delivery);
    return sync ? exchange : exchange.unmasked();
  }

  /** Returns the lane that a shuffle reads from, or -1 if it is out of range. */
  private static int sourceLane(String mode, Lane lane) {
    int index = lane.laneIndex;
    int b = (int) lane.waitControl & 31;
    int clamp = (int) lane.waitBound & 31;
    int segment = (int) lane.waitBound >> 8 & 31;
    int most = (index & segment) | (clamp & ~segment);
    int j;
    boolean inRange;
    switch (mode) {
      case "up" -> {
        j = index - b;
        inRange = j >= most;
      }
      case "down" -> {
        j = index + b;
        inRange = j <= most;
      }
      case "bfly" -> {
        j = index ^ b;
        inRange = j <= most;
      }
      default -> {
        j = (index & segment) | (b & ~segment);
        inRange = j <= most;
      }
    }
    return inRange ? j : -1;
  }

  private static Op vote(Translation t) {
    boolean sync = t.has("sync");
    String mode = t.anyOf("it names no vote", "all", "any", "uni", "ballot");
    ScalarType type = t.type();
    t.expectOperands(sync ? 3 : 2, sync ? 3 : 2);
    int d = t.destination(0, type);
    int p = t.source(1, ScalarType.PRED);
    int mask = sync ? t.source(2, ScalarType.B32) : t.function().constant(LOW_32);
    Delivery delivery =
        (warp, group, lane) -> {
          int trues = 0;
          for (int rest = group; rest != 0; rest &= rest - 1) {
            int i = Integer.numberOfTrailingZeros(rest);
            trues |= warp.lanes[i].waitValue != 0 ? 1 << i : 0;
          }
          lane.registers[d] =
              switch (mode) {
                case "all" -> trues == group ? 1 : 0;
                case "any" -> trues != 0 ? 1 : 0;
                case "uni" -> trues == group || trues == 0 ? 1 : 0;
                default -> trues & LOW_32;
              };
        };
    Exchange exchange = new Exchange("vote." + mode, mask, p, p, p, delivery);
    return sync ? exchange : exchange.unmasked();
  }

  private static Op match(Translation t) {
    boolean all = t.anyOf("it needs .any or .all", "any", "all").equals("all");
    requireSync(t);
    ScalarType type = t.type();
    t.expectOperands(3, 3);
    int d = first(t, ScalarType.B32);
    int p = second(t);
    int value = t.source(1, type);
    int mask = t.source(2, ScalarType.B32);
    Delivery delivery =
        (warp, group, lane) -> {
          int same = 0;
          for (int rest = group; rest != 0; rest &= rest - 1) {
            int i = Integer.numberOfTrailingZeros(rest);
            same |= warp.lanes[i].waitValue == lane.waitValue ? 1 << i : 0;
          }
          boolean agreed = same == group;
          lane.registers[p] = agreed ? 1 : 0;
          lane.registers[d] = (all && !agreed ? 0 : same) & LOW_32;
        };
    return new Exchange("match." + (all ? "all" : "any"), mask, value, value, value, delivery);
  }

  private static void requireSync(Translation t) {
    if (!t.has("sync")) {
      throw t.unsupported("it needs .sync");
    }
  }

  private static Op reduce(Translation t) {
    requireSync(t);
    String name = t.anyOf("it names no operation", "add", "min", "max", "and", "or", "xor");
    ScalarType type = t.type(each -> each.bits == 32 && !each.isFloat());
    t.expectOperands(3, 3);
    int d = t.destination(0, type);
    int value = t.source(1, type);
    int mask = t.source(2, ScalarType.B32);
    LongBinaryOperator f =
        switch (name) {
          case "add" -> IntegerArithmetic.add(type);
          case "min" -> IntegerArithmetic.extremum(type, true);
          case "max" -> IntegerArithmetic.extremum(type, false);
          case "and" -> (a, b) -> a & b;
          case "or" -> (a, b) -> a | b;
          default -> (a, b) -> a ^ b;
        };
    Delivery delivery =
        (warp, group, lane) -> {
          int rest = group;
          long result = warp.lanes[Integer.numberOfTrailingZeros(rest)].waitValue;
          for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
            int i = Integer.numberOfTrailingZeros(rest);
            result = f.applyAsLong(result, warp.lanes[i].waitValue);
          }
          lane.registers[d] = result;
        };
    return new Exchange("redux." + name + type, mask, value, value, value, delivery);
  }

  private static Op activeMask(Translation t) {
    t.type();
    t.expectOperands(1, 1);
    int d = t.destination(0, ScalarType.B32);
    int none = t.function().constant(0);
    Delivery delivery = (warp, group, lane) -> lane.registers[d] = group & LOW_32;
    return new Exchange("activemask", none, none, none, none, delivery).unmasked();
  }

  private static Op elect(Translation t) {
    requireSync(t);
    t.expectOperands(2, 2);
    int d = first(t, ScalarType.B32);
    int p = second(t);
    int mask = t.source(1, ScalarType.B32);
    Delivery delivery =
        (warp, group, lane) -> {
          int leader = Integer.numberOfTrailingZeros(group);
          lane.registers[d] = leader;
          lane.registers[p] = lane.laneIndex == leader ? 1 : 0;
        };
    return new Exchange("elect", mask, mask, mask, mask, delivery);
  }
}
