package dev.streamfence.internal.ptx.run.instruction;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.ptx.run.machine.Code;
import dev.streamfence.internal.ptx.run.machine.Guarded;
import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.run.machine.Op;
import dev.streamfence.internal.ptx.run.machine.Windows;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Layout;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.Register;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Translates one function. Every operand becomes a slot of the register file: registers come first,
 * then temporaries and constants.
 */
public final class FunctionTranslator {
  private static final int MAX_LOCAL_BYTES = 512 * 1024;
  private static final int MAX_SLOTS = 1 << 22;

  private final ModuleSymbols module;
  private final Code code;
  private final PtxFunction function;
  private final Layout shared;
  private final Layout locals = new Layout();
  private final List<Op> ops = new ArrayList<>();
  private final List<Instruction> origins = new ArrayList<>();
  private final Map<Long, Integer> constants = new HashMap<>();
  private final Map<Integer, Long> constantSlots = new HashMap<>();
  private final List<Code.Relocation> relocations = new ArrayList<>();
  private final int[] starts;
  private int slots;
  private @Nullable Instruction current;

  public FunctionTranslator(ModuleSymbols module, Code code, Layout shared) {
    this.module = module;
    this.code = code;
    this.function = code.function;
    this.shared = shared;
    this.starts = new int[function.instructions().size() + 1];
    this.slots = function.registers();
  }

  /**
   * Translates the function, or marks it as refused if it has an instruction that cannot run.
   *
   * @throws PtxException if it needs more than any device has
   */
  public void translate() {
    checkSlots();
    for (Variable variable : function.locals()) {
      switch (variable.space()) {
        case PARAM -> code.paramLayout.add(variable);
        case LOCAL -> locals.add(variable);
        default -> {}
      }
    }
    if (locals.size() > MAX_LOCAL_BYTES || code.paramLayout.size() > MAX_LOCAL_BYTES) {
      throw new PtxException(
          function.line(), "'" + function.name() + "' needs more local memory than a thread has");
    }
    try {
      translateInstructions();
    } catch (PtxException e) {
      code.refuse(
          function.entry()
              ? e
              : new PtxException(e.line(), "function '" + function.name() + "' " + e.fact()));
    }
  }

  private void translateInstructions() {
    List<Instruction> instructions = function.instructions();
    for (int i = 0; i < instructions.size(); i++) {
      starts[i] = ops.size();
      current = instructions.get(i);
      translate(current);
    }
    starts[instructions.size()] = ops.size();
    // The end of the function, which is no instruction.
    ops.add(Lane::leave);
    code.ops = ops.toArray(new Op[0]);
    code.origins = origins.toArray(new Instruction[0]);
    code.template = new long[slots];
    constantSlots.forEach((slot, value) -> code.template[slot] = value);
    code.relocations = List.copyOf(relocations);
    code.paramBytes = (int) code.paramLayout.size();
    code.localBytes = (int) locals.size();
    code.localAlignment = locals.alignment();
  }

  private void translate(Instruction instruction) {
    Translation translation = new Translation(this, instruction);
    Op op = InstructionSet.translate(translation);
    Instruction.GuardPredicate guard = instruction.guard();
    emit(guard == null ? op : new Guarded(op, guard.predicate().index(), guard.negated() ? 0 : 1));
  }

  /** Adds a step before the current instruction's step. */
  void emit(Op op) {
    ops.add(op);
    origins.add(requireNonNull(current));
  }

  ModuleSymbols module() {
    return module;
  }

  /** Returns the code of a function that an instruction names, and that has a body. */
  Optional<Code> named(String name) {
    Optional<Code> named = module.code(name);
    named.ifPresent(code.named::add);
    return named;
  }

  Code code() {
    return code;
  }

  /**
   * Returns the index of each instruction's first step; filled once the whole function is
   * translated.
   */
  int[] starts() {
    return starts;
  }

  int temporary() {
    checkSlots();
    return slots++;
  }

  private void checkSlots() {
    if (slots > MAX_SLOTS) {
      throw new PtxException(
          function.line(), "'" + function.name() + "' uses more registers than any device has");
    }
  }

  int constant(long value) {
    return constants.computeIfAbsent(
        value,
        v -> {
          int slot = temporary();
          constantSlots.put(slot, v);
          return slot;
        });
  }

