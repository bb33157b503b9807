package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxFunction.Formal;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Which registers of a kernel, and which of its local variables, hold the address of the grid's
 * workspace or a test whether there is one. The order of instructions does not matter, and calls of
 * a function are not told apart. Confined to one thread.
 */
final class WorkspaceFlow {
  /** Values settle after a few rounds, since each changes at most three times. */
  private static final int MOST_ROUNDS = 64;

  private static final Set<String> COPIES = Set.of("mov", "cvt", "cvta", "not");

  /** Operations that leave parts of an address an address, and a test a test. */
  private static final Set<String> BITWISE = Set.of("shl", "or", "bfi", "and", "add", "sub");

  /** The kind of a value. */
  enum HeldKind {
    /** No value has arrived. */
    NONE,
    CONSTANT,
    /** An address in a local variable or a parameter. */
    LOCAL,
    /** The workspace's address, or a part of it. */
    WORKSPACE,
    /** A test whether there is a workspace. */
    TEST,
    OTHER,
    /** A workspace or a test, mixed with another value. */
    UNCLEAR;

    boolean isTracked() {
      return this == WORKSPACE || this == TEST || this == UNCLEAR;
    }
  }

  /**
   * A value.
   *
   * @param variable the local variable's id; 0 if it is none
   * @param number a constant, or the offset in the variable
   */
  record Held(HeldKind kind, int variable, long number) {
    static final Held NONE = of(HeldKind.NONE);

    static Held of(HeldKind kind) {
      return new Held(kind, 0, 0);
    }

    Held join(Held other) {
      if (equals(other) || other.kind == HeldKind.NONE) {
        return this;
      }
      if (kind == HeldKind.NONE) {
        return other;
      }
      return of(
          kind.isTracked() || other.kind.isTracked()
              ? (kind == other.kind ? kind : HeldKind.UNCLEAR)
              : HeldKind.OTHER);
    }

    Held plus(long bytes) {
      return kind == HeldKind.LOCAL ? new Held(kind, variable, number + bytes) : this;
    }
  }

  /**
   * A register or a part of a variable. Parts of different widths are kept apart: the code that
   * prepares a group's other fields touches halves of what later holds the address.
   *
   * @param function the register's function, by name; empty for a variable
   * @param index the register's index, or the variable's id
   * @param bytes the part's width; 0 for a register
   */
  private record HeldPlace(String function, int index, long offset, int bytes) {
    static HeldPlace register(String function, int index) {
      return new HeldPlace(function, index, 0, 0);
    }

    boolean isVariable() {
      return function.isEmpty();
    }

    /** The part of a variable that takes the place of this one. */
    HeldPlace of(HeldPlace part) {
      return isVariable() ? new HeldPlace("", index, part.offset, part.bytes) : this;
    }
  }

  private final ModuleAnalysis analysis;
  private final Map<HeldPlace, Held> values = new HashMap<>();

  /** The parts of each variable that hold something. */
  private final Map<Integer, List<HeldPlace>> parts = new HashMap<>();

  private boolean changed = true;
  private boolean isClear = true;

  WorkspaceFlow(ModuleAnalysis analysis, ReachedCode code) {
    this.analysis = analysis;
    for (int round = 0; changed && isClear; round++) {
      analysis.charge(code.instructions());
      changed = false;
      code.flows().forEach(this::evaluate);
      isClear &= round < MOST_ROUNDS;
    }
  }

  /** Whether the workspace's address stays where this analysis can see it. */
  boolean isClear() {
    return isClear;
  }

  /** Whether an operand is a part of the workspace's address. */
  static boolean isWorkspace(Operand operand) {
    return operand instanceof Operand.SpecialRegister special
        && (special.name().equals("%envreg1") || special.name().equals("%envreg2"));
  }

  /** What an operand holds. */
  Held value(FunctionFlow flow, Operand operand) {
    if (operand instanceof Operand.RegisterUse use) {
      return held(HeldPlace.register(flow.function().name(), use.register().index()));
    }
    if (operand instanceof Operand.IntegerLiteral literal) {
      return new Held(HeldKind.CONSTANT, 0, literal.value());
    }
    if (operand instanceof Operand.VariableAddress address) {
      StateSpace space = address.variable().space();
      return space == StateSpace.LOCAL || space == StateSpace.PARAM
          ? new Held(HeldKind.LOCAL, address.variable().id(), address.offset())
          : Held.of(HeldKind.OTHER);
    }
    return Held.of(isWorkspace(operand) ? HeldKind.WORKSPACE : HeldKind.OTHER);
  }

