package dev.streamfence.internal.ptx.syntax;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;

/**
 * The initial values of a variable, in the order of their elements. The value is the only object
 * per element, and equal values share one: tables of millions of numbers are common. Immutable.
 */
final class Initializers extends AbstractList<Variable.Initializer> implements RandomAccess {
  private final Operand[] values;

  /** Indexes into the array above of the values that follow skipped elements. */
  private final int[] starts;

  /** The element at each of these indexes. */
  private final long[] elements;

  private Initializers(Operand[] values, int[] starts, long[] elements) {
    this.values = values;
    this.starts = starts;
    this.elements = elements;
  }

  /** Collects values one after another. Confined to one thread. */
  static final class Collector {
    private Operand[] values = new Operand[8];
    private int size;
    private int[] starts = new int[8];
    private long[] elements = new long[8];
    private int rows;
    private long next;

    /** Adds the value of the next element. */
    void add(Operand value) {
      if (size == values.length) {
        values = Arrays.copyOf(values, size + (size >> 1));
      }
      values[size++] = value;
      next++;
    }

    /** Returns the index of the next element. */
    long next() {
      return next;
    }

    /** Skips elements to make this one the next. */
    void skipTo(long element) {
      if (element == next) {
        return;
      }
      next = element;
      if (rows > 0 && starts[rows - 1] == size) {
        rows--;
      } else if (rows == starts.length) {
        starts = Arrays.copyOf(starts, 2 * rows);
        elements = Arrays.copyOf(elements, 2 * rows);
      }
      starts[rows] = size;
      elements[rows++] = element;
    }

    List<Variable.Initializer> build() {
      return size == 0
          ? List.of()
          : new Initializers(
              Arrays.copyOf(values, size),
              Arrays.copyOf(starts, rows),
              Arrays.copyOf(elements, rows));
    }
  }

  @Override
  public Variable.Initializer get(int index) {
    Operand value = values[index];
    int row = Arrays.binarySearch(starts, index);
    row = row < 0 ? -row - 2 : row;
    long element = row < 0 ? index : elements[row] + index - starts[row];
    return new Variable.Initializer(element, value);
  }

  @Override
  public int size() {
    return values.length;
  }
}
