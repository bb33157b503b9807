package dev.streamfence.internal.device;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CheckedDriver;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.memory.HostRegion;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.PendingUse;
import dev.streamfence.internal.order.Teardown;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The page-locked memory of downloads that are under way, up to 64 MiB in sizes that are powers of
 * two, and reused: allocating such memory is slow, and freeing it may wait for the device.
 * Thread-safe.
 */
final class DownloadMemory {
  private static final long SMALLEST_BYTES = 4 << 10;

  /** Enough for many results at a time, and little beside what a machine with a GPU has. */
  private static final long MAX_IDLE_BYTES = 64L << 20;

  private final CheckedDriver driver;
  private final Set<DownloadDelivery<?>> underWay = ConcurrentHashMap.newKeySet();

  /** Memory whose download no caller can ask for any more; the copy may be in flight. */
  private final Queue<HostRegion> abandoned = new ConcurrentLinkedQueue<>();

  // Guarded by this.
  private final Map<Long, Deque<HostRegion>> idle = new HashMap<>();
  private long idleBytes;

  DownloadMemory(CheckedDriver driver) {
    this.driver = driver;
  }

  /**
   * Takes memory for a download.
   *
   * @throws CudaDriverException if there is none left
   */
  HostRegion take(long bytes) {
    collectAbandoned();
    // Memory that is too large to be kept need not fit other downloads.
    long size =
        bytes > MAX_IDLE_BYTES
            ? bytes
            : Math.max(SMALLEST_BYTES, Long.highestOneBit(2 * bytes - 1));
    HostRegion reused = takeIdle(size);
    if (reused != null) {
      return reused;
    }
    // First: if the Java heap is full, nothing was allocated.
    HazardState hazards = new HazardState("the memory of a download");
    HostMemory memory;
    try {
      memory = driver.allocateHost(size);
    } catch (CudaDriverException e) {
      throw e.during("allocating " + size + " bytes of host memory for a download");
    }
    return new HostRegion(memory, hazards, 0);
  }

  /** Records a download whose copy is queued. */
  void add(DownloadDelivery<?> delivery) {
    underWay.add(delivery);
  }

  /** Takes the memory of a delivered download back. */
  void giveBack(DownloadDelivery<?> delivery, HostRegion memory) {
    // In this order: the end of the runtime waits for a delivery that it finds under way, and then
    // finds the memory here.
    keepOrFree(memory);
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
   * Delivers what is under way, waiting for its copies, and frees the memory, as steps of the
   * runtime's teardown.
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
      free(unread, teardown);
    }
    synchronized (this) {
      idle.values().forEach(all -> all.forEach(memory -> free(memory, teardown)));
      idle.clear();
      idleBytes = 0;
    }
  }

  private void free(HostRegion memory, Teardown teardown) {
    teardown.step(() -> driver.freeHost(memory.memory()));
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
        keepOrFree(memory);
      }
    }
  }

  private void keepOrFree(HostRegion memory) {
    long size = memory.memory().sizeInBytes();
    synchronized (this) {
      if (idleBytes + size <= MAX_IDLE_BYTES) {
        idle.computeIfAbsent(size, unknown -> new ArrayDeque<>()).addLast(memory);
        idleBytes += size;
        return;
      }
    }
    try {
      driver.freeHost(memory.memory());
    } catch (CudaDriverException e) {
      // The caller has its elements; the end of the runtime tries again, and reports the error.
      driver.sticky().swallowed(e);
      abandoned.add(memory);
    }
  }

  private synchronized @Nullable HostRegion takeIdle(long size) {
    Deque<HostRegion> all = idle.get(size);
    HostRegion memory = all == null ? null : all.pollLast();
    if (memory != null) {
      idleBytes -= size;
    }
    return memory;
  }
}