  private void evaluate(FunctionFlow flow) {
    for (int at = 0; at < flow.size(); at++) {
      if (flow.isReachable(at)) {
        evaluate(flow, at);
      }
    }
  }

  private void evaluate(FunctionFlow flow, int at) {
    Instruction instruction = flow.instruction(at);
    List<Operand> operands = instruction.operands();
    Opcode rule = flow.rule(at);
    if (rule.effect() == Opcode.Effect.CALLS) {
      call(flow, operands);
      return;
    }
    if (operands.size() == 2 && rule.effect() != Opcode.Effect.UNKNOWN) {
      if (instruction.opcode().equals("ld") && operands.get(1) instanceof Operand.Memory place) {
        load(flow, instruction, place);
        return;
      }
      if (instruction.opcode().equals("st") && operands.get(0) instanceof Operand.Memory place) {
        store(flow, instruction, place);
        return;
      }
    }
    List<Held> sources = new ArrayList<>();
    for (int i = 0; i < operands.size(); i++) {
      if (!rule.isDestination(i) && !(operands.get(i) instanceof Operand.Memory)) {
        operands.get(i).parts().forEach(part -> sources.add(value(flow, part)));
      }
    }
    if (rule.effect() == Opcode.Effect.UNKNOWN) {
      isClear &= sources.stream().noneMatch(source -> source.kind().isTracked());
      return;
    }
    Held result = result(instruction.opcode(), sources);
    for (int i = 0; i < operands.size(); i++) {
      if (rule.isDestination(i)) {
        operands.get(i).parts().forEach(part -> assign(flow, part, result));
      }
    }
  }

  private static Held result(String opcode, List<Held> sources) {
    if (sources.stream().anyMatch(source -> source.kind() == HeldKind.NONE)) {
      return Held.NONE;
    }
    if (sources.size() == 1 && COPIES.contains(opcode)) {
      return sources.get(0);
    }
    if (sources.size() == 2 && (opcode.equals("add") || opcode.equals("sub"))) {
      Held left = sources.get(0);
      Held right = sources.get(1);
      if (left.kind() == HeldKind.LOCAL && right.kind() == HeldKind.CONSTANT) {
        return left.plus(opcode.equals("add") ? right.number() : -right.number());
      }
      if (right.kind() == HeldKind.LOCAL && left.kind() == HeldKind.CONSTANT) {
        return opcode.equals("add") ? right.plus(left.number()) : Held.of(HeldKind.OTHER);
      }
    }
    Held joined = Held.NONE;
    for (Held source : sources) {
      joined = joined.join(source.kind() == HeldKind.CONSTANT ? Held.NONE : source);
    }
    if (!joined.kind().isTracked()) {
      return Held.of(HeldKind.OTHER);
    }
    boolean isTest = opcode.equals("setp") || opcode.equals("set");
    if (joined.kind() == HeldKind.WORKSPACE && isTest) {
      return Held.of(HeldKind.TEST);
    }
    boolean keeps =
        BITWISE.contains(opcode)
            || (joined.kind() == HeldKind.TEST && (isTest || opcode.equals("selp")));
    return keeps ? joined : Held.of(HeldKind.UNCLEAR);
  }

  private void load(FunctionFlow flow, Instruction instruction, Operand.Memory place) {
    Held address = value(flow, place.base()).plus(place.offset());
    int width = Widths.element(instruction);
    List<Operand> parts = instruction.operands().get(0).parts();
    for (int i = 0; i < parts.size(); i++) {
      Held loaded =
          address.kind() == HeldKind.LOCAL
              ? held(part(address, i, width))
              : Held.of(HeldKind.OTHER);
      assign(flow, parts.get(i), loaded);
    }
  }

