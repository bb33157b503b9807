package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Instruction.GuardPredicate;
import dev.streamfence.internal.ptx.syntax.Label;
import dev.streamfence.internal.ptx.syntax.Mnemonic;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.Register;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A function with the code of the functions that it calls in place of the calls, as far as
 * parameters and results are followed: compilers leave calls where they do not optimise. The
 * instructions keep the lines of the text that they come from. Confined to one thread.
 */
public final class InlinedCalls {
  private static final int MAX_INSTRUCTIONS = 8_000;

  /** How deep calls in calls are followed. */
  private static final int MAX_DEPTH = 32;

  private final PtxModule module;
  private final List<Instruction> instructions = new ArrayList<>();

  /** For each instruction, the copy of a function that it is part of. */
  private final List<Copy> origins = new ArrayList<>();

  /** The functions whose code is being copied, the innermost first. */
  private final Deque<String> open = new ArrayDeque<>();

  private final Map<String, ParameterAccesses> accesses = new HashMap<>();
  private int registers;

  /** How many instructions the function has with all calls that are followed so far. */
  private int size;

  /** One copy of a function's code. */
  private static final class Copy {
    /** By how much the registers' numbers are more than in the function. */
    private final int shift;

    /** Where each instruction is now, and where the code ends. */
    private final int[] places;

    /** The registers that stand for variables in parameter space, by the number of the variable. */
    private final Map<Integer, ParameterRegisters> parameters = new HashMap<>();

    private Copy(PtxFunction function, int shift) {
      this.shift = shift;
      this.places = new int[function.instructions().size() + 1];
    }
  }

  private InlinedCalls(PtxModule module) {
    this.module = module;
  }

  /** Returns a function without the calls that can be followed; itself if it has none. */
  public static PtxFunction in(PtxModule module, PtxFunction function) {
    boolean hasCalls = false;
    for (Instruction instruction : function.instructions()) {
      hasCalls |= instruction.opcode().equals("call");
    }
    return hasCalls && !jumpsByTable(function)
        ? new InlinedCalls(module).inlined(function)
        : function;
  }

  private static boolean jumpsByTable(PtxFunction function) {
    return function.instructions().stream().anyMatch(each -> each.opcode().equals("brx"));
  }

  private PtxFunction inlined(PtxFunction function) {
    registers = function.registers();
    size = function.instructions().size();
    copy(function, new Copy(function, 0));
    List<Instruction> jumping = new ArrayList<>(instructions.size());
    for (int i = 0; i < instructions.size(); i++) {
      jumping.add(withLabels(instructions.get(i), origins.get(i)));
    }
    return new PtxFunction(
        function.name(),
        function.line(),
        function.entry(),
        function.returns(),
        function.parameters(),
        function.blockLimit(),
        function.clusters(),
        true,
        registers,
        function.locals(),
        BarrierNumbers.written(jumping));
  }

  private void copy(PtxFunction function, Copy copy) {
    boolean isCalled = !open.isEmpty();
    open.push(function.name());
    List<Instruction> code = function.instructions();
    Map<Integer, Copy> calls = new HashMap<>();
    for (int i = 0; i < code.size(); i++) {
      Copy called = called(function, code.get(i), copy);
      if (called != null) {
        calls.put(i, called);
      }
    }
    for (int i = 0; i < code.size(); i++) {
      copy.places[i] = instructions.size();
      Instruction instruction = code.get(i);
      Copy called = calls.get(i);
      ParameterRegisters parameter = parameter(instruction, copy);
      if (called != null) {
        copy(module.function(name(instruction)).orElseThrow(), called);
      } else if (parameter != null) {
        parameter.moves(shifted(instruction, copy.shift)).forEach(each -> add(each, copy));
      } else if (isCalled && instruction.opcode().equals("ret")) {
        Operand end = new Operand.Name(Label.at(code.size()), 0);
        add(with(shifted(instruction, copy.shift), "bra", List.of(end)), copy);
      } else {
        add(shifted(instruction, copy.shift), copy);
      }
    }
    copy.places[code.size()] = instructions.size();
    open.pop();
  }

  private void add(Instruction instruction, Copy copy) {
    instructions.add(instruction);
    origins.add(copy);
  }

  private static String name(Instruction call) {
    return CallSite.of(call).name().orElse("");
  }

  /** The registers that stand for the variable that an instruction accesses; null for none. */
  private static @Nullable ParameterRegisters parameter(Instruction instruction, Copy copy) {
    Variable variable = ParameterAccesses.variable(instruction);
    return variable == null ? null : copy.parameters.get(variable.id());
  }

