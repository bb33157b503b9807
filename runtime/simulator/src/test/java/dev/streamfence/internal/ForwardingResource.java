package dev.streamfence.internal;

import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.MemoryStream;

/** Does what the driver does; a test changes one method. */
public class ForwardingResource implements MemoryResource {
  protected final MemoryResource driver;

  public ForwardingResource(MemoryResource driver) {
    this.driver = driver;
  }

  @Override
  public long allocate(long sizeInBytes, MemoryStream stream) {
    return driver.allocate(sizeInBytes, stream);
  }

  @Override
  public void deallocate(long address, long sizeInBytes, MemoryStream stream) {
    driver.deallocate(address, sizeInBytes, stream);
  }

  @Override
  public boolean isStreamOrdered() {
    return driver.isStreamOrdered();
  }

  @Override
  public String toString() {
    return "a resource of the test";
  }
}
