package dev.streamfence.internal.device;

import dev.streamfence.ReadableArray;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.LostArrays;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.internal.memory.AdoptedMemory;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.BudgetResource;
import dev.streamfence.internal.order.Life;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The arrays of a runtime that hold device memory. An array that becomes unreachable without being
 * closed is reported and freed in stream order: by the thread of {@link LostArrays} if a free does
 * not wait, otherwise by the next allocation or reap. Thread-safe.
 */
final class OpenArrays implements LostArrays.Keeper {
  /**
   * Whether an array still has its memory: an allocation's holder is the lifetime of its array. The
   * allocation keeps it reachable, and it does not keep the array.
   */
  final class Lifetime extends LostArrays.Watch {
    private final @Nullable Allocation allocation;

    /**
     * Whether an array was closed whose hazard state does not tell: it has no memory, shares it
     * with another, or other code still has it.
     */
    private volatile boolean isEnded;

    private final boolean shares;

    private volatile @Nullable String heir;

    private Lifetime(ReadableArray<?> array, @Nullable Allocation allocation, boolean shares) {
      super(array);
      this.allocation = allocation;
      this.shares = shares;
    }

    /** Makes the array the holder of a new allocation. */
    void hold() {
      if (allocation != null) {
        allocation.pass(null, this);
        if (!isKept) {
          keep();
        }
      }
    }

    /** Whether the array was closed while empty or shared, or its memory was handed over. */
    boolean isGone() {
      return isEnded || heir != null;
    }

    /** A description of the array that has the memory now; null if it was not handed over. */
    @Nullable String heir() {
      return heir;
    }

    /** Frees the memory unless that was done; if that fails, the array stays open. */
    void close() {
      if (allocation == null) {
        isEnded = true;
      } else if (allocation.pass(this, null)) {
        isEnded = shares;
        try {
          counted(() -> closeForUser(allocation), allocation);
        } catch (Throwable e) {
          if (allocation.isOpen()) {
            isEnded = false;
            hold();
          }
          throw e;
        } finally {
          // Asked only now: until the close, a graph of another thread may begin to hold it.
          if (allocation.hazards().acceptsUses() && !allocation.isOpen()) {
            isEnded = true;
          }
        }
      }
    }

    /**
     * Leaves the memory of an array that no caller has, and that could not be closed, to the next
     * allocation or reap.
     */
    void abandon() {
      if (allocation != null && allocation.pass(this, null)) {
        lost.add(allocation);
      }
    }

    /**
     * Takes the memory over from another array.
     *
     * @param heirInWords a description of this array
     * @return whether that array still had it
     */
    boolean takeOver(Lifetime other, String heirInWords) {
      if (allocation == null ? other.isGone() : !allocation.pass(other, this)) {
        return false;
      }
      other.heir = heirInWords;
      return true;
    }

    @Override
    protected void lost() {
      if (allocation != null) {
        lose(this, allocation);
      }
    }
  }

  private final BudgetResource resource;
  private final Supplier<List<Allocation>> open;
  private final AdoptedMemory adopted;
  private final boolean freeHoldsUp;
  private final Life life;
  private final StickyError faults;

  /** Whether {@link LostArrays} keeps this, and with it the lifetimes of open arrays, reachable. */
  private volatile boolean isKept;

  private final Queue<Allocation> lost = new ConcurrentLinkedQueue<>();
  private final LongAdder lostArrays = new LongAdder();
  private final LongAdder failedFrees = new LongAdder();
  private final LongAdder failedFreeBytes = new LongAdder();

  OpenArrays(
      BudgetResource resource,
      Supplier<List<Allocation>> open,
      AdoptedMemory adopted,
      boolean freeHoldsUp,
      Life life,
      StickyError faults) {
    this.resource = resource;
    this.open = open;
    this.adopted = adopted;
    this.freeHoldsUp = freeHoldsUp;
    this.life = life;
    this.faults = faults;
  }

  /**
   * The lifetime of an array: if it holds its allocation, that is freed when the array is closed or
   * lost.
   */
  Lifetime watch(ReadableArray<?> array, @Nullable Allocation allocation) {
    return watch(array, allocation, false);
  }