  /** A copy of the function that a call leads to; null if the call stays. */
  private @Nullable Copy called(PtxFunction caller, Instruction call, Copy copy) {
    if (!call.opcode().equals("call") || call.guard() != null) {
      return null;
    }
    PtxFunction function = module.function(name(call)).orElse(null);
    boolean isFollowed =
        function != null
            && function.hasBody()
            && open.size() < MAX_DEPTH
            && !open.contains(function.name())
            && size + function.instructions().size() <= MAX_INSTRUCTIONS
            && !jumpsByTable(function);
    if (!isFollowed || function == null) {
      return null;
    }
    CallSite site = CallSite.of(call);
    List<Operand> passed = new ArrayList<>(site.arguments());
    passed.addAll(site.results());
    List<PtxFunction.Formal> formals = new ArrayList<>(function.parameters());
    formals.addAll(function.returns());
    if (site.arguments().size() != function.parameters().size()
        || passed.size() != formals.size()
        || !site.odd().isEmpty()) {
      return null;
    }
    Copy inner = new Copy(function, registers);
    int next = registers + function.registers();
    Map<Integer, ParameterRegisters> outer = new HashMap<>();
    for (int i = 0; i < passed.size(); i++) {
      if (!(passed.get(i) instanceof Operand.VariableAddress actual)
          || !(formals.get(i) instanceof PtxFunction.Formal.InMemory formal)
          || actual.offset() != 0) {
        return null;
      }
      ParameterRegisters numbers =
          ParameterRegisters.of(
              accesses(caller).passed(actual.variable()),
              accesses(function).received(formal.variable()),
              next);
      if (numbers == null) {
        return null;
      }
      next += numbers.count();
      outer.put(actual.variable().id(), numbers);
      inner.parameters.put(formal.variable().id(), numbers);
    }
    copy.parameters.putAll(outer);
    registers = next;
    size += function.instructions().size();
    return inner;
  }

  private ParameterAccesses accesses(PtxFunction function) {
    return accesses.computeIfAbsent(function.name(), name -> new ParameterAccesses(function));
  }

  static Instruction with(Instruction instruction, String opcode, List<Operand> operands) {
    return new Instruction(
        instruction.line(),
        instruction.guard(),
        Mnemonic.of(opcode),
        operands,
        instruction.source());
  }

  private static Instruction shifted(Instruction instruction, int shift) {
    if (shift == 0) {
      return instruction;
    }
    GuardPredicate guard = instruction.guard();
    return new Instruction(
        instruction.line(),
        guard == null
            ? null
            : new GuardPredicate(shifted(guard.predicate(), shift), guard.negated()),
        instruction.words(),
        shifted(instruction.operands(), shift),
        instruction.source());
  }

  private static Register shifted(Register register, int shift) {
    return new Register(
        register.name(), register.type(), register.vectorLength(), register.index() + shift);
  }

  private static Operand shifted(Operand operand, int shift) {
    if (operand instanceof Operand.RegisterUse use) {
      return new Operand.RegisterUse(shifted(use.register(), shift), use.negated());
    }
    if (operand instanceof Operand.Element element) {
      return new Operand.Element(shifted(element.register(), shift), element.element());
    }
    if (operand instanceof Operand.Vector vector) {
      return new Operand.Vector(shifted(vector.elements(), shift));
    }
    if (operand instanceof Operand.Arguments arguments) {
      return new Operand.Arguments(shifted(arguments.elements(), shift));
    }
    if (operand instanceof Operand.Pair pair) {
      return new Operand.Pair(shifted(pair.first(), shift), shifted(pair.second(), shift));
    }
    if (operand instanceof Operand.Memory memory) {
      return new Operand.Memory(
          shifted(memory.base(), shift), memory.offset(), shifted(memory.more(), shift));
    }
    return operand;
  }

  private static List<Operand> shifted(List<Operand> operands, int shift) {
    List<Operand> found = new ArrayList<>(operands.size());
    for (Operand operand : operands) {
      found.add(shifted(operand, shift));
    }
    return List.copyOf(found);
  }

  /** An instruction whose labels are where the copy of its function has them now. */
  private static Instruction withLabels(Instruction instruction, Copy copy) {
    boolean hasNames = false;
    for (Operand operand : instruction.operands()) {
      hasNames |= operand instanceof Operand.Name;
    }
    if (!hasNames || !OpcodeTable.rule(instruction).control().isBranch()) {
      return instruction;
    }
    List<Operand> operands = new ArrayList<>();
    for (Operand operand : instruction.operands()) {
      boolean isJump =
          operand instanceof Operand.Name name
              && name.label().target() >= 0
              && name.label().target() < copy.places.length;
      operands.add(
          isJump && operand instanceof Operand.Name name
              ? new Operand.Name(Label.at(copy.places[name.label().target()]), name.offset())
              : operand);
    }
    return new Instruction(
        instruction.line(),
        instruction.guard(),
        instruction.words(),
        operands,
        instruction.source());
  }
}
