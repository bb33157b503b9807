package dev.streamfence.internal.driver;

import dev.streamfence.CudaDriverException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The page-locked host memory of one device: staging memory, downloads under way, arguments, tables
 * and checks of guarded memory. What comes back is kept for the next caller, up to 64 MiB in sizes
 * that are powers of two, since allocating such memory is slow and freeing it may wait for the
 * device. Thread-safe; makes no driver call under its lock.
 */
public final class HostMemoryPool {
  private static final long SMALLEST_BYTES = 4 << 10;

  /** Enough for many results at a time, and little beside what a machine with a GPU has. */
  private static final long MAX_IDLE_BYTES = 64L << 20;

  private final CudaDriver driver;
  private final StickyError faults;

  /** All memory that is not freed, by identity. Guarded by this. */
  private final Set<HostMemory> all = Collections.newSetFromMap(new IdentityHashMap<>());

  // Guarded by this.
  private final Map<Long, Deque<HostMemory>> idle = new HashMap<>();
  private long idleBytes;

  /** Creates an empty pool. */
  public HostMemoryPool(CudaDriver driver, StickyError faults) {
    this.driver = driver;
    this.faults = faults;
  }

  /**
   * Takes memory of at least so many bytes, whose content is undefined. May wait for the device.
   *
   * @param bytes at least 1; at most 2 GiB - 1
   * @throws CudaDriverException if there is none left
   */
  public HostMemory take(long bytes) {
    // Memory that is too large to be kept need not fit other callers.
    long size =
        bytes > MAX_IDLE_BYTES
            ? bytes
            : Math.max(SMALLEST_BYTES, Long.highestOneBit(2 * bytes - 1));
    HostMemory reused = takeIdle(size);
    if (reused != null) {
      return reused;
    }
    HostMemory memory = driver.allocateHost(size);
    try {
      synchronized (this) {
        all.add(memory);
      }
    } catch (Error e) {
      driver.freeHost(memory);
      throw e;
    }
    return memory;
  }

  /**
   * Takes memory back that neither the device nor the host uses any more. If the driver refuses to
   * free what is too much to keep, {@link #drain} returns it.
   */
  public void giveBack(HostMemory memory) {
    long size = memory.sizeInBytes();
    synchronized (this) {
      if (idleBytes + size <= MAX_IDLE_BYTES) {
        idle.computeIfAbsent(size, unknown -> new ArrayDeque<>()).addLast(memory);
        idleBytes += size;
        return;
      }
      // First: after an error of the JVM the driver may have freed it, so it is not freed again.
      all.remove(memory);
    }
    try {
      driver.freeHost(memory);
    } catch (CudaDriverException e) {
      faults.swallowed(e);
      synchronized (this) {
        all.add(memory);
      }
    }
  }

  /** Removes all memory, taken or not, for the caller to free: nothing uses it any more. */
  public synchronized List<HostMemory> drain() {
    List<HostMemory> left = List.copyOf(all);
    all.clear();
    idle.clear();
    idleBytes = 0;
    return left;
  }

  private synchronized @Nullable HostMemory takeIdle(long size) {
    Deque<HostMemory> ofSize = idle.get(size);
    HostMemory memory = ofSize == null ? null : ofSize.pollLast();
    if (memory != null) {
      idleBytes -= size;
    }
    return memory;
  }
}
