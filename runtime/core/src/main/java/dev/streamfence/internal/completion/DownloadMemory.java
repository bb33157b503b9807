package dev.streamfence.internal.completion;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.PendingUse;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.transfer.HostRegion;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The downloads that are under way, and their page-locked memory, which may outlive them.
 * Thread-safe.
 */
public final class DownloadMemory {
  private final HostMemoryPool pool;
  private final long limitInBytes;

  /** The oldest first. */
  private final Set<DownloadDelivery<?>> underWay =
      Collections.synchronizedSet(new LinkedHashSet<>());

  /** Bytes of the downloads that are under way or being begun. */
  private final AtomicLong bytesUnderWay = new AtomicLong();

  /** Memory whose download no caller can ask for any more; the copy may be in flight. */
  private final Queue<HostRegion> abandoned = new ConcurrentLinkedQueue<>();

  /**
   * Creates the memory.
   *
   * @param limitInBytes how much may be under way before the oldest downloads make room
   */
  public DownloadMemory(HostMemoryPool pool, long limitInBytes) {
    this.pool = pool;
    this.limitInBytes = limitInBytes;
  }

  /**
   * Takes memory for a download, which counts until it is given back or abandoned. If it does not
   * fit the limit, delivers the oldest downloads, waiting for their copies.
   *
   * @throws CudaDriverException if there is none left
   */
  public HostRegion take(long bytes) {
    collectAbandoned();
    // First: if the Java heap is full, nothing was allocated.
    HazardState hazards = new HazardState("the memory of a download");
    long size = HostMemoryPool.sizeFor(bytes);
    reserve(size);
    boolean isTaken = false;
    try {
      HostRegion taken = new HostRegion(pool.take(bytes), hazards, 0);
      isTaken = true;
      return taken;
    } catch (CudaDriverException e) {
      throw e.during("allocating " + bytes + " bytes of host memory for a download");
    } finally {
      if (!isTaken) {
        bytesUnderWay.addAndGet(-size);
      }
    }
  }

  /** Counts bytes as under way, in the limit if the oldest downloads make room. */
  private void reserve(long size) {
    if (tryReserve(size)) {
      return;
    }
    for (DownloadDelivery<?> oldest : oldestFirst()) {
      deliverEarly(oldest);
      if (tryReserve(size)) {
        return;
      }
    }
    bytesUnderWay.addAndGet(size);
  }

  private boolean tryReserve(long size) {
    long before = bytesUnderWay.get();
    while (before + size <= limitInBytes) {
      long seen = bytesUnderWay.compareAndExchange(before, before + size);
      if (seen == before) {
        return true;
      }
      before = seen;
    }
    return false;
  }

  /** Records a download whose copy is queued. */
  public void add(DownloadDelivery<?> delivery) {
    underWay.add(delivery);
  }

  /**
   * Delivers the oldest downloads as long as those under way exceed the limit: when this one was
   * begun, other threads were beginning theirs, which could not be delivered yet.
   */
  public void restoreLimit(DownloadDelivery<?> latest) {
    if (bytesUnderWay.get() <= limitInBytes) {
      return;
    }
    for (DownloadDelivery<?> oldest : oldestFirst()) {
      if (oldest != latest) {
        deliverEarly(oldest);
      }
      if (bytesUnderWay.get() <= limitInBytes) {
        return;
      }
    }
  }

  private DownloadDelivery<?>[] oldestFirst() {
    return underWay.toArray(DownloadDelivery<?>[]::new);
  }

  private static void deliverEarly(DownloadDelivery<?> oldest) {
    try {
      oldest.deliverEarly();
    } catch (RuntimeException e) {
      // The caller that asks for its value meets it again.
    }
  }

  /** Takes the memory of a delivered download back. */
  void giveBack(DownloadDelivery<?> delivery, HostRegion memory) {
    // In this order: the end of the runtime waits for a delivery that it finds under way, and then
    // finds the memory here.
    try {
      pool.giveBack(memory.memory());
    } finally {
      underWay.remove(delivery);
      bytesUnderWay.addAndGet(-memory.memory().sizeInBytes());
    }
  }

  /** Takes memory back that a copy may still write; it does not count any more. */
  public void abandon(@Nullable DownloadDelivery<?> delivery, HostRegion memory) {
    bytesUnderWay.addAndGet(-memory.memory().sizeInBytes());
    abandoned.add(memory);
    if (delivery != null) {
      underWay.remove(delivery);
    }
  }

  /**
   * Delivers what is under way, waiting for its copies, as steps of the runtime's teardown, which
   * then frees the memory.
   *
   * @param isLost whether the device is lost: what is not known to be copied stays so
   */
  public void end(boolean isLost, Teardown teardown) {
    for (DownloadDelivery<?> delivery : oldestFirst()) {
      teardown.step(() -> delivery.deliverAtEnd(isLost));
    }
    for (HostRegion memory = abandoned.poll(); memory != null; memory = abandoned.poll()) {
      HostRegion unread = memory;
      if (!isLost) {
        teardown.step(
            () -> unread.hazards().pending(true).forEach(use -> use.await("closing a download")));
      }
    }
  }

  private void collectAbandoned() {
    for (int left = abandoned.size(); left > 0; left--) {
      HostRegion memory = abandoned.poll();
      if (memory == null) {
        return;
      }
      boolean isDone = false;
      try {
        isDone = memory.hazards().pending(true).stream().allMatch(PendingUse::isDone);
      } finally {
        if (!isDone) {
          abandoned.add(memory);
        }
      }
      if (isDone) {
        pool.giveBack(memory.memory());
      }
    }
  }
}
