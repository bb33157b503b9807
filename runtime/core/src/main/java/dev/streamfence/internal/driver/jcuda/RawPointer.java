package dev.streamfence.internal.driver.jcuda;

import jcuda.Pointer;

/**
 * An address in host memory, for JCuda. Immutable, though JCuda writes the address back after each
 * call that reads one: racy but benign, since it is always the same address.
 *
 * <p>JCuda's native side treats it as a number. A {@code Pointer} to a buffer costs an upcall per
 * call, and a {@code Pointer} to other pointers also costs two native arrays.
 */
final class RawPointer extends Pointer {
  RawPointer(long address) {
    super(address);
  }

  /** The address; after {@code cuMemAllocHost}, that of the new allocation. */
  long address() {
    return getNativePointer();
  }
}
