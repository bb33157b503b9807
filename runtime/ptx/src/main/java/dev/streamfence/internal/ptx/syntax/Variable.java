package dev.streamfence.internal.ptx.syntax;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A declared variable or parameter.
 *
 * @param id distinct for every variable of a module
 * @param external declared {@code .extern}
 * @param pointsTo the space into which {@code .ptr} declares it a pointer; null without {@code
 *     .ptr}
 * @param elements number of elements, 0 for an array of open length
 * @param array whether it was declared with brackets
 * @param initializers the initial values in the order of their offsets; empty if there are none
 */
public record Variable(
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
   * The initial value of one element.
   *
   * @param element index of the element
   */
  public record Initializer(long element, Operand value) {}

  /** Copies the list. */
  public Variable {
    // Initializers are immutable, and a copy would hold an object for each.
    initializers = initializers instanceof Initializers ? initializers : List.copyOf(initializers);
  }

  /** Ignores the initial values, of which there may be millions. */
  @Override
  public int hashCode() {
    return id;
  }

  public long sizeInBytes() {
    return elements * vectorLength * type.bytes();
  }

  public boolean isOpenArray() {
    return array && elements == 0;
  }
}
