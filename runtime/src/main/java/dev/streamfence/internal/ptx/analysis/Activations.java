package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.controlflow.FunctionFlow;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes copies of functions for their callers, as long as they do not become too many. */
final class Activations {
  /** Instructions of all copies, after which functions are copied no more. */
  private static final long MAX_COPIED = 200_000;

  /** How deep calls nest before functions are copied no more. */
  private static final int MAX_DEPTH = 48;

  private final AbstractMemory memory;
  private final Worklist worklist;
  private final ModuleAnalysis module;

  /** Copies for calls that pass nothing that leads to any memory. */
  private final Map<String, Activation> plain = new HashMap<>();

  /** Copies for all calls for which there is no room. */
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
   * Returns the copy of a function that a call enters.
   *
   * @param ordinal tells the functions apart that the call may enter
   * @param withoutOrigin whether nothing is passed that leads to any memory
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

  /** Returns the object of a variable as one copy of a function sees it. */
  MemoryObject object(Activation activation, Variable variable) {
    if (variable.space() == StateSpace.LOCAL || variable.space() == StateSpace.PARAM) {
      return activation
          .variables()
          .computeIfAbsent(variable.id(), id -> memory.create(variable.space(), true));
    }
    return memory.variable(variable);
  }

  /** Returns the memory that an instruction allocates, the same each time. */
  MemoryObject allocation(Step step) {
    return step.activation()
        .variables()
        .computeIfAbsent(-1 - step.index(), id -> memory.create(StateSpace.LOCAL, true));
  }
}
