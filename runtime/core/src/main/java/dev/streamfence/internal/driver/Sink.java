package dev.streamfence.internal.driver;

import dev.streamfence.internal.driver.CudaDriver.StreamHandle;

/**
 * What launches, copies and fills are put into: the device, where they run in the order of a
 * stream. Thread-safe; no method waits.
 */
public interface Sink {
  /**
   * Queues a launch. {@code cuLaunchKernel}, or {@code cuLaunchCooperativeKernel}. Copies the
   * arguments, and keeps nothing of the launch object, before it returns.
   */
  void launchKernel(KernelLaunch launch);

  /**
   * Queues a copy from page-locked host memory, which must stay unchanged until the copy is done.
   */
  void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle stream);

  /**
   * Queues a copy to page-locked host memory, whose content is undefined until the copy is done.
   */
  void copyToHostAsync(
      HostMemory destination, long destinationOffset, long source, long bytes, StreamHandle stream);

  /** Queues a copy within the device. {@code cuMemcpyDtoDAsync}; the ranges do not overlap. */
  void copyOnDeviceAsync(long destination, long source, long bytes, StreamHandle stream);

  /** Queues a fill with one byte. {@code cuMemsetD8Async}. */
  void fill8Async(long destination, byte value, long count, StreamHandle stream);

  /**
   * Queues a fill with a 16-bit value; the address is a multiple of 2. {@code cuMemsetD16Async}.
   */
  void fill16Async(long destination, short value, long count, StreamHandle stream);

  /**
   * Queues a fill with a 32-bit value; the address is a multiple of 4. {@code cuMemsetD32Async}.
   */
  void fill32Async(long destination, int value, long count, StreamHandle stream);

  /**
   * Fills elements of 64 bits whose halves are equal. {@code cuMemsetD32Async}.
   *
   * @param count the number of elements
   */
  default void fill64Async(long destination, int half, long count, StreamHandle stream) {
    fill32Async(destination, half, 2 * count, stream);
  }

  /** Whether {@link #fill32StridedAsync} is possible at an address. */
  default boolean canFillStrided(long destination) {
    return true;
  }

  /**
   * Queues a fill of every {@code pitch} bytes with one 32-bit value. {@code cuMemsetD2D32Async}
   * with rows of one value; the address and the pitch are multiples of 4.
   */
  void fill32StridedAsync(long destination, long pitch, int value, long count, StreamHandle stream);
}
