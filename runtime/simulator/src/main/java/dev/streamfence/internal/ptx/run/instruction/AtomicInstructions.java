package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.FloatFormat;
import dev.streamfence.internal.ptx.run.arithmetic.IntegerArithmetic;
import dev.streamfence.internal.ptx.run.arithmetic.Rounding;
import dev.streamfence.internal.ptx.run.machine.LaneMemory;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.run.machine.Windows;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongBinaryOperator;

/**
 * Atomic instructions. Threads of a launch run one at a time and are never preempted inside an
 * instruction, which makes a load followed by a store atomic.
 */
final class AtomicInstructions {
  private AtomicInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("atom", t -> atomic(t, true));
    translators.put("red", t -> atomic(t, false));
  }

  private static Op atomic(Translation t, boolean returns) {
    StateSpace space = t.space().orElse(StateSpace.GENERIC);
    MemoryInstructions.takeHints(t);
    t.has("noftz");
    String name =
        t.anyOf(
            "it names no operation",
            "add",
            "min",
            "max",
            "and",
            "or",
            "xor",
            "exch",
            "cas",
            "inc",
            "dec");
    ScalarType type = t.type(each -> each.bits >= 16 && each.bits <= 64);
    int first = returns ? 1 : 0;
    boolean swaps = name.equals("cas");
    t.expectOperands(first + (swaps ? 3 : 2), first + (swaps ? 4 : 3));
    MemoryInstructions.Address address = MemoryInstructions.address(t, first, space);
    if (address.space() == StateSpace.LOCAL
        || address.space() == StateSpace.CONST
        || address.space() == StateSpace.PARAM) {
      throw t.unsupported(address.space() + " has no atomic operations");
    }
    int d = returns ? t.destination(0, type) : t.function().temporary();
    int x = t.source(first + 1, type);
    int y = swaps ? t.source(first + 2, type) : x;
    int bytes = type.bytes();
    LaneMemory.Loader loader = LaneMemory.loader(address.space());
    LaneMemory.Storer storer = LaneMemory.storer(address.space());
    if (swaps) {
      long mask = type.mask();
      return lane -> {
        long[] r = lane.registers;
        long at = address.of(lane);
        long old = loader.load(lane, at, bytes);
        if (old == (r[x] & mask)) {
          storer.store(lane, at, bytes, r[y]);
        }
        r[d] = old;
        lane.sees(at, old);
      };
    }
    LongBinaryOperator f = operation(t, name, type);
    boolean flushesGlobal = name.equals("add") && type == ScalarType.F32;
    FloatFormat single = FloatFormat.of(ScalarType.F32);
    return lane -> {
      long[] r = lane.registers;
      long at = address.of(lane);
      long old = loader.load(lane, at, bytes);
      long result;
      if (flushesGlobal && isGlobal(address.space(), at)) {
        // On devices, additions in global memory flush subnormal numbers.
        result = single.flush(f.applyAsLong(single.flush(old), single.flush(r[x])));
      } else {
        result = f.applyAsLong(old, r[x]);
      }
      storer.store(lane, at, bytes, result);
      r[d] = old;
      if (returns) {
        lane.sees(at, old);
      }
    };
  }

  private static boolean isGlobal(StateSpace space, long address) {
    return space == StateSpace.GLOBAL
        || (space == StateSpace.GENERIC && Windows.spaceOf(address) == StateSpace.GLOBAL);
  }

  private static LongBinaryOperator operation(Translation t, String name, ScalarType type) {
    Optional<LongBinaryOperator> found =
        type.isFloat() ? ofFloats(name, type) : ofIntegers(name, type);
    return found.orElseThrow(() -> t.unsupported("." + name + " does not work on " + type));
  }

  private static Optional<LongBinaryOperator> ofFloats(String name, ScalarType type) {
    FloatInstructions.Form form = new FloatInstructions.Form(type, false, false, false);
    FloatFormat format = form.format();
    return switch (name) {
      case "add" ->
          Optional.of(form.wrap((LongBinaryOperator) (a, b) -> format.add(a, b, Rounding.NEAREST)));
      case "exch" -> Optional.of((a, b) -> b);
      default -> Optional.empty();
    };
  }

  private static Optional<LongBinaryOperator> ofIntegers(String name, ScalarType type) {
    long mask = type.mask();
    return switch (name) {
      case "add" -> Optional.of(IntegerArithmetic.add(type));
      case "min" -> Optional.of(IntegerArithmetic.extremum(type, true));
      case "max" -> Optional.of(IntegerArithmetic.extremum(type, false));
      case "and" -> Optional.of((a, b) -> a & b);
      case "or" -> Optional.of((a, b) -> a | b);
      case "xor" -> Optional.of((a, b) -> a ^ b);
      case "exch" -> Optional.of((a, b) -> b);
      case "inc" ->
          Optional.of((a, b) -> Long.compareUnsigned(a & mask, b & mask) >= 0 ? 0 : a + 1);
      case "dec" ->
          Optional.of(
              (a, b) ->
                  (a & mask) == 0 || Long.compareUnsigned(a & mask, b & mask) > 0 ? b : a - 1);
      default -> Optional.empty();
    };
  }
}