  private void store(FunctionFlow flow, Instruction instruction, Operand.Memory place) {
    Held address = value(flow, place.base()).plus(place.offset());
    int width = Widths.element(instruction);
    List<Operand> parts = instruction.operands().get(1).parts();
    for (int i = 0; i < parts.size(); i++) {
      Held stored = value(flow, parts.get(i));
      if (address.kind() == HeldKind.LOCAL) {
        add(part(address, i, width), stored);
      } else if (address.kind() != HeldKind.NONE && stored.kind().isTracked()) {
        isClear = false;
      }
    }
  }

  private void call(FunctionFlow flow, List<Operand> operands) {
    boolean hasResults = !operands.isEmpty() && operands.get(0) instanceof Operand.Arguments;
    int at = hasResults ? 1 : 0;
    List<Operand> results = hasResults ? arguments(operands.get(0)) : List.of();
    List<Operand> arguments =
        at + 1 < operands.size() ? arguments(operands.get(at + 1)) : List.of();
    Optional<PtxFunction> callee =
        at < operands.size() && operands.get(at) instanceof Operand.Name name
            ? analysis.module().function(name.label().name()).filter(PtxFunction::hasBody)
            : Optional.empty();
    List<Formal> formals = callee.map(PtxFunction::parameters).orElseGet(List::of);
    for (int i = 0; i < arguments.size(); i++) {
      if (i < formals.size()) {
        copy(place(flow.function().name(), arguments.get(i)), place(callee.get(), formals.get(i)));
      } else {
        // Unknown code may test it.
        isClear &= !holdsWorkspace(place(flow.function().name(), arguments.get(i)));
      }
    }
    List<Formal> returns = callee.map(PtxFunction::returns).orElseGet(List::of);
    for (int i = 0; i < results.size(); i++) {
      HeldPlace result = place(flow.function().name(), results.get(i));
      if (i < returns.size()) {
        copy(place(callee.get(), returns.get(i)), result);
      } else {
        add(result, Held.of(HeldKind.OTHER));
      }
    }
  }

  private static List<Operand> arguments(Operand operand) {
    return operand instanceof Operand.Arguments listed ? listed.elements() : List.of();
  }

  private static HeldPlace part(Held address, int element, int bytes) {
    long offset = address.number() + (long) element * bytes;
    return new HeldPlace("", address.variable(), offset, bytes);
  }

  private static HeldPlace place(String function, Operand operand) {
    if (operand instanceof Operand.VariableAddress address) {
      return new HeldPlace("", address.variable().id(), 0, 0);
    }
    return HeldPlace.register(
        function, operand instanceof Operand.RegisterUse use ? use.register().index() : -1);
  }

  private static HeldPlace place(PtxFunction function, Formal formal) {
    return formal instanceof Formal.InMemory memory
        ? new HeldPlace("", memory.variable().id(), 0, 0)
        : HeldPlace.register(function.name(), ((Formal.InRegister) formal).register().index());
  }

  private void copy(HeldPlace from, HeldPlace to) {
    if (!from.isVariable()) {
      add(to, held(from));
      return;
    }
    partsOf(from).forEach(part -> add(to.of(part), held(part)));
  }

  private boolean holdsWorkspace(HeldPlace place) {
    return place.isVariable()
        ? partsOf(place).stream().anyMatch(part -> held(part).kind().isTracked())
        : held(place).kind().isTracked();
  }

  private List<HeldPlace> partsOf(HeldPlace variable) {
    return List.copyOf(parts.getOrDefault(variable.index(), List.of()));
  }

  private void assign(FunctionFlow flow, Operand destination, Held value) {
    if (destination instanceof Operand.RegisterUse use) {
      add(HeldPlace.register(flow.function().name(), use.register().index()), value);
    }
  }

  private Held held(HeldPlace place) {
    return Objects.requireNonNull(values.getOrDefault(place, Held.NONE));
  }

  private void add(HeldPlace place, Held value) {
    Held before = held(place);
    Held after = before.join(value);
    if (after.equals(before)) {
      return;
    }
    if (before.kind() == HeldKind.NONE && place.isVariable()) {
      parts.computeIfAbsent(place.index(), id -> new ArrayList<>()).add(place);
    }
    values.put(place, after);
    changed = true;
  }
}
