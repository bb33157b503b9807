package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.machine.BlockBarrier;
import dev.streamfence.internal.ptx.run.machine.Collective;
import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.run.machine.Warp;
import dev.streamfence.internal.ptx.run.order.AccessMode;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.Map;

/** Barriers of a block, and fences, which order accesses and otherwise have no effect. */
final class BarrierInstructions {
  private BarrierInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("bar", BarrierInstructions::barrier);
    translators.put("barrier", BarrierInstructions::barrier);
    translators.put("membar", BarrierInstructions::fence);
    translators.put("fence", BarrierInstructions::fence);
  }

  private static Op barrier(Translation t) {
    t.has("cta");
    if (t.has("warp")) {
      return warpBarrier(t);
    }
    if (t.has("cluster")) {
      throw t.unsupported("the simulated device has no clusters");
    }
    String kind = t.anyOf("it needs .sync, .arrive or .red", "sync", "arrive", "red");
    t.has("aligned");
    return kind.equals("red") ? reduce(t) : plain(t, kind.equals("sync"));
  }

  private static Op plain(Translation t, boolean waits) {
    t.expectOperands(waits ? 1 : 2, 2);
    int number = t.source(0, ScalarType.U32);
    int threads = t.operands() > 1 ? t.source(1, ScalarType.U32) : t.function().constant(0);
    return lane -> {
      long[] r = lane.registers;
      lane.block.barrier(lane, r[number]).arrive(lane, (int) r[threads], false, false, waits);
    };
  }

  private static Op reduce(Translation t) {
    String operation = t.anyOf("it names no reduction", "popc", "and", "or");
    ScalarType type = t.type();
    t.expectOperands(3, 4);
    boolean counted = t.operands() == 4;
    int d = t.destination(0, type);
    int number = t.source(1, ScalarType.U32);
    int threads = counted ? t.source(2, ScalarType.U32) : t.function().constant(0);
    int p = t.source(counted ? 3 : 2, ScalarType.PRED);
    BlockBarrier.Result result =
        switch (operation) {
          case "and" -> (lane, trues, total) -> lane.registers[d] = trues == total ? 1 : 0;
          case "or" -> (lane, trues, total) -> lane.registers[d] = trues > 0 ? 1 : 0;
          default -> (lane, trues, total) -> lane.registers[d] = trues;
        };
    return lane -> {
      long[] r = lane.registers;
      lane.barrierResult = result;
      lane.block.barrier(lane, r[number]).arrive(lane, (int) r[threads], true, r[p] != 0, true);
    };
  }

  private static Op warpBarrier(Translation t) {
    t.has("sync");
    t.expectOperands(1, 1);
    int mask = t.source(0, ScalarType.B32);
    return new Collective("bar.warp.sync") {
      @Override
      protected int arrive(Lane lane) {
        return (int) lane.registers[mask];
      }

      @Override
      protected void complete(Warp warp, int group) {
        warp.synchronised(group);
      }
    };
  }

  private static Op fence(Translation t) {
    // "proxy" and the modifiers after it name caches that are not simulated.
    for (String modifier : t.instruction().modifiers()) {
      t.has(modifier);
    }
    boolean inBlock = AccessMode.isInBlock(t.instruction());
    return lane -> {
      if (lane.order != null) {
        lane.order.fences(inBlock);
      }
    };
  }
}
