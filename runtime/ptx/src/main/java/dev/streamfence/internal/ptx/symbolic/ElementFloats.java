package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.FloatWords;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The places in elements of arrays where a kernel computes with floating-point numbers. Where a
 * place depends on the thread or on the data, it is not known.
 *
 * @param array the index of the array
 * @param offset the bytes from the start of an element
 * @param bytes the size of the number
 * @param instruction the access
 */
public record ElementFloats(int array, int offset, int bytes, Instruction instruction) {
  /**
   * The places that are known, in the order of the code.
   *
   * @param arrays where the kernel receives arrays
   * @param tables where it receives tables of arrays
   * @param elements the size of the elements of some arrays, by the array's index
   */
  public static List<ElementFloats> of(
      KernelFlow kernel,
      List<ArrayPlace> arrays,
      List<ArrayPlace> tables,
      Map<Integer, Integer> elements) {
    List<ElementFloats> found = new ArrayList<>();
    try {
      EvaluatedKernel evaluated =
          kernel.values(arrays, tables, Map.of(), KernelFlow.MOST_DIMENSIONS);
      Formulas formulas = evaluated.formulas();
      for (MemoryAccess access : evaluated.values().accesses()) {
        Node base = formulas.base(access.address());
        Integer size = base == null ? null : elements.get((int) base.constant);
        if (base != null && size != null && FloatWords.width(access.instruction()) > 0) {
          Polynomial offset = formulas.of(access.address()).minus(Polynomial.of(base.id));
          if (offset != null && isWithin(offset, size)) {
            long first = offset.coefficient(Monomial.ONE);
            add(found, kernel.flow(), (int) base.constant, size, first, access);
          }
        }
      }
    } catch (TooComplexException | StackOverflowError e) {
      // Then nothing is known of the rest.
    }
    return found;
  }

  /** Whether an offset lies at the same place of each element. */
  private static boolean isWithin(Polynomial offset, int size) {
    return offset.terms().stream()
        .allMatch(term -> term.product().equals(Monomial.ONE) || term.coefficient() % size == 0);
  }

  private static void add(
      List<ElementFloats> found,
      FunctionFlow flow,
      int array,
      int size,
      long offset,
      MemoryAccess access) {
    int bytes = FloatWords.width(access.instruction());
    int words = FloatWords.count(flow, access.index());
    for (int word = 0; word < words && words * bytes == access.width(); word++) {
      if (FloatWords.isComputed(flow, access.index(), word)) {
        int within = (int) Math.floorMod(offset + (long) word * bytes, (long) size);
        found.add(new ElementFloats(array, within, bytes, access.instruction()));
      }
    }
  }
}
