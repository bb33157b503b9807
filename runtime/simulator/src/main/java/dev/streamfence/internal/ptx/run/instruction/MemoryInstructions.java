package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.IntegerArithmetic;
import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.run.machine.LaneMemory;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.run.order.AccessMode;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.List;
import java.util.Map;

/** Loads, stores, copies and the hints about them. */
final class MemoryInstructions {
  private MemoryInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("ld", MemoryInstructions::load);
    translators.put("ldu", MemoryInstructions::load);
    translators.put("st", MemoryInstructions::store);
    translators.put("cp", MemoryInstructions::copy);
    for (String hint : List.of("prefetch", "prefetchu", "discard", "applypriority")) {
      translators.put(hint, MemoryInstructions::hint);
    }
  }

  /** Where an access goes: the sum of a slot and an offset, in a state space. */
  record Address(StateSpace space, int slot, long offset) {
    long of(Lane lane) {
      return lane.registers[slot] + offset;
    }
  }

  /** Returns the address in an operand; without a space, a variable's own is meant. */
  static Address address(Translation t, int index, StateSpace space) {
    if (!(t.operand(index) instanceof Operand.Memory memory)) {
      throw t.unsupported("operand " + (index + 1) + " is not an address in brackets");
    }
    StateSpace meant = space;
    int slot;
    if (memory.base() instanceof Operand.RegisterUse use) {
      if (use.register().type().bits < 32) {
        throw t.unsupported(use.register().name() + " is too narrow for an address");
      }
      slot = t.function().source(t, use, use.register().type());
    } else if (memory.base() instanceof Operand.VariableAddress variable) {
      slot = t.function().address(t, variable);
      if (space == StateSpace.GENERIC) {
        meant = variable.variable().space();
      }
    } else {
      slot = t.function().source(t, memory.base(), ScalarType.B64);
    }
    return new Address(meant, slot, memory.offset());
  }

  /** Takes modifiers that order accesses, scope them or advise caches: none matter here. */
  static void takeHints(Translation t) {
    t.has("mmio");
    t.oneOf("weak", "volatile", "relaxed", "acquire", "release", "acq_rel");
    t.oneOf("cta", "cluster", "gpu", "sys");
    t.oneOf("ca", "cg", "cs", "lu", "cv", "wb", "wt");
    t.has("nc");
    t.has("unified");
    while (t.startingWith("L1::").isPresent() || t.startingWith("L2::").isPresent()) {
      // Each names a treatment of lines by a cache that is not simulated.
    }
  }

  private static int vectorLength(Translation t) {
    return t.oneOf("v2", "v4", "v8").map(v -> v.charAt(1) - '0').orElse(1);
  }

  private static ScalarType elementType(Translation t, int length) {
    ScalarType type = t.type();
    if (type.bits < 8 || type.bits > 64 || type.bytes() * length > 32) {
      throw t.unsupported("it cannot move " + length + " of " + type);
    }
    return type;
  }

  private static Op load(Translation t) {
    StateSpace space = t.space().orElse(StateSpace.GENERIC);
    takeHints(t);
    int length = vectorLength(t);
    ScalarType type = elementType(t, length);
    t.expectOperands(2, 3);
    Address address = address(t, 1, space);
    LaneMemory.Loader loader = LaneMemory.loader(address.space());
    List<Operand> parts = parts(t, 0, length);
    int[] d = new int[length];
    long[] masks = new long[length];
    for (int i = 0; i < length; i++) {
      d[i] = t.function().destination(t, parts.get(i), type);
      int width = FunctionTranslator.width(parts.get(i));
      masks[i] = width == 64 ? -1L : (1L << width) - 1;
    }
    int bytes = type.bytes();
    int slot = address.slot();
    long offset = address.offset();
    if (length == 1 && AccessMode.isStrong(t.instruction())) {
      int only = d[0];
      long mask = masks[0];
      return lane -> {
        long[] r = lane.registers;
        long at = r[slot] + offset;
        long value = loader.load(lane, at, bytes);
        r[only] = IntegerArithmetic.extend(value, type) & mask;
        lane.sees(at, value);
      };
    }
    if (length == 1 && !type.isSigned()) {
      int only = d[0];
      return lane -> {
        long[] r = lane.registers;
        r[only] = loader.load(lane, r[slot] + offset, bytes);
      };
    }
    int total = bytes * length;
    return lane -> {
      long[] r = lane.registers;
      long at = r[slot] + offset;
      LaneMemory.checkAligned(lane, at, total);
      for (int i = 0; i < length; i++) {
        long value = loader.load(lane, at + (long) i * bytes, bytes);
        r[d[i]] = IntegerArithmetic.extend(value, type) & masks[i];
      }
    };
  }

  private static List<Operand> parts(Translation t, int index, int length) {
    List<Operand> parts = t.operand(index).parts();
    if (parts.size() != length) {
      throw t.unsupported("it has " + parts.size() + " registers for " + length + " elements");
    }
    return parts;
  }

  private static Op store(Translation t) {
    StateSpace space = t.space().orElse(StateSpace.GENERIC);
    takeHints(t);
    int length = vectorLength(t);
    ScalarType type = elementType(t, length);
    t.expectOperands(2, 3);
    Address address = address(t, 0, space);
    LaneMemory.Storer storer = LaneMemory.storer(address.space());
    List<Operand> parts = parts(t, 1, length);
    int[] x = new int[length];
    for (int i = 0; i < length; i++) {
      x[i] = t.function().source(t, parts.get(i), type);
    }
    int bytes = type.bytes();
    int slot = address.slot();
    long offset = address.offset();
    if (length == 1) {
      int only = x[0];
      return lane -> {
        long[] r = lane.registers;
        storer.store(lane, r[slot] + offset, bytes, r[only]);
      };
    }
    int total = bytes * length;
    return lane -> {
      long[] r = lane.registers;
      long at = r[slot] + offset;
      LaneMemory.checkAligned(lane, at, total);
      for (int i = 0; i < length; i++) {
        storer.store(lane, at + (long) i * bytes, bytes, r[x[i]]);
      }
    };
  }

  private static Op hint(Translation t) {
    StateSpace space = t.space().orElse(StateSpace.GENERIC);
    t.oneOf("L1", "L2");
    takeHints(t);
    t.has("tensormap");
    address(t, 0, space);
    return lane -> {};
  }

  private static Op copy(Translation t) {
    if (!t.has("async")) {
      throw t.unsupported("the simulated device has no such copy");
    }
    if (t.has("commit_group")) {
      return lane -> lane.copies().commit();
    }
    if (t.has("wait_all")) {
      return lane -> lane.copies().awaitAll();
    }
    if (t.has("wait_group")) {
      t.expectOperands(1, 1);
      int latest = t.constant(0);
      return lane -> lane.copies().awaitGroups(latest);
    }
    t.oneOf("ca", "cg");
    if (!t.has("shared") && !t.has("shared::cta")) {
      throw t.unsupported("the simulated device has no such copy");
    }
    if (!t.has("global")) {
      throw t.unsupported("the simulated device has no such copy");
    }
    takeHints(t);
    t.expectOperands(3, 5);
    Address to = address(t, 0, StateSpace.SHARED);
    Address from = address(t, 1, StateSpace.GLOBAL);
    int size = t.constant(2);
    if (size != 4 && size != 8 && size != 16) {
      throw t.unsupported("it copies 4, 8 or 16 bytes");
    }
    int given = t.operands() > 3 ? t.source(3, ScalarType.B32) : t.function().constant(size);
    LaneMemory.Loader loader = LaneMemory.loader(StateSpace.GLOBAL);
    LaneMemory.Storer storer = LaneMemory.storer(StateSpace.SHARED);
    return lane -> {
      long source = from.of(lane);
      long target = to.of(lane);
      LaneMemory.checkAligned(lane, source, size);
      LaneMemory.checkAligned(lane, target, size);
      long available = lane.registers[given];
      // Whole words, as devices do: the order of threads is known for each word.
      int unit = available % Integer.BYTES == 0 ? Integer.BYTES : 1;
      // The device may make it at once, or as late as the thread waits for it.
      for (int i = 0; i < size; i += unit) {
        if (i < available) {
          loader.load(lane, source + i, unit);
        }
        LaneMemory.beginsStoreToShared(lane, target + i, unit);
      }
      lane.copies()
          .add(
              later -> {
                for (int i = 0; i < size; i += unit) {
                  long value = i < available ? loader.load(later, source + i, unit) : 0;
                  storer.store(later, target + i, unit, value);
                }
              });
    };
  }
}
