package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.ir.WordUses;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One word that a kernel accesses in an array, and where it lies in an element.
 *
 * @param array the index of the array
 * @param step a number of bytes that divides the distance of any two places that the access may
 *     touch; 0 if it touches one
 * @param first the bytes from the start of the array to one of these places; negative before it
 * @param bytes the size of the word
 * @param kind what the code does with it
 * @param instruction the access
 */
public record ElementAccess(
    int array, long step, long first, int bytes, Kind kind, Instruction instruction) {
  /** What code does with a word. */
  public enum Kind {
    /** It only moves the word. */
    MOVED,
    /** It computes with the word as an integer. */
    INTEGER,
    /**
     * It computes with the word as a floating-point number, and not with this one as an integer.
     */
    FLOAT
  }

  /**
   * The words that a kernel accesses in arrays, in the order of the code, as far as their places
   * are known; none if the kernel is too involved.
   *
   * @param arrays where the kernel receives arrays
   * @param tables where it receives tables of arrays
   * @param limits those of the numbers in an array, by its index
   */
  public static List<ElementAccess> of(
      KernelFlow kernel,
      List<ArrayPlace> arrays,
      List<ArrayPlace> tables,
      Map<Integer, NumberLimits> limits) {
    List<ElementAccess> found = new ArrayList<>();
    try {
      kernel.function(KernelFlow.MOST_INSTRUCTIONS);
      EvaluatedKernel evaluated = kernel.values(arrays, tables, limits, KernelFlow.MOST_DIMENSIONS);
      for (MemoryAccess access : evaluated.values().accesses()) {
        Node base = evaluated.formulas().base(access.address());
        Polynomial offset = evaluated.formulas().offset(access.address());
        if (base != null && offset != null) {
          add(found, kernel, (int) base.constant, offset, access);
        }
      }
    } catch (TooComplexException | StackOverflowError e) {
      return List.of();
    }
    return found;
  }

  private static void add(
      List<ElementAccess> found,
      KernelFlow kernel,
      int array,
      Polynomial offset,
      MemoryAccess access) {
    int words = WordUses.count(kernel.flow(), access.index());
    int bytes = Widths.element(access.instruction());
    if (words * bytes != access.width()) {
      return;
    }
    long step = offset.commonDivisor();
    for (int word = 0; word < words; word++) {
      Kind kind =
          WordUses.isInteger(kernel.flow(), access.index(), word)
              ? Kind.INTEGER
              : WordUses.isFloat(kernel.flow(), access.index(), word) ? Kind.FLOAT : Kind.MOVED;
      long first = offset.coefficient(Monomial.ONE) + (long) word * bytes;
      found.add(new ElementAccess(array, step, first, bytes, kind, access.instruction()));
    }
  }
}
