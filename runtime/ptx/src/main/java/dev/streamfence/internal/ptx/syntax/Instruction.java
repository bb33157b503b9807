package dev.streamfence.internal.ptx.syntax;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One instruction as written.
 *
 * @param line counted from 1
 * @param guard the predicate it runs under, or null
 * @param words the opcode and the modifiers
 * @param source its position in the source, as far as the text tells
 */
public record Instruction(
    int line,
    @Nullable GuardPredicate guard,
    Mnemonic words,
    List<Operand> operands,
    SourceLine source) {

  /**
   * A predicate before an instruction.
   *
   * @param negated written {@code @!p}
   */
  public record GuardPredicate(Register predicate, boolean negated) {}

  /** Copies the list. */
  public Instruction {
    operands = List.copyOf(operands);
  }

  /** Returns the word before the first dot. */
  public String opcode() {
    return words.opcode();
  }

  /** Returns the words after the dots, in order. */
  public List<String> modifiers() {
    return words.modifiers();
  }

  /** Returns opcode and modifiers as they were written, for messages. */
  public String mnemonic() {
    return words.toString();
  }

  /** Returns whether a modifier is written. */
  public boolean has(String modifier) {
    return words.modifiers().contains(modifier);
  }

  /** Returns the types that it names, in order: for a conversion, first that of the result. */
  public List<ScalarType> types() {
    return words.types();
  }

  /** Returns the type that it names last, that of its operands; null if it names none. */
  public @Nullable ScalarType type() {
    List<ScalarType> types = words.types();
    return types.isEmpty() ? null : types.get(types.size() - 1);
  }

  /** Returns whether it names a floating-point type. */
  public boolean isFloat() {
    List<ScalarType> types = words.types();
    for (int i = 0; i < types.size(); i++) {
      if (types.get(i).isFloat()) {
        return true;
      }
    }
    return false;
  }

  /** Returns the state spaces that it names, in order; only those of a block's own memory. */
  public List<StateSpace> spaces() {
    return words.spaces();
  }
}
