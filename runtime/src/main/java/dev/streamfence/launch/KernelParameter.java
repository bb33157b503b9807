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

  /** The address of a tracked array. */
  record Buffer(String name, ElementType elementType, Access access) implements KernelParameter {
    @Override
    public int sizeInBytes() {
      return Long.BYTES;
    }
  }
}
