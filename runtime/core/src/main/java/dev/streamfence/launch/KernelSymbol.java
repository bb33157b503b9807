package dev.streamfence.launch;

/**
 * A variable of a module that the host reads and writes. Immutable.
 *
 * @param name its name in the code
 * @param elementType the type of its elements; a variable that is not an array has one element
 */
public record KernelSymbol(String name, ElementType elementType) {
  @Override
  public String toString() {
    return elementType.primitive() + "[] " + name;
  }
}
