package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.AddressJudge;
import dev.streamfence.internal.ptx.analysis.lattice.BitArithmetic;
import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.analysis.lattice.ProvenanceArithmetic;
import dev.streamfence.internal.ptx.ir.Carry;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.List;
import java.util.Optional;

/** The data flow of instructions that compute: applies the transfer function of each opcode. */
final class ComputeFlow {
  private final AccessAnalysis analysis;
  private final ValueFlow values;

  ComputeFlow(AccessAnalysis analysis, ValueFlow values) {
    this.analysis = analysis;
    this.values = values;
  }

  void evaluate(Step step, Opcode.Transfer transfer) {
    List<Operand> operands = step.instruction().operands();
    if (operands.isEmpty()) {
      return;
    }
    Operand destination = operands.get(0);
    if (transfer == Opcode.Transfer.ALLOCATE) {
      int origin = analysis.activations().allocation(step).origin();
      values.assign(step, destination, Provenance.of(Derivation.of(origin)));
      return;
    }
    if (transfer == Opcode.Transfer.FIRST && isSplit(destination, operands)) {
      split(step, destination);
      return;
    }
    Provenance result = result(step, transfer);
    if (result.hasLimits() && !isWhole(step.instruction())) {
      result = result.map(Derivation::unbounded);
    }
    result = SmallNumbers.limited(step, values, result);
    if (Carry.isAdded(step.instruction())) {
      result = narrowed(step.instruction(), ProvenanceArithmetic.add(result, values.carry(step)));
    }
    values.assign(step, destination, result);
    if (values.hasCarry(step) && Carry.isAssigned(step.instruction())) {
      // Whether the sum is too large is one bit of the operands, and of the carry before it.
      Provenance before =
          Carry.isAdded(step.instruction()) ? values.carry(step) : Provenance.NUMBER;
      values.assignCarry(step, BitArithmetic.part(BitArithmetic.mix(mix(step), before)));
    }
  }

  /**
   * Returns whether the instruction computes with the whole of its operands, as numbers of its
   * type: packed types have several numbers, floating point may flush small ones to 0, a product of
   * 24 bits ignores the others, and a literal may stand for the number with the other sign.
   */
  private static boolean isWhole(Instruction instruction) {
    List<ScalarType> types = instruction.types();
    if (types.isEmpty()
        || instruction.isFloat()
        || instruction.opcode().equals("mul24")
        || instruction.opcode().equals("mad24")) {
      return false;
    }
    return !instruction.has("wide")
        || instruction.operands().stream()
            .skip(1)
            .limit(2)
            .noneMatch(
                each ->
                    each instanceof Operand.IntegerLiteral literal
                        && literal.value() >>> (types.get(0).bits - 1) != 0);
  }

  /** Returns whether the instruction splits a value, as {@code mov.b64 {lo, hi}, x} does. */
  private static boolean isSplit(Operand destination, List<Operand> operands) {
    return !destination.isSingle() && operands.size() > 1 && !(destination instanceof Operand.Pair);
  }

  private void split(Step step, Operand destination) {
    List<Operand> to = destination.parts();
    List<Operand> from = step.instruction().operands().get(1).parts();
    Provenance whole = values.source(step, 1);
    for (int i = 0; i < to.size(); i++) {
      Provenance part =
          from.size() == to.size()
              ? values.value(step, from.get(i))
              // Elements as wide as an address may hold one each.
              : Widths.result(step.instruction()) > 64
                  ? whole.map(BitArithmetic::unclear)
                  : BitArithmetic.part(whole);
      values.assign(step, to.get(i), part);
    }
  }

  private Provenance result(Step step, Opcode.Transfer transfer) {
    Instruction instruction = step.instruction();
    boolean floating = instruction.isFloat();
    return switch (transfer) {
      case FIRST -> {
        Provenance source = values.source(step, 1);
        yield narrowed(
            instruction, instruction.opcode().equals("cvta") ? generic(step, source) : source);
      }
      case SELECT -> values.source(step, 1).join(values.source(step, 2));
      case JOIN -> {
        Provenance any = values.source(step, 1);
        for (int i = 2; i < instruction.operands().size(); i++) {
          any = any.join(values.source(step, i));
        }
        yield any;
      }
      case CONVERT -> converted(step);
      case BITS, MATRIX -> floating ? computed(step) : narrowed(instruction, bits(step));
      case INSERT -> narrowed(instruction, BitArithmetic.raised(bits(step)));
      case COUNT -> BitArithmetic.count(values.source(step, 1));
      case MIX -> narrowed(instruction, mix(step));
      case SHUFFLE -> narrowed(instruction, exchanged(step));
      case REDUCE -> narrowed(instruction, BitArithmetic.mix(exchanged(step), exchanged(step)));
      case NEGATE -> {
        Provenance a = values.source(step, 1);
        yield floating
            ? a.map(BitArithmetic::unclear)
            : narrowed(instruction, a.map(ProvenanceArithmetic::opposite));
      }
      case AND -> {
        Provenance and = BitArithmetic.and(values.source(step, 1), values.source(step, 2));
        yield narrowed(instruction, and);
      }
      case OR -> {
        Provenance or =
            BitArithmetic.or(values.source(step, 1), values.source(step, 2), analysis::alignment);
        yield narrowed(instruction, or);
      }
      case NONE, NUMBER, COMPARE, LANES, ALLOCATE -> Provenance.NUMBER;
      case ADD, SUBTRACT, MULTIPLY, MULTIPLY_ADD, SHIFT_LEFT ->
          floating ? computed(step) : narrowed(instruction, arithmetic(step, transfer));
    };
  }

