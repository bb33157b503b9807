package dev.streamfence.internal.ptx.syntax;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One instruction as written.
 *
 * @param line counted from 1
 * @param guard the predicate it runs under, or null
 * @param opcode the word before the first dot
 * @param modifiers the words after the dots, in order
 * @param source its position in the source, as far as the text tells
 */
public record Instruction(
    int line,
    @Nullable GuardPredicate guard,
    String opcode,
    List<String> modifiers,
    List<Operand> operands,
    SourceLine source) {

  /**
   * A predicate before an instruction.
   *
   * @param negated written {@code @!p}
   */
  public record GuardPredicate(Register predicate, boolean negated) {}

  /** Copies the lists. */
  public Instruction {
    modifiers = List.copyOf(modifiers);
    operands = List.copyOf(operands);
  }

  /** Returns opcode and modifiers as they were written, for messages. */
  public String mnemonic() {
    return modifiers.isEmpty() ? opcode : opcode + "." + String.join(".", modifiers);
  }
}
