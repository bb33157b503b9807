package dev.streamfence.internal.ptx.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

  /** Returns whether a modifier is written. */
  public boolean has(String modifier) {
    return modifiers.contains(modifier);
  }

  /** Returns the types that it names, in order: for a conversion, first that of the result. */
  public List<ScalarType> types() {
    List<ScalarType> types = new ArrayList<>(2);
    for (String modifier : modifiers) {
      ScalarType.named(modifier).ifPresent(types::add);
    }
    return types;
  }

  /** Returns the type that it names last, that of its operands; null if it names none. */
  public @Nullable ScalarType type() {
    for (int i = modifiers.size() - 1; i >= 0; i--) {
      Optional<ScalarType> type = ScalarType.named(modifiers.get(i));
      if (type.isPresent()) {
        return type.get();
      }
    }
    return null;
  }

  /** Returns whether it names a floating-point type. */
  public boolean isFloat() {
    for (String modifier : modifiers) {
      if (ScalarType.named(modifier).map(ScalarType::isFloat).orElse(false)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the state spaces that it names, in order; only those of a block's own memory. */
  public List<StateSpace> spaces() {
    return modifiers.stream().map(StateSpace::named).flatMap(Optional::stream).toList();
  }
}
