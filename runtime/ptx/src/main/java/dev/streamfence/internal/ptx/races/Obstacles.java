package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.CallSite;
import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Instructions whose accesses to memory, or whose time, the analysis of races does not follow.
 * Confined to one thread.
 */
final class Obstacles {
  /** Functions that print, or end the run. */
  private static final Set<String> HARMLESS = Set.of("vprintf", "__assertfail");

  /** Instructions that only read memory that no kernel's store reaches. */
  private static final Set<String> TEXTURES = Set.of("tex", "tld4", "suld", "txq", "suq");

  /** The spaces that no other thread stores to. */
  private static final Set<StateSpace> LOCAL =
      Set.of(StateSpace.LOCAL, StateSpace.PARAM, StateSpace.CONST);

  private final PtxModule module;
  private final Map<String, Boolean> harmless = new HashMap<>();

  Obstacles(PtxModule module) {
    this.module = module;
  }

  /** Why the first such instruction of a kernel is not followed; null if there is none. */
  @Nullable String in(FunctionFlow flow, ControlGraph graph) {
    for (int block = 0; block < graph.size(); block++) {
      for (int i = graph.block(block).first(); i < graph.block(block).end(); i++) {
        String obstacle = of(flow.instruction(i), flow.rule(i));
        if (obstacle != null) {
          return obstacle;
        }
      }
    }
    return AsynchronousCopies.areAwaited(flow, graph)
        ? null
        : "it stores, touches shared memory, meets others or ends before an asynchronous copy is over";
  }

  private @Nullable String of(Instruction instruction, Opcode rule) {
    String opcode = instruction.opcode();
    if (rule.effect() == Opcode.Effect.CALLS) {
      return isHarmless(instruction) ? null : "it calls a function";
    }
    if (opcode.equals("mbarrier")) {
      return "it waits at a barrier in memory";
    }
    if (AsynchronousCopies.isCopy(instruction) || AsynchronousCopies.isOfGroups(instruction)) {
      return null;
    }
    if (rule.effect() == Opcode.Effect.COPIES || instruction.has("async")) {
      return "it copies asynchronously";
    }
    if (rule.operands().indexOf('s') >= 0) {
      return "'" + opcode + "' reads matrices in shared memory";
    }
    boolean isUnknown = rule.effect() == Opcode.Effect.UNKNOWN || opcode.equals("sust");
    return isUnknown && !TEXTURES.contains(opcode) ? "'" + opcode + "' is not followed" : null;
  }

  /** Whether a call touches no memory that other threads reach, and waits for none. */
  private boolean isHarmless(Instruction call) {
    String name = CallSite.of(call).name().orElse("");
    Boolean found = HARMLESS.contains(name) ? Boolean.TRUE : harmless.get(name);
    if (found != null) {
      return found;
    }
    // A function that calls itself is none until its end is known.
    harmless.put(name, false);
    PtxFunction called = module.function(name).filter(PtxFunction::hasBody).orElse(null);
    boolean isHarmless = called != null;
    FunctionFlow body = called == null ? null : new FunctionFlow(called);
    for (int i = 0; body != null && i < body.size(); i++) {
      Instruction each = body.instruction(i);
      isHarmless &=
          switch (body.rule(i).effect()) {
            case COMPUTES -> !BarrierIntervals.isAnyBarrier(each);
            case CALLS -> isHarmless(each);
            case READS, WRITES -> isLocal(each);
            default -> body.rule(i).control() != Opcode.Control.NEXT;
          };
    }
    harmless.put(name, isHarmless);
    return isHarmless;
  }

  static boolean isLocal(Instruction instruction) {
    return !instruction.spaces().isEmpty() && LOCAL.containsAll(instruction.spaces());
  }
}
