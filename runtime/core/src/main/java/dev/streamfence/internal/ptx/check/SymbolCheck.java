package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.check.SymbolMismatch.SymbolDifference;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.Variable;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelSymbol;
import java.util.Locale;
import java.util.Optional;

/**
 * Compares declared variables with those of a module: that they exist, and the size, the alignment
 * and the width and kind of their elements. Compilers declare arrays and structures as bytes, which
 * fit all elements, as {@code byte[]} fits all variables. Stateless.
 */
public final class SymbolCheck {
  private SymbolCheck() {}

  /** Returns the first difference between a variable and its declaration, if there is any. */
  public static Optional<SymbolMismatch> compare(PtxModule module, KernelSymbol declared) {
    String name = declared.name();
    Optional<Variable> found =
        module.deviceVariables().stream()
            .filter(variable -> variable.name().equals(name))
            .findFirst();
    if (found.isEmpty()) {
      String instead =
          EntryNames.insteadOf(
              name, module.deviceVariables().stream().map(Variable::name).toList(), "Symbol");
      return Optional.of(
          new SymbolMismatch(
              SymbolDifference.NO_VARIABLE,
              "the code has no variable " + name + "; it has " + instead));
    }
    Variable variable = found.get();
    Optional<SymbolMismatch> layout =
        compare(declared, variable.sizeInBytes(), variable.alignment());
    return layout.isPresent() ? layout : compareElements(declared, variable);
  }

  /**
   * Returns the difference between a declaration and a variable of which only this much is known.
   *
   * @param alignment of its address: a power of two, or any multiple of it
   */
  public static Optional<SymbolMismatch> compare(
      KernelSymbol declared, long sizeInBytes, long alignment) {
    ElementType type = declared.elementType();
    int element = type.sizeInBytes();
    if (sizeInBytes % element != 0) {
      return Optional.of(
          layout(declared, sizeInBytes + " bytes, not a multiple of the " + element));
    }
    return alignment % element == 0
        ? Optional.empty()
        : Optional.of(
            layout(declared, "an alignment of " + alignment + " bytes, less than the " + element));
  }

  private static SymbolMismatch layout(KernelSymbol declared, String fact) {
    return new SymbolMismatch(
        SymbolDifference.LAYOUT,
        "variable "
            + declared.name()
            + " has "
            + fact
            + " of a "
            + declared.elementType().primitive());
  }

  private static Optional<SymbolMismatch> compareElements(
      KernelSymbol declared, Variable variable) {
    return declared.elementType() == ElementType.BYTE
            || isOfBytes(variable)
            || areElements(variable.type(), declared.elementType())
        ? Optional.empty()
        : Optional.of(
            new SymbolMismatch(
                SymbolDifference.KIND,
                "variable "
                    + declared.name()
                    + " is declared as "
                    + declared.elementType().primitive()
                    + "[]; in the code, it is a ."
                    + variable.type().name().toLowerCase(Locale.ROOT)));
  }

  /**
   * Whether the code does not say what a variable consists of. nvcc declares an array or a
   * structure as bytes, or as words of 8 bytes if addresses are among its initial values.
   */
  private static boolean isOfBytes(Variable variable) {
    return variable.type() == ScalarType.B8
        || (variable.array()
            && variable.initializers().stream()
                .map(Variable.Initializer::value)
                .anyMatch(SymbolCheck::isAddress));
  }

  private static boolean isAddress(Operand value) {
    return !(value instanceof Operand.IntegerLiteral || value instanceof Operand.FloatLiteral);
  }

  /** Whether numbers of the code can be of a Java type; bits can be any of theirs. */
  private static boolean areElements(ScalarType code, ElementType declared) {
    return switch (code.kind) {
      case SIGNED, UNSIGNED ->
          !declared.isFloatingPoint() && code.bytes() == declared.sizeInBytes();
      case FLOAT -> declared.isFloatingPoint() && code.bytes() == declared.sizeInBytes();
      case BITS, PREDICATE, OPAQUE -> true;
    };
  }
}
