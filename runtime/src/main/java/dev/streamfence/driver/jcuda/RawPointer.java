package dev.streamfence.driver.jcuda;

import jcuda.Pointer;

/**
 * An address in host memory, for JCuda. Immutable, though JCuda writes the address back after each
 * call that reads one: racy, benign, since it is always the same address.
 *
 * <p>JCuda's native side treats it as one number. A {@code Pointer} over a buffer costs an upcall
 * per call, and one over other pointers two native arrays as well.
 */
final class RawPointer extends Pointer {
  RawPointer(long address) {
    super(address);
  }

  /** The address; that of a new allocation after {@code cuMemAllocHost}. */
  long address() {
    return getNativePointer();
  }
}
