package dev.streamfence.internal.completion;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.memory.HostRegion;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.PendingUse;
import dev.streamfence.internal.order.Teardown;
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
   * Takes memory for a download.
   *
   * @throws CudaDriverException if there is none left
   */
  public HostRegion take(long bytes) {
    collectAbandoned();
    // First: if the Java heap is full, nothing was allocated.
    HazardState hazards = new HazardState("the memory of a download");
    try {
      return new HostRegion(pool.take(bytes), hazards, 0);
    } catch (CudaDriverException e) {
      throw e.during("allocating " + bytes + " bytes of host memory for a download");
    }
  }

  /**
   * Delivers the oldest downloads, waiting for their copies, while those under way and a new one
   * have more bytes than the limit.
   */
  public void makeRoom(long bytes) {
    if (fits(bytes)) {
      return;
    }
    for (DownloadDelivery<?> oldest : underWay.toArray(DownloadDelivery<?>[]::new)) {
      if (fits(bytes)) {
        return;
      }
      try {
        oldest.deliverEarly();
      } catch (RuntimeException e) {
        // The caller that asks for its value meets it again.
      }
    }
  }

  private boolean fits(long bytes) {
    return bytesUnderWay.get() + bytes <= limitInBytes;
  }

  /** Records a download whose copy is queued. */
  public void add(DownloadDelivery<?> delivery, HostRegion memory) {
    underWay.add(delivery);
    bytesUnderWay.addAndGet(memory.memory().sizeInBytes());
  }

  private void remove(DownloadDelivery<?> delivery, HostRegion memory) {
    if (underWay.remove(delivery)) {
      bytesUnderWay.addAndGet(-memory.memory().sizeInBytes());
    }
  }

  /** Takes the memory of a delivered download back. */
  void giveBack(DownloadDelivery<?> delivery, HostRegion memory) {
    // In this order: the end of the runtime waits for a delivery that it finds under way, and then
    // finds the memory here.
    pool.giveBack(memory.memory());
    remove(delivery, memory);
  }

  /** Takes memory back that a copy may still write. */
  public void abandon(@Nullable DownloadDelivery<?> delivery, HostRegion memory) {
    abandoned.add(memory);
    if (delivery != null) {
      remove(delivery, memory);
    }
  }

  /**
   * Delivers what is under way, waiting for its copies, as steps of the runtime's teardown, which
   * then frees the memory.
   *
   * @param isLost whether the device is lost: what is not known to be copied stays so
   */
  public void end(boolean isLost, Teardown teardown) {
    for (DownloadDelivery<?> delivery : underWay.toArray(DownloadDelivery<?>[]::new)) {
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
