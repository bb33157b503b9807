package dev.streamfence.internal.driver;

/** A device that is not open yet. Thread-safe. */
public interface DriverSource {
  /**
   * Opens the device.
   *
   * @throws IllegalStateException if it is open already
   */
  CudaDriver open();
}
