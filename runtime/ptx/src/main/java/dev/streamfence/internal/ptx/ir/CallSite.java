package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The operands of a call instruction by their meaning.
 *
 * @param target the function, by its name or in a register; null if there is none
 * @param odd operands at positions where the language has none
 */
public record CallSite(
    @Nullable Operand target, List<Operand> arguments, List<Operand> results, List<Operand> odd) {
  /** Reads a call. */
  public static CallSite of(Instruction instruction) {
    List<Operand> operands = instruction.operands();
    int at = 0;
    List<Operand> results = List.of();
    if (!operands.isEmpty() && operands.get(0) instanceof Operand.Arguments listed) {
      results = listed.elements();
      at = 1;
    }
    Operand target = at < operands.size() ? operands.get(at) : null;
    List<Operand> arguments = List.of();
    if (++at < operands.size() && operands.get(at) instanceof Operand.Arguments listed) {
      arguments = listed.elements();
      at++;
    }
    List<Operand> odd = new ArrayList<>();
    for (; at < operands.size(); at++) {
      // A name refers to a prototype or to a list of targets.
      if (!(operands.get(at) instanceof Operand.Name)) {
        odd.add(operands.get(at));
      }
    }
    return new CallSite(target, arguments, results, odd);
  }

  /** Returns the name of the function, if the instruction has it. */
  public Optional<String> name() {
    return target instanceof Operand.Name name
        ? Optional.of(name.label().name())
        : Optional.empty();
  }
}
