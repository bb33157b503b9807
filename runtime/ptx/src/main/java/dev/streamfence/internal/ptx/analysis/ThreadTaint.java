package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxFunction.Formal;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.Register;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * For each register of a kernel and of the functions that it calls, whether its value is computed
 * from the number of the thread, and from the address of which variable in shared memory. The order
 * of instructions does not matter, and calls of a function are not told apart. Confined to one
 * thread.
 */
final class ThreadTaint {
  /**
   * The origin of a value.
   *
   * @param fromThread whether it is computed from the number of the thread
   * @param tile the variable in shared memory from whose address it is computed, if from one
   */
  record Taint(boolean fromThread, @Nullable Variable tile) {
    static final Taint CONSTANT = new Taint(false, null);

    Taint join(Taint other) {
      if (other.equals(CONSTANT) || equals(other)) {
        return this;
      }
      return new Taint(fromThread || other.fromThread, tile == null ? other.tile : tile);
    }
  }

  /**
   * A register or a variable.
   *
   * @param function the register's function, by name; empty for a variable
   * @param index the register's index, or the variable's id
   */
  private record Place(String function, int index) {}

  /** What any local variable holds: debug code keeps its variables there. */
  private static final Place LOCAL = new Place("", -1);

  private final PtxModule module;
  private final Map<Place, Taint> values = new HashMap<>();
  private final Set<String> reached = new HashSet<>();
  private final List<PtxFunction> functions = new ArrayList<>();
  private boolean changed;

  ThreadTaint(PtxModule module, PtxFunction entry) {
    this.module = module;
    reach(entry);
  }

  /** The kernel and the functions that it is known to call. */
  List<PtxFunction> functions() {
    return List.copyOf(functions);
  }

  /** How many instructions {@link #spread} looks at. */
  int instructions() {
    return functions.stream().mapToInt(function -> function.instructions().size() + 1).sum();
  }

  /** Applies each instruction once; returns whether that has changed anything. */
  boolean spread() {
    changed = false;
    for (PtxFunction function : List.copyOf(functions)) {
      for (Instruction instruction : function.instructions()) {
        if (instruction.opcode().equals("call")) {
          call(function, instruction.operands());
        } else {
          compute(function, instruction);
        }
      }
    }
    return changed;
  }

  /** The origin of an operand. */
  Taint value(PtxFunction function, Operand operand) {
    Taint value = Taint.CONSTANT;
    if (operand instanceof Operand.SpecialRegister special) {
      return new Taint(reads(special, "%tid") || special.name().equals("%warpid"), null);
    }
    if (operand instanceof Operand.VariableAddress address) {
      return address.variable().space() == StateSpace.SHARED
          ? new Taint(false, address.variable())
          : value;
    }
    for (Register register : operand.registers()) {
      value = value.join(held(new Place(function.name(), register.index())));
    }
    return value;
  }

  /** Whether an operand is a special register, or one dimension of it. */
  static boolean reads(Operand operand, String register) {
    return operand instanceof Operand.SpecialRegister special
        && (special.name().equals(register) || special.name().startsWith(register + "."));
  }

  private void compute(PtxFunction function, Instruction instruction) {
    List<Operand> operands = instruction.operands();
    if (operands.isEmpty()) {
      return;
    }
    Operand first = operands.get(0);
    Taint sources = Taint.CONSTANT;
    for (Operand operand : operands.subList(1, operands.size())) {
      sources = sources.join(source(function, instruction, operand));
    }
    if (first instanceof Operand.Memory place) {
      store(instruction, place, sources);
      return;
    }
    for (Register register : first.registers()) {
      add(new Place(function.name(), register.index()), sources);
    }
  }

  /** The origin of what an instruction takes from an operand. */
  private Taint source(PtxFunction function, Instruction instruction, Operand operand) {
    if (operand instanceof Operand.Memory place) {
      if (place.base() instanceof Operand.VariableAddress address) {
        return held(placeOf(address.variable()));
      }
      return mayBeLocal(instruction) ? held(LOCAL) : Taint.CONSTANT;
    }
    return BlockSizeDependence.isLoad(instruction) ? Taint.CONSTANT : value(function, operand);
  }

  private void store(Instruction instruction, Operand.Memory place, Taint stored) {
    if (place.base() instanceof Operand.VariableAddress address) {
      add(placeOf(address.variable()), stored);
    } else if (mayBeLocal(instruction)) {
      add(LOCAL, stored);
    }
  }

  /** Whether an instruction accesses local memory, or names no space. */
  private static boolean mayBeLocal(Instruction instruction) {
    return instruction.spaces().stream().allMatch(space -> space == StateSpace.LOCAL);
  }

  private static Place placeOf(Variable variable) {
    return variable.space() == StateSpace.LOCAL ? LOCAL : new Place("", variable.id());
  }

  private void call(PtxFunction function, List<Operand> operands) {
    List<Operand> results = List.of();
    int at = 0;
    if (!operands.isEmpty() && operands.get(0) instanceof Operand.Arguments listed) {
      results = listed.elements();
      at = 1;
    }
    if (at >= operands.size()) {
      return;
    }
    List<Operand> arguments =
        at + 1 < operands.size() && operands.get(at + 1) instanceof Operand.Arguments listed
            ? listed.elements()
            : List.of();
    for (PtxFunction callee : callees(operands.get(at))) {
      reach(callee);
      for (int i = 0; i < Math.min(arguments.size(), callee.parameters().size()); i++) {
        add(formal(callee, callee.parameters().get(i)), argument(function, arguments.get(i)));
      }
      for (int i = 0; i < Math.min(results.size(), callee.returns().size()); i++) {
        Taint returned = held(formal(callee, callee.returns().get(i)));
        places(function, results.get(i)).forEach(place -> add(place, returned));
      }
    }
  }

  /** The functions that a call may enter: all of them, if its target is computed. */
  private List<PtxFunction> callees(Operand target) {
    List<PtxFunction> candidates =
        target instanceof Operand.Name name
            ? module.function(name.label().name()).stream().toList()
            : module.functions();
    return candidates.stream().filter(each -> each.hasBody() && !each.entry()).toList();
  }

  private Taint argument(PtxFunction function, Operand argument) {
    Taint value = Taint.CONSTANT;
    for (Place place : places(function, argument)) {
      value = value.join(held(place));
    }
    return value;
  }

  private static List<Place> places(PtxFunction function, Operand operand) {
    if (operand instanceof Operand.VariableAddress address) {
      return List.of(placeOf(address.variable()));
    }
    return operand.registers().stream()
        .map(register -> new Place(function.name(), register.index()))
        .toList();
  }

  private static Place formal(PtxFunction function, Formal formal) {
    if (formal instanceof Formal.InMemory memory) {
      return placeOf(memory.variable());
    }
    return new Place(function.name(), ((Formal.InRegister) formal).register().index());
  }

  private void reach(PtxFunction function) {
    if (reached.add(function.name())) {
      functions.add(function);
      changed = true;
    }
  }

  private Taint held(Place place) {
    return Objects.requireNonNull(values.getOrDefault(place, Taint.CONSTANT));
  }

  private void add(Place place, Taint value) {
    Taint before = held(place);
    Taint after = before.join(value);
    if (!after.equals(before)) {
      values.put(place, after);
      changed = true;
    }
  }
}
