package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Creates the activations of functions for their callers, and bounds their number. */
final class Activations {
  /** The instructions of all activations after which further calls share one activation. */
  private static final long MAX_COPIED = 200_000;

  /** The nesting depth of calls from which on further calls share one activation. */
  private static final int MAX_DEPTH = 48;

  private final AbstractMemory memory;
  private final Worklist worklist;
  private final ModuleAnalysis module;

  /** The activations for calls whose arguments have no origin. */
  private final Map<String, Activation> plain = new HashMap<>();

  /** The activations that all calls beyond the limits share. */
  private final Map<String, Activation> merged = new HashMap<>();

  private final Set<Activation> all = new LinkedHashSet<>();
  private long copied;

  Activations(AbstractMemory memory, Worklist worklist, ModuleAnalysis module) {
    this.memory = memory;
    this.worklist = worklist;
    this.module = module;
  }

  List<Activation> all() {
    return List.copyOf(all);
  }

  Activation activate(PtxFunction function, @Nullable Activation caller) {
    FunctionFlow flow = module.flow(function);
    worklist.charge(flow.size());
    copied += flow.size();
    Activation activation = new Activation(flow, caller);
    all.add(activation);
    worklist.add(activation);
    return activation;
  }

  /**
   * Returns the activation of a function that a call enters.
   *
   * @param ordinal the index of the function among those that the call may enter
   * @param withoutOrigin whether no argument has an origin
   */
  Activation callee(Step call, int ordinal, PtxFunction function, boolean withoutOrigin) {
    List<Activation> known = call.activation().callees(call.index());
    if (ordinal == known.size()) {
      known.add(choose(call, function, withoutOrigin));
      return known.get(ordinal);
    }
    Activation now = known.get(ordinal);
    boolean settled =
        now.flow().isOf(function) && (withoutOrigin || now != plain.get(function.name()));
    if (!settled) {
      known.set(ordinal, choose(call, function, withoutOrigin));
    }
    return known.get(ordinal);
  }

  private Activation choose(Step call, PtxFunction function, boolean withoutOrigin) {
    String name = function.name();
    if (withoutOrigin) {
      return plain.computeIfAbsent(name, n -> activate(function, null));
    }
    Activation recursive = call.activation().enclosing(function).orElse(null);
    if (recursive != null && recursive != plain.get(name)) {
      return recursive;
    }
    return copied > MAX_COPIED || call.activation().depth() >= MAX_DEPTH
        ? merged.computeIfAbsent(name, n -> activate(function, null))
        : activate(function, call.activation());
  }

  /** Returns the object of a variable in one activation of its function. */
  MemoryObject object(Activation activation, Variable variable) {
    if (variable.space() == StateSpace.LOCAL || variable.space() == StateSpace.PARAM) {
      return activation
          .variables()
          .computeIfAbsent(
              variable.id(), id -> memory.create(variable.space(), true, variable.alignment()));
    }
    return memory.variable(variable);
  }

  /** Returns the object that an instruction allocates; the same object each time. */
  MemoryObject allocation(Step step) {
    return step.activation()
        .variables()
        .computeIfAbsent(-1 - step.index(), id -> memory.create(StateSpace.LOCAL, true));
  }
}
