package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.ir.OpcodeTable;
import dev.streamfence.internal.ptx.run.machine.Op;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Every instruction that the interpreter runs: the integer operations of the table of opcodes, and
 * the opcodes that have another meaning, with their translators.
 */
final class InstructionSet {
  /** Makes the step of one instruction. */
  @FunctionalInterface
  interface Translator {
    Op translate(Translation translation);
  }

  private static final Map<String, Translator> TRANSLATORS = new HashMap<>();

  static {
    ArithmeticInstructions.addTo(TRANSLATORS);
    BitInstructions.addTo(TRANSLATORS);
    ShiftInstructions.addTo(TRANSLATORS);
    CarryInstructions.addTo(TRANSLATORS);
    ApproximateInstructions.addTo(TRANSLATORS);
    ComparisonInstructions.addTo(TRANSLATORS);
    MoveInstructions.addTo(TRANSLATORS);
    ConversionInstructions.addTo(TRANSLATORS);
    MemoryInstructions.addTo(TRANSLATORS);
    AtomicInstructions.addTo(TRANSLATORS);
    BarrierInstructions.addTo(TRANSLATORS);
    WarpInstructions.addTo(TRANSLATORS);
    ControlInstructions.addTo(TRANSLATORS);
  }

  private InstructionSet() {}

  /** The opcodes, without modifiers. */
  static Set<String> opcodes() {
    Set<String> all = new HashSet<>(OpcodeTable.ofOperations());
    all.addAll(TRANSLATORS.keySet());
    return all;
  }

  static Op translate(Translation translation) {
    Optional<Op> integer = IntegerInstructions.translate(translation);
    if (integer.isPresent()) {
      return integer.get();
    }
    Op op =
        TRANSLATORS
            .getOrDefault(translation.opcode(), IntegerInstructions::refuse)
            .translate(translation);
    translation.finish();
    return op;
  }
}
