package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.driver.HostMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Page-locked memory from {@code cuMemAllocHost}, or a part of it. Thread-safe except for its
 * bytes. Freeing it while another thread uses it is the caller's mistake and goes undetected.
 */
final class PinnedMemory implements HostMemory {
  private final JCudaDevice owner;
  private final AtomicBoolean freed;
  private final boolean whole;
  private final RawPointer pointer;
  private final long address;
  private final ByteBuffer bytes;

  private PinnedMemory(
      JCudaDevice owner, AtomicBoolean freed, boolean whole, long address, ByteBuffer bytes) {
    this.owner = owner;
    this.freed = freed;
    this.whole = whole;
    this.pointer = new RawPointer(address);
    this.address = address;
    this.bytes = bytes;
  }

  /** A whole allocation. */
  static PinnedMemory of(JCudaDevice owner, RawPointer allocation, long sizeInBytes) {
    return new PinnedMemory(
        owner,
        new AtomicBoolean(),
        true,
        allocation.address(),
        allocation.getByteBuffer(0, sizeInBytes));
  }

  @Override
  public long address() {
    return address;
  }

  @Override
  public long sizeInBytes() {
    return bytes.capacity();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if the memory was freed: the buffer would write to memory that
   *     now has another use
   */
  @Override
  public ByteBuffer buffer() {
    if (freed.get()) {
      throw new IllegalStateException(this + " was freed");
    }
    return bytes;
  }

  @Override
  public ByteBuffer readOnlyBuffer() {
    return buffer().asReadOnlyBuffer().order(ByteOrder.nativeOrder());
  }

  @Override
  public PinnedMemory slice(long offset, long length) {
    Objects.checkFromIndexSize(offset, length, sizeInBytes());
    ByteBuffer part = buffer().slice((int) offset, (int) length).order(ByteOrder.nativeOrder());
    return new PinnedMemory(owner, freed, false, address + offset, part);
  }

  /** The address for a call of {@code user}. */
  RawPointer pointer(JCudaDevice user) {
    checkUsable(user);
    return pointer;
  }

  /** The address of a range of it for a call of {@code user}. */
  RawPointer pointer(JCudaDevice user, long offset, long length) {
    checkUsable(user);
    Objects.checkFromIndexSize(offset, length, sizeInBytes());
    return new RawPointer(address + offset);
  }

  /** Claims the right to free it; only one call succeeds. */
  RawPointer free(JCudaDevice user) {
    checkOwner(user);
    if (!whole) {
      throw new IllegalArgumentException(this + " is a part and is freed with the whole");
    }
    if (!freed.compareAndSet(false, true)) {
      throw gone();
    }
    return pointer;
  }

  /** Gives the right to free it back, after the driver has refused. */
  void notFreed() {
    freed.set(false);
  }

  private void checkUsable(JCudaDevice user) {
    checkOwner(user);
    if (freed.get()) {
      throw gone();
    }
  }

  private void checkOwner(JCudaDevice user) {
    if (owner != user) {
      throw DriverHandle.foreign(this, user);
    }
  }

  private IllegalArgumentException gone() {
    return new IllegalArgumentException(this + " was freed");
  }

  @Override
  public String toString() {
    return sizeInBytes() + " bytes of page-locked memory of " + owner;
  }
}
