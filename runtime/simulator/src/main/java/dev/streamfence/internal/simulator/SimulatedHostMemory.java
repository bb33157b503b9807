package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.HostMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Host memory with made-up addresses, or a part of it. A call for its buffer counts as a write of
 * all of it at that moment, one for its read-only buffer as a read. As thread-safe as the bytes in
 * it.
 */
final class SimulatedHostMemory implements HostMemory {
  private final SimulatedHostMemory whole;
  private final long address;
  private final ByteBuffer buffer;
  private final HostAccess onAccess;

  /** Learns of the accesses by the host. */
  interface HostAccess {
    void begun(SimulatedHostMemory memory, boolean writes);

    void ended(SimulatedHostMemory memory, String owner);
  }

  private SimulatedHostMemory(SimulatedHostMemory whole, long address, ByteBuffer buffer) {
    this.whole = whole;
    this.address = address;
    this.buffer = buffer;
    this.onAccess = whole.onAccess;
  }

  @SuppressWarnings("NullAway.Init")
  SimulatedHostMemory(long address, int bytes, HostAccess onAccess) {
    this.whole = this;
    this.onAccess = onAccess;
    this.address = address;
    // On the Java heap: memory outside it that thousands of runtimes leave behind is freed too
    // late.
    this.buffer = ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
  }

  @Override
  public long address() {
    return address;
  }

  @Override
  public long sizeInBytes() {
    return buffer.capacity();
  }

  @Override
  public ByteBuffer buffer() {
    onAccess.begun(this, true);
    return buffer;
  }

  @Override
  public ByteBuffer readOnlyBuffer() {
    onAccess.begun(this, false);
    return buffer.asReadOnlyBuffer().order(buffer.order());
  }

  @Override
  public void accessEnded(String owner) {
    onAccess.ended(whole, owner);
  }

  /** The bytes as the device sees them. */
  ByteBuffer bytes() {
    return buffer;
  }

  @Override
  public HostMemory slice(long offset, long bytes) {
    Objects.checkFromIndexSize(offset, bytes, sizeInBytes());
    return new SimulatedHostMemory(
        whole, address + offset, buffer.slice((int) offset, (int) bytes).order(buffer.order()));
  }

  /** The memory that this is a part of; itself if it is the whole. */
  SimulatedHostMemory whole() {
    return whole;
  }

  /** The offset of a native address in this memory. */
  int offset(long nativeAddress, int bytes) {
    return (int) Objects.checkFromIndexSize(nativeAddress - address, (long) bytes, sizeInBytes());
  }
}
