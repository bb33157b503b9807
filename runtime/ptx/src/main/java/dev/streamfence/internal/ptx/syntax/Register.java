package dev.streamfence.internal.ptx.syntax;

import org.jspecify.annotations.Nullable;

/**
 * A register that a function declares and uses. Registers of one function have distinct indexes,
 * even if an inner scope hides a name.
 *
 * @param vectorLength 1 for a scalar; elements of a vector take consecutive indexes
 * @param index the index of its (first) value in the function's register file
 */
public record Register(String name, ScalarType type, int vectorLength, int index) {
  // Written out, because the parser compares each operand with earlier ones.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Register register
        && index == register.index
        && vectorLength == register.vectorLength
        && type == register.type
        && name.equals(register.name);
  }

  @Override
  public int hashCode() {
    return 31 * index + name.hashCode();
  }
}
