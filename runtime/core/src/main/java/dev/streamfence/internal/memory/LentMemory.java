package dev.streamfence.internal.memory;

import static java.util.Objects.requireNonNull;

import dev.streamfence.DeviceException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.MemoryStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The driver's memory as another resource has it: knows what was taken and not returned, so that
 * none of it is lost. Thread-safe.
 */
final class LentMemory implements MemoryResource {
  private final MemoryResource driver;
  private final StreamPool streams;
  private final Map<Long, Long> sizes = new ConcurrentHashMap<>();

  LentMemory(MemoryResource driver, StreamPool streams) {
    this.driver = driver;
    this.streams = streams;
  }

  /**
   * Takes memory from the driver.
   *
   * @throws StreamMisuseException if the stream is not that of a call that is running, or of
   *     another runtime
   */
  @Override
  public long allocate(long sizeInBytes, MemoryStream stream) {
    ResourceStream valid = requireValid(stream, "for memory");
    if (driver.isStreamOrdered() && !valid.isHeld()) {
      throw new IllegalStateException(
          "a memory resource that is not stream-ordered takes memory from "
              + driver
              + ", which is; open the runtime with direct memory");
    }
    long address = driver.allocate(sizeInBytes, stream);
    try {
      sizes.put(address, sizeInBytes);
    } catch (Error e) {
      driver.deallocate(address, sizeInBytes, stream);
      throw e;
    }
    return address;
  }

  private ResourceStream requireValid(MemoryStream stream, String what) {
    ResourceStream given = (ResourceStream) requireNonNull(stream, "stream");
    given.requireOf(streams, what);
    return given;
  }

  /**
   * Returns memory to the driver.
   *
   * @throws IllegalArgumentException if it is not what {@link #allocate} handed out
   * @throws StreamMisuseException as there
   */
  @Override
  public void deallocate(long address, long sizeInBytes, MemoryStream stream) {
    requireValid(stream, "to return memory");
    Long size = sizes.get(address);
    if (size == null || size != sizeInBytes || !sizes.remove(address, size)) {
      throw new IllegalArgumentException(
          "a memory resource returns "
              + sizeInBytes
              + " bytes at 0x"
              + Long.toHexString(address)
              + " to "
              + driver
              + ", which "
              + (size == null ? "did not hand them out" : "handed out " + size + " bytes there"));
    }
    try {
      driver.deallocate(address, sizeInBytes, stream);
    } catch (DeviceException e) {
      sizes.put(address, sizeInBytes);
      throw e;
    }
  }

  @Override
  public boolean isStreamOrdered() {
    return driver.isStreamOrdered();
  }

  /** What was not returned, in words; empty if all was. */
  String kept() {
    long bytes = sizes.values().stream().mapToLong(Long::longValue).sum();
    return sizes.isEmpty() ? "" : bytes + " bytes of " + driver;
  }

  /** Frees what was not returned. */
  void freeKept(MemoryStream stream, Teardown teardown) {
    sizes.forEach((address, size) -> teardown.step(() -> deallocate(address, size, stream)));
  }

  @Override
  public String toString() {
    return driver.toString();
  }
}
