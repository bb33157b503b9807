package dev.streamfence.internal.memory;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.MemoryStream;

/** The driver as a memory resource. Thread-safe. */
public final class DriverMemory {
  private DriverMemory() {}

  /** The driver's stream-ordered pool. */
  public static MemoryResource pooled(CudaDriver driver) {
    return new MemoryResource() {
      @Override
      public long allocate(long sizeInBytes, MemoryStream stream) {
        return driver.allocateAsync(sizeInBytes, ((ResourceStream) stream).queue());
      }

      @Override
      public void deallocate(long address, long sizeInBytes, MemoryStream stream) {
        driver.freeAsync(address, ((ResourceStream) stream).queue());
      }

      @Override
      public String toString() {
        return "the driver's pool";
      }
    };
  }

  /**
   * The driver without a pool. Memory checkers need this, since a freed address is really invalid.
   */
  public static MemoryResource direct(CudaDriver driver) {
    return new MemoryResource() {
      @Override
      public long allocate(long sizeInBytes, MemoryStream stream) {
        return driver.allocate(sizeInBytes);
      }

      @Override
      public void deallocate(long address, long sizeInBytes, MemoryStream stream) {
        if (((ResourceStream) stream).isHeld()) {
          // A resource in front of this one says that it is stream-ordered, or is being trimmed.
          stream.mark().await();
        }
        driver.free(address);
      }

      @Override
      public boolean isStreamOrdered() {
        return false;
      }

      @Override
      public String toString() {
        return "the driver";
      }
    };
  }
}