  /**
   * Returns the provenance of what any lane passes to an instruction of this kind. Lanes in other
   * branches take part if they run an instruction with the same modifiers.
   */
  private Provenance exchanged(Step step) {
    MemoryObject lanes = analysis.lanes(step.instruction());
    if (lanes.storeAnywhere(Long.BYTES, values.source(step, 1))) {
      analysis.changed(lanes);
    }
    lanes.dependents().add(step);
    return lanes.loadAnywhere(Long.BYTES);
  }

  /**
   * Returns the provenance of an address that is converted between a state space and generic
   * addresses. Unless the address is known to be a variable's, its generic form may be the address
   * of any variable in the space, because it is a sum with the start of the space.
   */
  private Provenance generic(Step step, Provenance source) {
    List<String> modifiers = step.instruction().modifiers();
    if (modifiers.contains("to") || modifiers.contains("global")) {
      analysis.ledger().convert(step, step.instruction().operands().get(1), source);
      Provenance converted = AddressJudge.converted(source);
      return modifiers.contains("to") ? converted : opened(step, converted);
    }
    return opened(step, source);
  }

  private Provenance opened(Step step, Provenance source) {
    List<String> modifiers = step.instruction().modifiers();
    if (source.alternatives().stream().allMatch(Derivation::hasObject)) {
      return source;
    }
    Provenance address = source;
    for (String modifier : modifiers) {
      Optional<StateSpace> space = MemoryFlow.space(modifier);
      if (space.isPresent()) {
        analysis.escapes().open(step, space.get());
        if (space.get() != StateSpace.GLOBAL) {
          address =
              source.map(
                  each -> each.hasObject() ? each : BitArithmetic.unclear(each).withForeign(true));
        }
      }
    }
    return address;
  }

  /**
   * Returns the provenance of a floating-point result, in which bits of the operands may survive.
   */
  private Provenance computed(Step step) {
    boolean origin = false;
    for (int i = 1; i < step.instruction().operands().size(); i++) {
      Provenance source = values.source(step, i);
      if (source.isBottom()) {
        return Provenance.BOTTOM;
      }
      origin |= !source.hasNoOrigin();
    }
    return narrowed(step.instruction(), origin ? mix(step) : Provenance.LOADED);
  }

  private Provenance arithmetic(Step step, Opcode.Transfer transfer) {
    Provenance a = values.source(step, 1);
    Provenance b = values.source(step, 2);
    return switch (transfer) {
      case SUBTRACT -> ProvenanceArithmetic.subtract(a, b);
      case MULTIPLY -> ProvenanceArithmetic.multiply(a, b);
      case MULTIPLY_ADD ->
          ProvenanceArithmetic.add(ProvenanceArithmetic.multiply(a, b), values.source(step, 3));
      case SHIFT_LEFT -> ProvenanceArithmetic.shiftLeft(a, b);
      default -> ProvenanceArithmetic.add(a, b);
    };
  }

  private Provenance converted(Step step) {
    Provenance a = values.source(step, 1);
    if (step.instruction().operands().size() > 2) {
      return bits(step);
    }
    int narrowest = analysis.pointerBits();
    for (ScalarType type : step.instruction().types()) {
      narrowest = Math.min(narrowest, type.bits);
    }
    Provenance whole = step.instruction().isFloat() ? BitArithmetic.part(a) : a;
    return narrowest < analysis.pointerBits() ? BitArithmetic.narrowed(whole, narrowest) : whole;
  }

  /** Returns the provenance of a result that contains bits of the operands at other positions. */
  private Provenance bits(Step step) {
    Provenance only = Provenance.BOTTOM;
    int strong = 0;
    int operands = step.instruction().operands().size();
    for (int i = 1; i < operands; i++) {
      Provenance source = values.source(step, i);
      if (source.isBottom()) {
        return Provenance.BOTTOM;
      }
      if (!source.isNumber()) {
        strong++;
        only = source;
      }
    }
    return strong == 1 ? BitArithmetic.part(only) : mix(step);
  }

  private Provenance mix(Step step) {
    Provenance mixed = Provenance.ZERO;
    for (int i = 1; i < step.instruction().operands().size(); i++) {
      mixed = BitArithmetic.mix(mixed, values.source(step, i));
    }
    return mixed;
  }

  /** Narrows a value to the width of the result, which may be too small for a pointer. */
  private Provenance narrowed(Instruction instruction, Provenance value) {
    int width = Widths.result(instruction);
    return width < analysis.pointerBits() ? BitArithmetic.narrowed(value, width) : value;
  }
}
