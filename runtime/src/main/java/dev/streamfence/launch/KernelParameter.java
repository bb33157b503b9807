package dev.streamfence.launch;

import dev.streamfence.Access;
import dev.streamfence.ElementType;

/** One parameter that a kernel receives. Immutable. */
sealed interface KernelParameter {
  /** Its name in the interface. */
  String name();

  /** Bytes that the kernel receives. */
  int sizeInBytes();

  /** A number by value. */
  record Value(String name, ElementType type) implements KernelParameter {
    @Override
    public int sizeInBytes() {
      return type.sizeInBytes();
    }
  }

  /** A structure by value. */
  record Struct(String name, StructLayout layout) implements KernelParameter {
    @Override
    public int sizeInBytes() {
      return layout.sizeInBytes();
    }
  }

  /**
   * The address of a tracked array.
   *
   * @param trusted whether the declared access is trusted where the kernel's code leaves it unclear
   */
  record Buffer(String name, ElementType elementType, Access access, boolean trusted)
      implements KernelParameter {
    @Override
    public int sizeInBytes() {
      return Long.BYTES;
    }
  }
}
