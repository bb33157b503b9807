package dev.streamfence.internal.device;

import dev.streamfence.CudaDriverException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.memory.AllocatedHere;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.Life;
import dev.streamfence.internal.order.PendingUse;
import dev.streamfence.internal.order.Teardown;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The page-locked memory of a runtime's pinned arrays. Memory whose array became unreachable
 * without being closed is reported, and freed by a later call once the device is done with it.
 * Thread-safe.
 */
final class PinnedBytes {
  /** The memory of one pinned array, which it outlives. */
  final class Lease implements Runnable {
    private final HostMemory memory;
    private final HazardState hazards;
    private final String description;

    /** Whether it belongs to a caller, who is to close it. */
    private final boolean isOfCaller;

    private final @Nullable Throwable allocatedAt = traced ? new AllocatedHere() : null;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean isClosed;
    private volatile boolean isUnreachable;

    /** What the device reaches; null until it is mapped. Written under the array's lock. */
    private volatile @Nullable Allocation mapped;

    private Lease(HostMemory memory, String description, boolean isOfCaller) {
      this.memory = memory;
      this.description = description;
      this.isOfCaller = isOfCaller;
      this.hazards = new HazardState(description);
    }

    HostMemory memory() {
      return memory;
    }

    HazardState hazards() {
      return hazards;
    }

    /** The array, in words. */
    String description() {
      return description;
    }

    /** Where it was allocated; null unless that is traced. */
    @Nullable Throwable allocatedAt() {
      return allocatedAt;
    }

    /** Whether kernels may use it. */
    boolean isMapped() {
      return mapped != null;
    }

    /**
     * Lets kernels use it, from the first call on.
     *
     * @throws CudaDriverException if the device cannot reach host memory
     */
    Allocation map() {
      Allocation known = mapped;
      if (known != null) {
        return known;
      }
      try {
        Allocation first =
            Allocation.ofHost(
                driver.deviceAddress(memory), memory.sizeInBytes(), description, hazards);
        mapped = first;
        return first;
      } catch (CudaDriverException e) {
        throw e.during("mapping " + description);
      }
    }

    /** Refuses a copy between some of its bytes and device memory that overlaps them. */
    void requireApart(long from, Region other, String use) {
      Allocation device = mapped;
      if (device != null && Region.of(device).range(from, other.sizeInBytes()).overlaps(other)) {
        throw new IllegalArgumentException(
            use
                + " with bytes "
                + from
                + " to "
                + (from + other.sizeInBytes() - 1)
                + " of "
                + description
                + " and "
                + other
                + ": they overlap");
      }
    }

    /**
     * Waits for the device's uses and frees the memory, unless that was done.
     *
     * @throws CudaDriverException if the memory could not be freed; a later call tries again
     */
    void end() {
      if (ended.get()) {
        return;
      }
      // Launches on the mapped memory take no lock of the array.
      if (isLost()) {
        hazards.close(null);
      } else if (!hazards.closeUnlessHeld()) {
        throw new StreamMisuseException(
            StreamMisuseException.Misuse.HELD,
            "closing "
                + description
                + ", which a graph or other code still has; close or release that first");
      }
      try {
        if (!isLost()) {
          hazards.pending(true).forEach(use -> use.await("closing " + description));
        }
        free();
      } finally {
        if (!ended.get()) {
          hazards.reopen();
        }
      }
    }

    /** Frees the memory of an array that could not be created. */
    void endAfter(Error failure) {
      try {
        free();
      } catch (RuntimeException | Error e) {
        Suppressed.add(failure, e);
      }
    }

    /** Notes a close by the array's owner that came after the runtime's. */
    void noteClosed() {
      isClosed = true;
    }

    /** Called when the array has become unreachable. */
    @Override
    public void run() {
      if (!ended.get() && life.tryEnterWithoutWaiting()) {
        try {
          isUnreachable = true;
          lost.add(this);
          if (isOfCaller) {
            life.callOutside(
                () ->
                    LogTopic.LEAKS.warn(
                        "a pinned array was lost without being closed: " + description,
                        allocatedAt));
          }
        } finally {
          life.leave();
        }
      }
    }

    /** Whether the device is done with it. Does not wait; may ask the driver. */
    boolean isDone() {
      return !hazards.isHeld() && hazards.pending(true).stream().allMatch(PendingUse::isDone);
    }

    private void free() {
      if (!ended.compareAndSet(false, true)) {
        return;
      }
      boolean refused = false;
      try {
        driver.freeHost(memory);
      } catch (CudaDriverException e) {
        e.during("closing " + description);
        // A lost device frees nothing, now or later; its process has lost the memory with it.
        refused = !isLost();
        if (refused) {
          ended.set(false);
          throw e;
        }
        driver.sticky().swallowed(e);
      } finally {
        // After an Error the driver may have freed it, so it is not freed again.
        if (!refused) {
          leases.remove(this);
          bytes.addAndGet(-memory.sizeInBytes());
        }
      }
    }
  }

  private final CudaDriver driver;
  private final Life life;
  private final boolean traced;
  private final Set<Lease> leases = ConcurrentHashMap.newKeySet();
  private final Queue<Lease> lost = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytes = new AtomicLong();

  /**
   * Creates one without arrays.
   *
   * @param traced whether arrays remember where they were allocated
   */
  PinnedBytes(CudaDriver driver, Life life, boolean traced) {
    this.driver = driver;
    this.life = life;
    this.traced = traced;
  }

  /**
   * Allocates page-locked memory.
   *
   * @param isOfCaller whether its array belongs to a caller, and is reported if it is not closed
   * @throws CudaDriverException if there is none left
   */
  Lease allocate(long size, String description, boolean isOfCaller) {
    freeLost();
    HostMemory memory;
    try {
      memory = driver.allocateHost(size);
    } catch (CudaDriverException e) {
      throw e.during("allocating " + description);
    }
    try {
      Lease lease = new Lease(memory, description, isOfCaller);
      memory.accessEnded(description);
      leases.add(lease);
      bytes.addAndGet(size);
      return lease;
    } catch (Error e) {
      try {
        driver.freeHost(memory);
      } catch (RuntimeException | Error unfreed) {
        Suppressed.add(e, unfreed);
      }
      throw e;
    }
  }

  /** Bytes of pinned arrays that are not freed. */
  long bytes() {
    return bytes.get();
  }

  /** The arrays of callers that were neither closed nor lost. */
  List<Lease> open() {
    return leases.stream()
        .filter(lease -> lease.isOfCaller && !lease.isUnreachable && !lease.isClosed)
        .toList();
  }

  /**
   * Frees everything.
   *
   * @param isDeviceDone whether nothing is in flight; otherwise this waits for the last copies
   */
  void freeAll(Teardown teardown, boolean isDeviceDone) {
    for (Lease lease : leases) {
      teardown.step(isDeviceDone ? lease::free : lease::end);
    }
  }

  /**
   * Frees the lost memory that the device is done with. Does not wait. A lost device gets no driver
   * calls until the runtime is closed, which then tries to free all.
   */
  void freeLost() {
    if (isLost()) {
      return;
    }
    for (int left = lost.size(); left > 0; left--) {
      Lease lease = lost.poll();
      if (lease == null) {
        return;
      }
      boolean freed = false;
      try {
        if (lease.isDone()) {
          lease.free();
          freed = true;
        }
      } catch (CudaDriverException e) {
        // The next call tries again.
        driver.sticky().swallowed(e);
      } finally {
        if (!freed) {
          lost.add(lease);
        }
      }
    }
  }

  private boolean isLost() {
    return driver.sticky().error() != null;
  }
}
