package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.ir.CallSite;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.ir.RegisterSlots;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction.Formal;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A forward data-flow analysis of some functions: one value of a lattice for each slot of a
 * function's registers, and for each part of a variable. Calls of a function are not told apart.
 * Instructions are evaluated in rounds until no value changes; Kildall, "A Unified Approach to
 * Global Program Optimization". Confined to one thread.
 *
 * @param <V> the values of the lattice, with {@code equals}
 */
abstract class ForwardFlow<V> {
  /** Bytes of a variable; those of different widths are kept apart. */
  private record Part(long offset, int bytes) {
    /** What is passed by a register. */
    static final Part WHOLE = new Part(0, 0);
  }

  private final List<FunctionFlow> flows;
  private final V bottom;
  private final Map<String, List<V>> slots = new HashMap<>();
  private final Map<Integer, Map<Part, V>> variables = new HashMap<>();

  /** The function whose slots were asked for last, with these. */
  private @Nullable FunctionFlow current;

  private List<V> ofCurrent = List.of();
  private boolean changed;

  ForwardFlow(List<FunctionFlow> flows, V bottom) {
    this.flows = flows;
    this.bottom = bottom;
    for (FunctionFlow flow : flows) {
      List<V> values = new ArrayList<>(Collections.nCopies(flow.slots().size(), bottom));
      slots.put(flow.function().name(), values);
    }
  }

  /** The least value that covers both. */
  abstract V join(V one, V other);

  /** Assigns the results of an instruction other than a call. */
  abstract void evaluate(FunctionFlow flow, int at, Instruction instruction);

  /** The number by which a variable is known here. */
  int id(Variable variable) {
    return variable.id();
  }

  /** Takes note of arguments that go to code that is not among the functions. */
  void leave(FunctionFlow flow, int at, CallSite call, int known) {}

  /** Evaluates one round; returns whether a value has changed. */
  final boolean spread() {
    changed = false;
    for (FunctionFlow flow : flows) {
      for (int at = 0; at < flow.size(); at++) {
        if (flow.isReachable(at)) {
          Instruction instruction = flow.instruction(at);
          if (flow.rule(at).effect() == Opcode.Effect.CALLS) {
            call(flow, at, instruction);
          } else {
            evaluate(flow, at, instruction);
          }
        }
      }
    }
    return changed;
  }

  void call(FunctionFlow flow, int at, Instruction instruction) {
    CallSite call = CallSite.of(instruction);
    boolean isNamed = call.target() instanceof Operand.Name;
    int known = 0;
    for (FunctionFlow callee : flows) {
      // A computed call may enter any of the functions.
      boolean enters =
          isNamed
              ? callee.function().name().equals(call.name().orElseThrow())
              : !callee.function().entry();
      if (enters) {
        List<Formal> parameters = callee.function().parameters();
        List<Formal> returns = callee.function().returns();
        known = isNamed ? parameters.size() : 0;
        for (int i = 0; i < Math.min(parameters.size(), call.arguments().size()); i++) {
          Formal to = parameters.get(i);
          content(flow, at, call.arguments().get(i))
              .forEach((part, value) -> pass(callee, to, part, value));
        }
        for (int i = 0; i < Math.min(returns.size(), call.results().size()); i++) {
          Operand to = call.results().get(i);
          content(callee, returns.get(i)).forEach((part, value) -> take(flow, at, to, part, value));
        }
      }
    }
    leave(flow, at, call, known);
  }

  /** What an operand passes: a register, or all parts of a variable. */
  final Collection<V> passed(FunctionFlow flow, int at, Operand operand) {
    return content(flow, at, operand).values();
  }

  private Map<Part, V> content(FunctionFlow flow, int at, Operand operand) {
    if (operand instanceof Operand.VariableAddress address) {
      return content(address.variable());
    }
    return operand instanceof Operand.RegisterUse use
        ? Map.of(Part.WHOLE, held(flow, at, use.register().index()))
        : Map.of();
  }

  private Map<Part, V> content(FunctionFlow callee, Formal formal) {
    return formal instanceof Formal.InMemory memory
        ? content(memory.variable())
        : Map.of(Part.WHOLE, slots(callee).get(((Formal.InRegister) formal).register().index()));
  }

  private Map<Part, V> content(Variable variable) {
    return Map.copyOf(variables.getOrDefault(id(variable), Map.of()));
  }

  private void pass(FunctionFlow callee, Formal to, Part part, V value) {
    if (to instanceof Formal.InMemory memory) {
      store(id(memory.variable()), part, value);
    } else {
      join(slots(callee), ((Formal.InRegister) to).register().index(), value);
    }
  }

  private void take(FunctionFlow flow, int at, Operand to, Part part, V value) {
    if (to instanceof Operand.VariableAddress address) {
      store(id(address.variable()), part, value);
    } else {
      assign(flow, at, to, value);
    }
  }

  @SuppressWarnings("ReferenceEquality") // Only to look up less often.
  private List<V> slots(FunctionFlow flow) {
    if (flow != current) {
      current = flow;
      ofCurrent = slots.getOrDefault(flow.function().name(), List.of());
    }
    return ofCurrent;
  }

  /** What a register holds when an instruction runs. */
  final V held(FunctionFlow flow, int at, int register) {
    return slots(flow).get(flow.slots().use(at, register));
  }

  /** What bytes of a variable hold. */
  final V held(int variable, long offset, int bytes) {
    return variables.getOrDefault(variable, Map.of()).getOrDefault(new Part(offset, bytes), bottom);
  }

  /** Assigns a value to each register of an operand. */
  final void assign(FunctionFlow flow, int at, Operand destination, V value) {
    for (int register : destination.registerIndexes()) {
      assign(flow, at, register, value);
    }
  }

  private void assign(FunctionFlow flow, int at, int register, V value) {
    RegisterSlots names = flow.slots();
    int slot = names.assignment(at, register);
    join(slots(flow), slot, value);
    if (slot != register && names.isLasting(slot)) {
      join(slots(flow), register, value);
    }
  }

  private void join(List<V> values, int slot, V value) {
    V before = values.get(slot);
    V after = join(before, value);
    if (!after.equals(before)) {
      values.set(slot, after);
      changed = true;
    }
  }

  /** Stores a value in bytes of a variable. */
  final void store(int variable, long offset, int bytes, V value) {
    store(variable, new Part(offset, bytes), value);
  }

  private void store(int variable, Part part, V value) {
    V before = held(variable, part.offset(), part.bytes());
    V after = join(before, value);
    if (!after.equals(before)) {
      variables.computeIfAbsent(variable, id -> new HashMap<>()).put(part, after);
      changed = true;
    }
  }
}
