package dev.streamfence.internal.ptx.run.instruction;

import dev.streamfence.internal.ptx.run.arithmetic.Comparison;
import dev.streamfence.internal.ptx.run.arithmetic.Rounding;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Lexer;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The translation of one instruction to an executable step: hands out its modifiers and operands,
 * and tracks the modifiers that have not been taken.
 */
final class Translation {
  private final FunctionTranslator function;
  private final Instruction instruction;
  private final List<String> modifiers;

  Translation(FunctionTranslator function, Instruction instruction) {
    this.function = function;
    this.instruction = instruction;
    this.modifiers = new ArrayList<>(instruction.modifiers());
  }

  FunctionTranslator function() {
    return function;
  }

  Instruction instruction() {
    return instruction;
  }

  String opcode() {
    return instruction.opcode();
  }

  int operands() {
    return instruction.operands().size();
  }

  /** Takes a modifier if it is present; returns whether it was. */
  boolean has(String modifier) {
    return modifiers.remove(modifier);
  }

  /** Takes the first of these modifiers that is present. */
  Optional<String> oneOf(String... wanted) {
    for (String modifier : wanted) {
      if (modifiers.remove(modifier)) {
        return Optional.of(modifier);
      }
    }
    return Optional.empty();
  }

  /** Takes the first of these modifiers that is present, one of which the instruction needs. */
  String anyOf(String otherwise, String... wanted) {
    return oneOf(wanted).orElseThrow(() -> unsupported(otherwise));
  }

  /** Takes the first modifier with this prefix. */
  Optional<String> startingWith(String prefix) {
    for (String modifier : modifiers) {
      if (modifier.startsWith(prefix)) {
        modifiers.remove(modifier);
        return Optional.of(modifier);
      }
    }
    return Optional.empty();
  }

  Optional<StateSpace> space() {
    for (String modifier : modifiers) {
      Optional<StateSpace> space = StateSpace.named(modifier);
      if (space.isPresent()) {
        modifiers.remove(modifier);
        return space;
      }
    }
    return Optional.empty();
  }

  /** Takes the first modifier that names a type. */
  ScalarType type() {
    return optionalType().orElseThrow(() -> unsupported("it names no type that is supported"));
  }

  /** Takes the first modifier that names a type, which must be one that the instruction has. */
  ScalarType type(Predicate<ScalarType> works) {
    ScalarType type = type();
    if (!works.test(type)) {
      throw unsupported(type + " is not a type it works on");
    }
    return type;
  }

  Optional<ScalarType> optionalType() {
    for (String modifier : modifiers) {
      Optional<ScalarType> type = ScalarType.named(modifier);
      if (type.isPresent()) {
        modifiers.remove(modifier);
        return type;
      }
    }
    return Optional.empty();
  }

  /** Returns the last type among the modifiers, without taking it. */
  Optional<ScalarType> lastType() {
    Optional<ScalarType> last = Optional.empty();
    for (String modifier : modifiers) {
      Optional<ScalarType> type = ScalarType.named(modifier);
      last = type.isPresent() ? type : last;
    }
    return last;
  }

  /** Takes a floating-point rounding modifier. */
  Optional<Rounding> rounding() {
    return oneOf("rn", "rz", "rm", "rp", "rna").map(Rounding::named);
  }

  /** Takes a modifier that rounds to an integer. */
  Optional<Rounding> integralRounding() {
    return oneOf("rni", "rzi", "rmi", "rpi")
        .map(modifier -> Rounding.named(modifier.substring(0, 2)));
  }

  /** Takes the comparison that the instruction makes. */
  Optional<String> comparison() {
    return oneOf(Comparison.NAMES.toArray(new String[0]));
  }

  Operand operand(int index) {
    if (index >= operands()) {
      throw unsupported("it has " + operands() + " operands, fewer than it needs");
    }
    return instruction.operands().get(index);
  }

  int source(int index, ScalarType type) {
    return function.source(this, operand(index), type);
  }

  int destination(int index, ScalarType type) {
    return function.destination(this, operand(index), type);
  }

  /** Returns an operand that must be an integer constant. */
  int constant(int index) {
    if (operand(index) instanceof Operand.IntegerLiteral literal) {
      return (int) literal.value();
    }
    throw unsupported("operand " + (index + 1) + " must be a constant");
  }

  void expectOperands(int least, int most) {
    if (operands() < least || operands() > most) {
      throw unsupported(
          "it has "
              + operands()
              + " operands instead of "
              + least
              + (most > least ? " to " + most : ""));
    }
  }

  /** Refuses the instruction if a modifier has not been taken. */
  void finish() {
    if (!modifiers.isEmpty()) {
      throw unsupported("modifier ." + Lexer.shortened(modifiers.get(0)) + " is not supported");
    }
  }

  PtxException unsupported(String why) {
    return new PtxException(
        instruction.line(), "cannot run '" + Lexer.shortened(instruction.mnemonic()) + "': " + why);
  }
}
