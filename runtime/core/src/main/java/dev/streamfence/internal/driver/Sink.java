package dev.streamfence.internal.driver;

import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.simulation.DriverCall;

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

  /**
   * Queues a fill with a value of 1, 2 or 4 bytes; the address is a multiple of that. {@code
   * cuMemsetD8Async}, {@code cuMemsetD16Async} or {@code cuMemsetD32Async}.
   *
   * @param value in its low bytes
   * @param count the number of values
   */
  void fillAsync(long destination, int bytes, int value, long count, StreamHandle stream);

  /** The driver call that fills with a value of 1, 2 or 4 bytes. */
  static DriverCall fillCall(int bytes) {
    return switch (bytes) {
      case Byte.BYTES -> DriverCall.FILL_8_ASYNC;
      case Short.BYTES -> DriverCall.FILL_16_ASYNC;
      default -> DriverCall.FILL_32_ASYNC;
    };
  }

  /**
   * Fills elements of 64 bits whose halves are equal. {@code cuMemsetD32Async}.
   *
   * @param count the number of elements
   */
  default void fill64Async(long destination, int half, long count, StreamHandle stream) {
    fillAsync(destination, Integer.BYTES, half, 2 * count, stream);
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
