package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.BitArithmetic;
import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The data flow of instructions that access memory; reports the accesses to the ledger. */
final class MemoryFlow {
  private final AccessAnalysis analysis;
  private final ValueFlow values;
  private final ObjectFlow objects;

  MemoryFlow(AccessAnalysis analysis, ValueFlow values, ObjectFlow objects) {
    this.analysis = analysis;
    this.values = values;
    this.objects = objects;
  }

  void evaluate(Step step, Opcode rule) {
    List<Operand> operands = step.instruction().operands();
    List<StateSpace> spaces = spaces(step.instruction());
    int ordinal = 0;
    boolean isAccess = false;
    for (int i = 0; i < operands.size(); i++) {
      Operand operand = operands.get(i);
      char letter = rule.letter(i);
      boolean inMemory = operand instanceof Operand.Memory;
      if (letter == ' ') {
        letter = inMemory ? 'b' : 'v';
      }
      if (letter == 't') {
        letter = ((Operand.Memory) operand).more().isEmpty() ? 'b' : 'u';
      }
      switch (letter) {
        case 'r', 'w', 'b' -> {
          StateSpace space = space(spaces, ordinal++, rule);
          access(step, rule, operand, space, letter);
          isAccess = true;
        }
        case 'u' -> {
          ordinal++;
          analysis
              .escapes()
              .unknown(step, values.value(step, operand), "the memory behind it is unknown");
        }
        case 's' -> analysis.escapes().open(step, StateSpace.SHARED);
        case 'v' -> {
          if (!isAccess) {
            analysis.escapes().handOut(step, values.value(step, operand), "it is stored");
          }
        }
        case 'D' -> values.assign(step, operand, Provenance.NUMBER);
        case 'L' -> values.assign(step, operand, Provenance.loaded(Integer.SIZE));
        case 'A' -> values.assign(step, operand, accumulated(step));
        default -> {}
      }
    }
  }

  /** Returns the provenance of a sum of products, to which any operand may contribute. */
  private Provenance accumulated(Step step) {
    Provenance sum = Provenance.LOADED;
    for (Operand operand : step.instruction().operands()) {
      Provenance value = values.value(step, operand);
      sum = value.isBottom() ? sum : BitArithmetic.mix(sum, value);
    }
    return BitArithmetic.narrowed(sum, Long.SIZE);
  }

  private void access(Step step, Opcode rule, Operand operand, StateSpace space, char letter) {
    Provenance address = values.value(step, operand);
    if (space == StateSpace.GENERIC
        || space == StateSpace.GLOBAL
        || (space == StateSpace.CONST && analysis.ledger().hasVariables())) {
      analysis
          .ledger()
          .access(step, operand, address, letter != 'w', letter != 'r', word(step.instruction()));
    }
    boolean first = firstAddress(step, operand);
    if (letter != 'w' && first && rule.letter(0) == 'd') {
      load(step, address, space);
    }
    if (rule.effect() == Opcode.Effect.COPIES || !first) {
      copy(step, address, space, letter);
    } else if (letter != 'r') {
      store(step, rule, address, space);
    }
  }

  private static boolean firstAddress(Step step, Operand operand) {
    for (Operand each : step.instruction().operands()) {
      if (each instanceof Operand.Memory) {
        return each == operand;
      }
    }
    return false;
  }

  private void load(Step step, Provenance address, StateSpace space) {
    Instruction instruction = step.instruction();
    List<Operand> parts = instruction.operands().get(0).parts();
    int width = Widths.element(instruction);
    boolean plain = Widths.isPlain(instruction);
    for (int i = 0; i < parts.size(); i++) {
      Provenance loaded =
          plain
              ? objects.load(step, address, space, (long) i * width, width)
              : objects.loadAnywhere(step, address, space, width);
      values.assign(step, parts.get(i), loaded);
    }
  }

  private void store(Step step, Opcode rule, Provenance address, StateSpace space) {
    Instruction instruction = step.instruction();
    List<Operand> operands = instruction.operands();
    int width = Widths.element(instruction);
    boolean found = false;
    for (int i = 0; i < operands.size(); i++) {
      boolean value = rule.letter(i) == 'v' || rule.letter(i) == ' ';
      if (!value || operands.get(i) instanceof Operand.Memory) {
        continue;
      }
      found = true;
      List<Operand> parts = operands.get(i).parts();
      for (int part = 0; part < parts.size(); part++) {
        Provenance what = values.value(step, parts.get(part));
        if (rule.effect() == Opcode.Effect.ATOMIC) {
          // An atomic operation computes the new value from the old one.
          what =
              what.join(what.map(what.isNumber() ? Derivation::unbounded : BitArithmetic::unclear));
        }
        if (Widths.isPlain(instruction)) {
          objects.store(step, address, space, (long) part * width, width, what);
        } else {
          objects.storeAnywhere(step, address, space, width, what);
        }
      }
    }
    if (!found) {
      Provenance stored =
          rule.effect() == Opcode.Effect.UNKNOWN ? Provenance.FOREIGN : Provenance.NUMBER;
      objects.storeAnywhere(step, address, space, width, stored);
    }
  }

  /** Handles copies, whose length is not analysed, and the counters that they update. */
  private void copy(Step step, Provenance address, StateSpace space, char letter) {
    if (letter != 'w') {
      objects.expose(step, address, space);
    }
    if (letter != 'r') {
      objects.storeAnywhere(step, address, space, analysis.pointerBytes(), Provenance.FOREIGN);
    }
  }

  /**
   * Returns the width of a load or store of one word, or of an operation on one floating-point
   * number in memory; 0 for vectors and all other accesses.
   */
  private static int word(Instruction instruction) {
    boolean isWord =
        switch (instruction.opcode()) {
          case "ld", "ldu", "st" -> true;
          case "atom", "red" ->
              instruction.type() == ScalarType.F32 || instruction.type() == ScalarType.F64;
          default -> false;
        };
    return isWord && instruction.operands().stream().allMatch(Operand::isSingle)
        ? Widths.element(instruction)
        : 0;
  }

  /** Returns the space that a modifier names. */
  static Optional<StateSpace> space(String modifier) {
    if (modifier.startsWith("shared")) {
      return Optional.of(StateSpace.SHARED);
    }
    return modifier.equals("reg") ? Optional.empty() : StateSpace.named(modifier);
  }

  private static List<StateSpace> spaces(Instruction instruction) {
    List<StateSpace> spaces = new ArrayList<>();
    for (String modifier : instruction.modifiers()) {
      space(modifier).ifPresent(spaces::add);
    }
    return spaces;
  }

  /** Returns the space of an address; generic if the text names none. */
  private static StateSpace space(List<StateSpace> spaces, int ordinal, Opcode rule) {
    int addresses = 0;
    for (int i = 0; i < rule.operands().length(); i++) {
      addresses += "rwbtu".indexOf(rule.letter(i)) >= 0 ? 1 : 0;
    }
    boolean each = spaces.size() > 1 || addresses == 1;
    return each && ordinal < spaces.size() ? spaces.get(ordinal) : StateSpace.GENERIC;
  }
}