  int source(Translation translation, Operand operand, ScalarType type) {
    if (operand instanceof Operand.RegisterUse use) {
      return register(translation, use, type);
    }
    if (operand instanceof Operand.Element element) {
      checkWidth(translation, element.register(), type);
      return element.register().index() + element.element();
    }
    if (operand instanceof Operand.IntegerLiteral literal) {
      if (type == ScalarType.F32 || type == ScalarType.F64) {
        throw translation.unsupported("an integer constant stands where " + type + " is wanted");
      }
      return constant(literal.value() & type.mask());
    }
    if (operand instanceof Operand.FloatLiteral literal) {
      return constant(floatBits(translation, literal, type));
    }
    if (operand instanceof Operand.SpecialRegister special) {
      int slot = temporary();
      emit(SpecialRegisters.read(translation, special.name(), slot));
      return slot;
    }
    return address(translation, operand);
  }

  private int register(Translation translation, Operand.RegisterUse use, ScalarType type) {
    Register register = use.register();
    checkWidth(translation, register, type);
    if (!use.negated()) {
      return register.index();
    }
    if (register.type() != ScalarType.PRED) {
      throw translation.unsupported("'!' stands before " + register.name() + ", no predicate");
    }
    int slot = temporary();
    int from = register.index();
    emit(lane -> lane.registers[slot] = lane.registers[from] ^ 1);
    return slot;
  }

  private static void checkWidth(Translation translation, Register register, ScalarType type) {
    if (register.type().bits < type.bits
        || (register.type() == ScalarType.PRED) != (type == ScalarType.PRED)) {
      throw translation.unsupported(
          register.name() + " is declared " + register.type() + ", not as wide as " + type);
    }
  }

  private static long floatBits(
      Translation translation, Operand.FloatLiteral literal, ScalarType type) {
    return switch (type) {
      case F32 -> Float.floatToRawIntBits(literal.asFloat()) & 0xFFFF_FFFFL;
      case F64 -> Double.doubleToRawLongBits(literal.asDouble());
      default -> {
        if (type.bits != literal.type().bits) {
          throw translation.unsupported("a constant does not fit " + type);
        }
        yield literal.bits();
      }
    };
  }

  /** Returns the slot for a result; unwanted results go to a slot that is never read. */
  int destination(Translation translation, Operand operand, ScalarType type) {
    if (operand instanceof Operand.Sink) {
      return temporary();
    }
    if (operand instanceof Operand.RegisterUse use && !use.negated()) {
      checkWidth(translation, use.register(), type);
      return use.register().index();
    }
    if (operand instanceof Operand.Element element) {
      checkWidth(translation, element.register(), type);
      return element.register().index() + element.element();
    }
    throw translation.unsupported("its result does not go to a register");
  }

  /** Returns the width of a result's register; 64 if there is no register. */
  static int width(Operand operand) {
    if (operand instanceof Operand.RegisterUse use) {
      return use.register().type().bits;
    }
    return operand instanceof Operand.Element element ? element.register().type().bits : 64;
  }

  /** Returns a slot with the address of a variable or function, relative to its space. */
  int address(Translation translation, Operand operand) {
    if (operand instanceof Operand.VariableAddress use) {
      return address(translation, use.variable(), use.offset());
    }
    if (operand instanceof Operand.Name name) {
      Optional<Code> named = named(name.label().name());
      if (named.isPresent() && name.label().target() < 0) {
        return constant(Windows.FUNCTION + 16L * named.get().index);
      }
      throw translation.unsupported("'" + name.label().name() + "' is not declared");
    }
    throw translation.unsupported("an operand is not a register, a constant or an address");
  }

  private int address(Translation translation, Variable variable, long offset) {
    return switch (variable.space()) {
      case PARAM -> constant(code.paramLayout.offset(variable).orElseThrow() + offset);
      case CONST -> constant(module.constantOffset(variable) + offset);
      case SHARED -> shared(variable, offset);
      case GLOBAL -> global(variable, offset);
      case LOCAL -> local(translation, variable, offset);
      case GENERIC, REG ->
          throw translation.unsupported("'" + variable.name() + "' has no address");
    };
  }

  private int shared(Variable variable, long offset) {
    Optional<Long> fixed = shared.offset(variable);
    if (fixed.isPresent()) {
      return constant(fixed.get() + offset);
    }
    int slot = temporary();
    emit(lane -> lane.registers[slot] = lane.block.dynamicSharedBase + offset);
    return slot;
  }

  private int global(Variable variable, long offset) {
    int slot = temporary();
    relocations.add(new Code.Relocation(slot, module.globalIndex(variable), offset));
    return slot;
  }

  private int local(Translation translation, Variable variable, long offset) {
    long place =
        locals
                .offset(variable)
                .orElseThrow(
                    () -> translation.unsupported("local variables belong inside functions"))
            + offset;
    int slot = temporary();
    emit(lane -> lane.registers[slot] = lane.localBase + place);
    return slot;
  }
}
