package dev.streamfence.internal.device;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.memory.HostRegion;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.PendingUse;
import dev.streamfence.internal.order.Teardown;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The downloads that are under way, and their page-locked memory, which may outlive them.
 * Thread-safe.
 */
final class DownloadMemory {
  private final HostMemoryPool pool;
  private final Set<DownloadDelivery<?>> underWay = ConcurrentHashMap.newKeySet();

  /** Memory whose download no caller can ask for any more; the copy may be in flight. */
  private final Queue<HostRegion> abandoned = new ConcurrentLinkedQueue<>();

  DownloadMemory(HostMemoryPool pool) {
    this.pool = pool;
  }

  /**
   * Takes memory for a download.
   *
   * @throws CudaDriverException if there is none left
   */
  HostRegion take(long bytes) {
    collectAbandoned();
    // First: if the Java heap is full, nothing was allocated.
    HazardState hazards = new HazardState("the memory of a download");
    try {
      return new HostRegion(pool.take(bytes), hazards, 0);
    } catch (CudaDriverException e) {
      throw e.during("allocating " + bytes + " bytes of host memory for a download");
    }
  }

  /** Records a download whose copy is queued. */
  void add(DownloadDelivery<?> delivery) {
    underWay.add(delivery);
  }

  /** Takes the memory of a delivered download back. */
  void giveBack(DownloadDelivery<?> delivery, HostRegion memory) {
    // In this order: the end of the runtime waits for a delivery that it finds under way, and then
    // finds the memory here.
    pool.giveBack(memory.memory());
    underWay.remove(delivery);
  }

  /** Takes memory back that a copy may still write. */
  void abandon(@Nullable DownloadDelivery<?> delivery, HostRegion memory) {
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
  void end(boolean isLost, Teardown teardown) {
    for (DownloadDelivery<?> delivery : underWay) {
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
