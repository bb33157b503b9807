// Long because one lock and one hazard state guard all of its operations, which say so one by one.
package dev.streamfence.internal.device;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.PinnedArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.LostArrays;
import dev.streamfence.internal.host.ElementRange;
import dev.streamfence.internal.host.HostArray;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.PendingUse;
import dev.streamfence.internal.transfer.HostBytes;
import dev.streamfence.internal.transfer.HostRegion;
import dev.streamfence.launch.ArrayElement;
import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link PinnedArray}. A lock keeps the host's accesses apart from each other
 * and from the moment at which a copy is queued; the hazard state orders them with the copies.
 */
public final class TrackedPinnedArray<A> implements PinnedArray<A> {
  private final TrackedRuntime runtime;
  private final Class<A> arrayType;
  private final ArrayElement elementType;
  private final long length;

  /** Null for an empty array. */
  private final PinnedBytes.@Nullable Lease lease;

  /** Shared by threads that read the bytes, exclusive for one that writes or frees them. */
  private final ReentrantReadWriteLock accesses = new ReentrantReadWriteLock();

  private volatile boolean closed;

  TrackedPinnedArray(
      TrackedRuntime runtime,
      Class<A> arrayType,
      ArrayElement elementType,
      long length,
      PinnedBytes.@Nullable Lease lease) {
    this.runtime = runtime;
    this.arrayType = arrayType;
    this.elementType = elementType;
    this.length = length;
    this.lease = lease;
    if (lease != null) {
      LostArrays.watch(this, lease);
    }
  }

  @Override
  public TrackedRuntime runtime() {
    return runtime;
  }

  @Override
  public ArrayElement elementType() {
    return elementType;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public long sizeInBytes() {
    return length * elementType.sizeInBytes();
  }

  @Override
  public boolean isOpen() {
    return !closed && !runtime.life().isClosed();
  }

  @Override
  public <R> R read(Function<? super ByteBuffer, ? extends R> access) {
    Objects.requireNonNull(access, "access");
    requireNotWritten("a read");
    return inside(
        accesses.readLock(),
        "a read",
        () -> {
          R result = whenOrdered(false, "a read of ", () -> access.apply(readable()));
          if (result instanceof Buffer) {
            throw new StreamMisuseException(
                StreamMisuseException.Misuse.OUT_OF_SCOPE,
                "a read of "
                    + this
                    + " returns a buffer, which is valid inside the read alone; copy the elements");
          }
          return result;
        });
  }

  @Override
  public void visit(Consumer<? super ByteBuffer> access) {
    Objects.requireNonNull(access, "access");
    read(
        bytes -> {
          access.accept(bytes);
          return this;
        });
  }

  @Override
  public void write(Consumer<? super ByteBuffer> access) {
    Objects.requireNonNull(access, "access");
    requireNotAccessed("a write");
    inside(
        accesses.writeLock(),
        "a write",
        () ->
            whenOrdered(
                true,
                "a write of ",
                () -> {
                  access.accept(writable());
                  return this;
                }));
  }

  @Override
  public A get(long from, int count) {
    requireRange(from, count, "get");
    A target = arrayType.cast(Array.newInstance(arrayType.getComponentType(), count));
    HostBytes host = HostArray.to(target, elementType, 0, count);
    visit(bytes -> host.readFrom(part(bytes, from, count), 0));
    host.received();
    return target;
  }

  @Override
  public void put(long from, A source) {
    int count = HostArray.length(Objects.requireNonNull(source, "source"));
    requireRange(from, count, "put");
    HostBytes host = HostArray.from(source, elementType, 0, count);
    write(bytes -> host.writeTo(part(bytes, from, count), 0));
  }

  @Override
  public WritableArray<A> mapped() {
    requireNotAccessed("a mapping");
    // Exclusive: an access that is running may use streams, which it may not once this is mapped.
    return inside(
        accesses.writeLock(),
        "a mapping",
        () ->
            new WritableArray<>(
                runtime.memory(),
                arrayType,
                elementType,
                length,
                new ArrayBacking.Mapped(this, lease == null ? null : Region.of(lease.map()))));
  }

  @Override
  public void close() {
    requireNotAccessed("the close");
    if (!runtime.life().tryEnter()) {
      closed = true;
      if (lease != null) {
        lease.noteClosed();
      }
      return;
    }
    try {
      lock(accesses.writeLock(), "the close");
      try {
        if (!closed && lease != null) {
          lease.end();
        }
        closed = true;
      } finally {
        accesses.writeLock().unlock();
      }
    } finally {
      runtime.life().leave();
      Reference.reachabilityFence(this);
    }
  }

  /** Whether the device is done with it, so that a close does not wait. May ask the driver. */
  boolean isIdle() {
    if (closed || lease == null || !runtime.life().tryEnter()) {
      return true;
    }
    try {
      return lease.isDone();
    } finally {
      runtime.life().leave();
    }
  }

  /**
   * Queues a copy that reads or writes this array. Waits for other threads' accesses, and keeps
   * them out until the copy is registered.
   *
   * @param from the first element that is used
   * @param writes whether the copy writes this array
   */
  void queue(String use, long from, boolean writes, Consumer<HostRegion> copy) {
    if (writes) {
      requireNotAccessed(use);
    } else {
      requireNotWritten(use);
    }
    inside(
        writes ? accesses.writeLock() : accesses.readLock(),
        use,
        () -> {
          if (lease != null) {
            copy.accept(
                new HostRegion(lease.memory(), lease.hazards(), from * elementType.sizeInBytes()));
          }
          return this;
        });
  }

  /** Refuses a range that is not within this array. */
  void requireRange(long from, long count, String operation) {
    ElementRange.require(from, count, length, this, operation);
  }

  private interface Inside<R> {
    R run();
  }

  private <R> R inside(Lock lock, String use, Inside<? extends R> operation) {
    runtime.life().enter();
    try {
      lock(lock, use);
      try {
        requireOpen(use);
        return operation.run();
      } finally {
        lock.unlock();
      }
    } finally {
      runtime.life().leave();
      Reference.reachabilityFence(this);
    }
  }

  /** Refuses a use of the closed array. */
  void requireOpen(String use) {
    if (closed) {
      throw new UseAfterFreeException(AttemptedUse.of(use), toString(), 0, null);
    }
  }

  /**
   * Takes a lock. A thread with a launch open does not wait for it: the thread that has it may be
   * waiting for that launch's stream.
   */
  private void lock(Lock lock, String use) {
    if (runtime.life().mayWait()) {
      lock.lock();
    } else if (!lock.tryLock()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          use
              + " of "
              + this
              + " inside of a launch, while another thread uses it; close the launch first");
    }
  }

