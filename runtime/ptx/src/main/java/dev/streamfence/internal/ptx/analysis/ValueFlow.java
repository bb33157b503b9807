package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.BitArithmetic;
import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.analysis.lattice.ProvenanceArithmetic;
import dev.streamfence.internal.ptx.ir.RegisterSlots;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.Register;
import java.util.List;

/** The data flow through operands: reads the values of sources, and assigns to destinations. */
final class ValueFlow {
  private final AccessAnalysis analysis;

  ValueFlow(AccessAnalysis analysis) {
    this.analysis = analysis;
  }

  /** Returns the provenance of an operand; a number if there is no such operand. */
  Provenance source(Step step, int index) {
    List<Operand> operands = step.instruction().operands();
    if (index >= operands.size()) {
      return Provenance.NUMBER;
    }
    Provenance value = value(step, operands.get(index));
    // The work of a transfer function grows with the alternatives of its operands.
    analysis.worklist().charge(value.weight() / 8);
    return value;
  }

  Provenance value(Step step, Operand operand) {
    if (operand instanceof Operand.RegisterUse use) {
      Register register = use.register();
      Provenance value = register(step, register.index());
      for (int i = 1; i < register.vectorLength(); i++) {
        value = BitArithmetic.assemble(value, register(step, register.index() + i));
      }
      return value;
    }
    if (operand instanceof Operand.Element element) {
      return register(step, element.register().index() + element.element());
    }
    if (operand instanceof Operand.IntegerLiteral literal) {
      return Provenance.of(Derivation.constant(literal.value()));
    }
    if (operand instanceof Operand.VariableAddress use) {
      int origin = analysis.origin(step.activation(), use.variable());
      return Provenance.of(Derivation.of(origin, use.offset()));
    }
    if (operand instanceof Operand.Name name) {
      return Provenance.of(Derivation.of(analysis.origin(name.label().name()), name.offset()));
    }
    if (operand instanceof Operand.Vector vector) {
      return assembled(step, vector.elements());
    }
    if (operand instanceof Operand.Arguments arguments) {
      return assembled(step, arguments.elements());
    }
    if (operand instanceof Operand.Pair pair) {
      return assembled(step, List.of(pair.first(), pair.second()));
    }
    if (operand instanceof Operand.Memory memory) {
      return ProvenanceArithmetic.add(
          value(step, memory.base()), Provenance.of(Derivation.constant(memory.offset())));
    }
    return Provenance.NUMBER;
  }

  /** Returns whether any instruction of the function adds the carry flag. */
  boolean hasCarry(Step step) {
    return step.activation().flow().slots().carry() >= 0;
  }

  /** Returns the provenance of the carry flag. */
  Provenance carry(Step step) {
    return register(step, step.activation().flow().slots().carry());
  }

  private static Provenance register(Step step, int register) {
    Activation activation = step.activation();
    return activation.slot(activation.flow().slots().use(step.index(), register));
  }

  private Provenance assembled(Step step, List<Operand> elements) {
    Provenance value = Provenance.ZERO;
    for (int i = 0; i < elements.size(); i++) {
      Provenance element = value(step, elements.get(i));
      value = i == 0 ? element : BitArithmetic.assemble(value, element);
    }
    return value;
  }

  /** Adds the simple operands inside an operand, at any depth of brackets. */
  static void addSimple(Operand operand, List<Operand> simple) {
    if (operand instanceof Operand.Memory memory) {
      // An address in brackets counts with its offset.
      simple.add(new Operand.Memory(memory.base(), memory.offset(), List.of()));
      memory.more().forEach(more -> addSimple(more, simple));
    } else if (operand instanceof Operand.Arguments arguments) {
      arguments.elements().forEach(element -> addSimple(element, simple));
    } else if (operand.parts().size() > 1) {
      operand.parts().forEach(part -> addSimple(part, simple));
    } else {
      simple.addAll(operand.parts());
    }
  }

  /** Assigns a value to every register in an operand. */
  void assign(Step step, Operand destination, Provenance value) {
    if (destination instanceof Operand.RegisterUse use && destination.isSingle()) {
      assign(step, use.register(), 0, value);
      return;
    }
    for (Operand part : destination.parts()) {
      if (part instanceof Operand.RegisterUse use) {
        assign(step, use.register(), 0, value);
      } else if (part instanceof Operand.Element element) {
        assign(step, element.register(), element.element(), value);
      } else if (part instanceof Operand.Memory memory) {
        assign(step, memory.base(), value);
      }
    }
  }

  private void assign(Step step, Register register, int element, Provenance value) {
    assign(
        step, register.index() + element, ProvenanceArithmetic.held(value, register.type().bits));
  }

  /** Assigns to the carry flag. */
  void assignCarry(Step step, Provenance value) {
    assign(step, step.activation().flow().slots().carry(), value);
  }

  private void assign(Step step, int index, Provenance held) {
    RegisterSlots slots = step.activation().flow().slots();
    int slot = slots.assignment(step.index(), index);
    analysis.assign(step.activation(), slot, held);
    if (slot != index && slots.isLasting(slot)) {
      analysis.assign(step.activation(), index, held);
    }
  }
}