  /**
   * The lifetime of an array like {@link #watch(ReadableArray, Allocation)}.
   *
   * @param shares whether the array's memory is that of another allocation, which stays open
   */
  Lifetime watch(ReadableArray<?> array, @Nullable Allocation allocation, boolean shares) {
    return new Lifetime(array, allocation, shares);
  }

  private void keep() {
    // First: what is said to be kept and is not would stay so.
    isKept = true;
    try {
      LostArrays.keep(this);
    } catch (Error e) {
      isKept = false;
      throw e;
    }
  }

  @Override
  public void keepIfNeeded() {
    // In this order: an array that is made meanwhile finds itself not kept, or is found here.
    isKept = false;
    if (!life.isClosed() && (hasHeld() || adopted.hasHeld())) {
      keep();
    }
  }

  /**
   * Whether an array has memory. Those that are lost need no watch, though they may not be freed.
   */
  private boolean hasHeld() {
    return resource.snapshot().live() > 0
        && (lost.isEmpty() || open.get().stream().anyMatch(Allocation::isHeld));
  }

  /** Frees the lost arrays that the thread of lost arrays must not, or could not, free. */
  void freeLost() {
    if (lost.isEmpty()) {
      return;
    }
    List<Allocation> failed = new ArrayList<>(0);
    try {
      for (Allocation allocation = lost.poll(); allocation != null; allocation = lost.poll()) {
        try {
          if (allocation.isOpen()) {
            free(allocation);
          }
        } catch (Exception e) {
          faults.swallowed(e);
          failed.add(allocation);
        } catch (Error e) {
          if (allocation.isOpen()) {
            failed.add(allocation);
          }
          throw e;
        }
      }
    } finally {
      lost.addAll(failed);
    }
  }

  /** Frees an allocation whose array could not be created. */
  void freeAfter(Allocation allocation, Error failure) {
    try {
      deallocate(allocation);
    } catch (Throwable e) {
      Suppressed.add(failure, e);
      if (allocation.isOpen()) {
        lost.add(allocation);
      }
    }
  }

  long lostArrays() {
    return lostArrays.sum();
  }

  long failedFrees() {
    return failedFrees.sum();
  }

  long failedFreeBytes() {
    return failedFreeBytes.sum();
  }

  /** Frees an allocation, and counts a failure. */
  void free(Allocation allocation) {
    counted(() -> deallocate(allocation), allocation);
  }

  private void counted(Runnable free, Allocation allocation) {
    try {
      free.run();
    } catch (Exception e) {
      failedFrees.increment();
      failedFreeBytes.add(allocation.sizeInBytes());
      throw e;
    }
  }

  private void closeForUser(Allocation allocation) {
    if (allocation.isForeign()) {
      adopted.close(allocation);
    } else {
      resource.deallocate(allocation);
    }
  }

  private void deallocate(Allocation allocation) {
    if (allocation.isForeign()) {
      adopted.deallocate(allocation);
    } else {
      resource.deallocate(allocation);
    }
  }

  /** Called by the thread of lost arrays, which serves every runtime and must not wait for one. */
  private void lose(Lifetime lifetime, Allocation allocation) {
    // While the runtime is being closed, the array stays open, and the close reports it.
    if (!life.tryEnterWithoutWaiting()) {
      return;
    }
    try {
      if (!allocation.pass(lifetime, null)) {
        return;
      }
      // In this order: the next allocation finds every counted array.
      lost.add(allocation);
      report(allocation, allocation.allocatedAt());
      if (!freeHoldsUp) {
        freeLost();
      }
    } finally {
      life.leave();
    }
  }

  /**
   * Counts and reports a lost array whose elements have left the device. Called like {@link #lose}.
   *
   * @param giveUp gives the elements up
   */
  void loseSpilled(String array, @Nullable Throwable allocatedAt, Runnable giveUp) {
    if (!life.tryEnterWithoutWaiting()) {
      return;
    }
    try {
      report(array, allocatedAt);
      giveUp.run();
    } finally {
      life.leave();
    }
  }

  /** In this order: every reported array is counted. */
  private void report(Object array, @Nullable Throwable allocatedAt) {
    lostArrays.increment();
    life.callOutside(
        () -> LogTopic.LEAKS.warn("an array was lost without being closed: " + array, allocatedAt));
  }
}
