package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.check.SymbolMismatch.SymbolDifference;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.Variable;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelSymbol;
import java.util.Locale;
import java.util.Optional;

/**
 * Compares declared variables with those of a module: that they exist, and the size, the alignment
 * and the kind of their elements. Compilers declare arrays and structures as bytes, which fit every
 * kind. Stateless.
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
    return layout.isPresent() ? layout : compareKinds(declared, variable);
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

  private static Optional<SymbolMismatch> compareKinds(KernelSymbol declared, Variable variable) {
    ScalarType type = variable.type();
    boolean isInteger = type.isInteger() && type.kind != ScalarType.NumberKind.BITS;
    boolean differs = declared.elementType().isFloatingPoint() ? isInteger : type.isFloat();
    return differs
        ? Optional.of(
            new SymbolMismatch(
                SymbolDifference.KIND,
                "variable "
                    + declared.name()
                    + " is declared as "
                    + declared.elementType().primitive()
                    + "[]; in the code, it is a ."
                    + type.name().toLowerCase(Locale.ROOT)))
        : Optional.empty();
  }
}
