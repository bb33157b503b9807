package dev.streamfence.internal.ptx.analysis.controlflow;

import dev.streamfence.internal.ptx.syntax.Operand;
import java.util.function.IntConsumer;

/** Finds the registers in operands. */
final class Registers {
  private Registers() {}

  /**
   * Visits the index of each register that an operand names, including all elements of a vector.
   */
  static void forEach(Operand operand, IntConsumer visitor) {
    if (operand instanceof Operand.RegisterUse use) {
      for (int i = 0; i < use.register().vectorLength(); i++) {
        visitor.accept(use.register().index() + i);
      }
    } else if (operand instanceof Operand.Element element) {
      visitor.accept(element.register().index() + element.element());
    } else if (operand instanceof Operand.Memory memory) {
      forEach(memory.base(), visitor);
      memory.more().forEach(more -> forEach(more, visitor));
    } else if (operand instanceof Operand.Vector vector) {
      vector.elements().forEach(element -> forEach(element, visitor));
    } else if (operand instanceof Operand.Arguments arguments) {
      arguments.elements().forEach(element -> forEach(element, visitor));
    } else if (operand instanceof Operand.Pair pair) {
      forEach(pair.first(), visitor);
      forEach(pair.second(), visitor);
    }
  }
}
