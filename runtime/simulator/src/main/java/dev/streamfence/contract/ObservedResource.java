package dev.streamfence.contract;

import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.MemoryStream;
import java.util.concurrent.atomic.AtomicLong;

/** The driver's memory, with a count of what the resource in front of it holds. Thread-safe. */
final class ObservedResource implements MemoryResource {
  private final MemoryResource driver;
  private final AtomicLong held = new AtomicLong();

  ObservedResource(MemoryResource driver) {
    this.driver = driver;
  }

  @Override
  public long allocate(long sizeInBytes, MemoryStream stream) {
    long address = driver.allocate(sizeInBytes, stream);
    held.addAndGet(sizeInBytes);
    return address;
  }

  @Override
  public void deallocate(long address, long sizeInBytes, MemoryStream stream) {
    driver.deallocate(address, sizeInBytes, stream);
    held.addAndGet(-sizeInBytes);
  }

  @Override
  public boolean isStreamOrdered() {
    return driver.isStreamOrdered();
  }

  @Override
  public String toString() {
    return driver.toString();
  }

  /** Throws if the resource has returned less than it took, or more. */
  void requireNothingKept() {
    if (held.get() != 0) {
      throw new IllegalStateException(
          "the resource keeps " + held + " bytes of the driver after its trim at the close");
    }
  }
}
