package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;
import dev.streamfence.internal.ptx.syntax.Label;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.List;
import java.util.Map;

/** Branches, returns, traps, and instructions that do nothing here. */
final class ControlInstructions {
  private ControlInstructions() {}

  static void addTo(Map<String, InstructionSet.Translator> translators) {
    translators.put("bra", ControlInstructions::branch);
    translators.put("brx", ControlInstructions::indexedBranch);
    translators.put("call", CallTranslator::translate);
    translators.put("ret", t -> plain(t, Lane::leave));
    translators.put("exit", t -> plain(t, Lane::exit));
    translators.put("trap", t -> plain(t, ControlInstructions::trap));
    translators.put("brkpt", t -> plain(t, lane -> stop(lane, "comes to a breakpoint")));
    translators.put("nanosleep", ControlInstructions::sleep);
    translators.put("griddepcontrol", ControlInstructions::dependencyControl);
    translators.put("pmevent", ControlInstructions::event);
  }

  private static Op plain(Translation t, Op op) {
    t.has("uni");
    t.expectOperands(0, 0);
    return op;
  }

  /** Traps, as the code for a grid's synchronisation does if it finds no workspace. */
  private static void trap(Lane lane) {
    boolean wantsToMeet = lane.block.workspace == 0 && lane.block.askedForWorkspace;
    stop(
        lane,
        wantsToMeet
            ? "traps: it waits for other blocks in a launch that is not cooperative; declare"
                + " @Kernel(cooperative = true)"
            : "traps");
  }

  private static void stop(Lane lane, String fact) {
    throw lane.fault(Reason.TRAP, fact, 0);
  }

  private static int target(Translation t, Label label) {
    if (label.target() < 0) {
      throw t.unsupported("there is no label '" + label.name() + "'");
    }
    return label.target();
  }

  private static Op branch(Translation t) {
    t.has("uni");
    t.expectOperands(1, 1);
    if (!(t.operand(0) instanceof Operand.Name name)) {
      throw t.unsupported("it does not name a label");
    }
    int target = target(t, name.label());
    int[] starts = t.function().starts();
    return lane -> lane.pc = starts[target];
  }

  private static Op indexedBranch(Translation t) {
    t.has("idx");
    t.has("uni");
    t.expectOperands(2, 2);
    int index = t.source(0, ScalarType.U32);
    List<Label> labels = List.of();
    if (t.operand(1) instanceof Operand.Name name) {
      labels = name.label().branchTargets();
    }
    if (labels.isEmpty()) {
      throw t.unsupported("it names no .branchtargets");
    }
    int[] targets = labels.stream().mapToInt(label -> target(t, label)).toArray();
    int[] starts = t.function().starts();
    return lane -> {
      long chosen = lane.registers[index] & 0xFFFF_FFFFL;
      if (chosen >= targets.length) {
        throw lane.fault(Reason.TRAP, "branches by index " + chosen + " of " + targets.length, 0);
      }
      lane.pc = starts[targets[(int) chosen]];
    };
  }

  private static Op sleep(Translation t) {
    t.type();
    t.expectOperands(1, 1);
    t.source(0, ScalarType.U32);
    return Lane::giveWay;
  }

  private static Op dependencyControl(Translation t) {
    t.oneOf("launch_dependents", "wait");
    return lane -> {};
  }

  private static Op event(Translation t) {
    t.has("mask");
    t.constant(0);
    return lane -> {};
  }
}