  /** Performs an access once the device is done, and keeps later launches waiting until its end. */
  private <R> R whenOrdered(boolean writes, String use, Inside<? extends R> access) {
    if (lease == null) {
      return access.run();
    }
    HazardState hazards = lease.hazards();
    // A launch of a kernel or of a graph takes no lock of this array, but waits with its stream.
    boolean hasLaunches = lease.isMapped() || hazards.isHeld();
    List<PendingUse> pending = hazards.beginHostAccess(writes);
    try {
      pending.forEach(earlier -> earlier.await(use + this));
      if (hasLaunches) {
        runtime.life().noteAccess(true);
      }
      try {
        return access.run();
      } finally {
        if (hasLaunches) {
          runtime.life().noteAccess(false);
        }
        lease.memory().accessEnded(lease.description());
      }
    } finally {
      hazards.endHostAccess(writes);
    }
  }

  /** Refuses a copy between elements of this array and the same memory seen from the device. */
  void requireApart(long from, Region other, String use) {
    if (lease != null) {
      lease.requireApart(from * elementType.sizeInBytes(), other, use);
    }
  }

  private ByteBuffer readable() {
    return lease == null ? empty() : lease.memory().readOnlyBuffer().clear();
  }

  private ByteBuffer writable() {
    return lease == null
        ? empty()
        : lease.memory().buffer().duplicate().order(ByteOrder.nativeOrder()).clear();
  }

  private static ByteBuffer empty() {
    return ByteBuffer.allocate(0).order(ByteOrder.nativeOrder());
  }

  private ByteBuffer part(ByteBuffer bytes, long from, int count) {
    int size = elementType.sizeInBytes();
    return bytes.slice((int) (from * size), count * size).order(ByteOrder.nativeOrder());
  }

  private void requireNotWritten(String use) {
    if (accesses.isWriteLockedByCurrentThread()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_HOST_ACCESS,
          use + " of " + this + " inside a write by the same thread");
    }
  }

  private void requireNotAccessed(String use) {
    requireNotWritten(use);
    if (accesses.getReadHoldCount() > 0) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_HOST_ACCESS,
          use + " of " + this + " inside a read by the same thread");
    }
  }

  @Override
  public String toString() {
    return "pinned " + elementType.typeName() + "[" + length + "]";
  }
}
