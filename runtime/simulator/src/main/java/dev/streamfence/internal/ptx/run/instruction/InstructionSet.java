package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.machine.Op;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Every opcode that the interpreter runs, with its translator. */
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
    return Set.copyOf(TRANSLATORS.keySet());
  }

  static Op translate(Translation translation) {
    Translator translator = TRANSLATORS.get(translation.opcode());
    if (translator == null) {
      throw translation.unsupported("the simulated device does not know this opcode");
    }
    Op op = translator.translate(translation);
    translation.finish();
    return op;
  }
}
