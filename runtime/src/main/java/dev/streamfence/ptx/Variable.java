package dev.streamfence.ptx;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A declared variable or parameter.
 *
 * @param id distinct for every variable of a module
 * @param external declared {@code .extern}
 * @param pointsTo the space that it is declared a pointer into, by {@code .ptr}; null if it is not
 * @param elements number of elements, 0 for an array of open length
 * @param array whether it was declared with brackets
 * @param initializers in order of their offset; empty when not given
 */
record Variable(
    int id,
    int line,
    String name,
    StateSpace space,
    ScalarType type,
    int vectorLength,
    long elements,
    boolean array,
    int alignment,
    boolean external,
    @Nullable StateSpace pointsTo,
    List<Initializer> initializers) {

  /**
   * An initial value of one element.
   *
   * @param element index of the element
   */
  record Initializer(long element, Operand value) {}

  Variable {
    // Initializers do not change, and a copy would hold an object for each.
    initializers = initializers instanceof Initializers ? initializers : List.copyOf(initializers);
  }

  /** Not that of the initial values, which may be millions. */
  @Override
  public int hashCode() {
    return id;
  }

  long sizeInBytes() {
    return elements * vectorLength * type.bytes();
  }

  boolean isOpenArray() {
    return array && elements == 0;
  }
}
