package dev.streamfence.internal.driver;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.Suppressed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
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

  // Guarded by this, and by identity.
  private final Set<HostMemory> taken = Collections.newSetFromMap(new IdentityHashMap<>());

  /** What is kept for the next caller, by size. Guarded by this. */
  private final TreeMap<Long, Deque<HostMemory>> idle = new TreeMap<>();

  private long idleBytes;

  /** What the driver has allocated and not freed. Guarded by this. */
  private long bytes;

  /** Memory that the driver has refused to free, or was not asked to. Guarded by this. */
  private final List<HostMemory> unfreed = new ArrayList<>();

  private boolean isDrained;

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
    long size = sizeFor(bytes);
    HostMemory reused = takeIdle(size);
    return reused != null ? reused : allocate(size);
  }

  /** The bytes of the memory that {@link #take} takes for so many. */
  public static long sizeFor(long bytes) {
    // Memory that is too large to be kept need not fit other callers.
    return bytes > MAX_IDLE_BYTES
        ? bytes
        : Math.max(SMALLEST_BYTES, Long.highestOneBit(2 * bytes - 1));
  }

  private HostMemory allocate(long size) {
    HostMemory memory = driver.allocateHost(size);
    try {
      synchronized (this) {
        taken.add(memory);
        bytes += memory.sizeInBytes();
      }
      return memory;
    } catch (Error e) {
      try {
        driver.freeHost(memory);
      } catch (RuntimeException | Error refused) {
        Suppressed.add(e, refused);
      }
      throw e;
    }
  }

  /**
   * Takes memory back that neither the device nor the host uses any more; after {@link #drain},
   * does nothing. Frees what has been kept in other sizes if that is too much together. What the
   * driver refuses to free is left for {@link #drain}.
   *
   * @throws IllegalStateException if it was given back before: two callers would get it
   */
  public void giveBack(HostMemory memory) {
    Iterator<HostMemory> tooMuch = keep(memory).iterator();
    try {
      while (tooMuch.hasNext()) {
        free(tooMuch.next());
      }
    } finally {
      // There is more only after an Error.
      synchronized (this) {
        tooMuch.forEachRemaining(unfreed::add);
      }
    }
  }

  /**
   * Frees memory that the pool does not have any more. An {@link Error} may come before or after
   * the driver has freed it, so the call is not made again.
   */
  private void free(HostMemory memory) {
    boolean isRefused = false;
    try {
      driver.freeHost(memory);
    } catch (CudaDriverException e) {
      isRefused = true;
      faults.swallowed(e);
      synchronized (this) {
        unfreed.add(memory);
      }
    } finally {
      if (!isRefused) {
        synchronized (this) {
          bytes -= memory.sizeInBytes();
        }
      }
    }
  }

  /** Keeps memory; returns what is to be freed for it, or instead of it. */
  private synchronized List<HostMemory> keep(HostMemory memory) {
    if (isDrained) {
      return List.of();
    }
    if (!taken.remove(memory)) {
      throw new IllegalStateException("host memory was given back twice");
    }
    long size = memory.sizeInBytes();
    if (size > MAX_IDLE_BYTES) {
      return List.of(memory);
    }
    List<HostMemory> tooMuch = new ArrayList<>();
    // The largest first: one of them would keep all others from being kept.
    while (idleBytes + size > MAX_IDLE_BYTES) {
      tooMuch.add(poll(idle.lastEntry().getValue()));
    }
    idle.computeIfAbsent(size, unknown -> new ArrayDeque<>()).addLast(memory);
    idleBytes += size;
    return tooMuch;
  }

  /** Removes all memory, taken or not, for the caller to free: nothing uses it any more. */
  public synchronized List<HostMemory> drain() {
    isDrained = true;
    List<HostMemory> left = new ArrayList<>(unfreed);
    left.addAll(taken);
    idle.values().forEach(left::addAll);
    unfreed.clear();
    taken.clear();
    idle.clear();
    idleBytes = 0;
    bytes = 0;
    return left;
  }

  /** The bytes that it has from the driver, taken or not. */
  public synchronized long bytes() {
    return bytes;
  }

  private synchronized @Nullable HostMemory takeIdle(long size) {
    Deque<HostMemory> ofSize = idle.get(size);
    if (ofSize == null) {
      return null;
    }
    HostMemory memory = poll(ofSize);
    taken.add(memory);
    return memory;
  }

  /** Takes the memory that came back last; no size is kept without any. */
  private HostMemory poll(Deque<HostMemory> ofSize) {
    HostMemory memory = ofSize.removeLast();
    idleBytes -= memory.sizeInBytes();
    if (ofSize.isEmpty()) {
      idle.remove(memory.sizeInBytes());
    }
    return memory;
  }
}
