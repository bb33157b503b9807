package dev.streamfence.internal.device;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.MemoryResource;
import dev.streamfence.internal.order.Life;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The arrays of a runtime that hold device memory. An array that becomes unreachable without being
 * closed is reported and freed in stream order: by the cleaner's thread if a free does not wait,
 * otherwise by the next allocation or reap. Thread-safe.
 */
final class OpenArrays {
  private enum State {
    OPEN,
    CLOSED,
    /** An empty array was closed, or the memory was handed over to another array. */
    GONE
  }

  /** Whether an array still has its memory. Holds no reference to the array, which it outlives. */
  final class Lifetime implements Runnable {
    private final @Nullable Allocation allocation;
    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
    private Cleaner.@Nullable Cleanable cleanable;
    private volatile @Nullable String heir;

    private Lifetime(@Nullable Allocation allocation) {
      this.allocation = allocation;
    }

    boolean isGone() {
      return state.get() == State.GONE;
    }

    /** A description of the array that has the memory now; null if it was not handed over. */
    @Nullable String heir() {
      return heir;
    }

    /** Frees the memory unless that was done; if that fails, the array stays open. */
    void close() {
      if (!state.compareAndSet(State.OPEN, allocation == null ? State.GONE : State.CLOSED)) {
        return;
      }
      if (allocation != null) {
        try {
          free(allocation);
        } catch (RuntimeException | Error e) {
          if (allocation.hazards().isOpen()) {
            state.set(State.OPEN);
          }
          throw e;
        }
      }
      forget();
    }

    /**
     * Hands the memory, if any, over to another array.
     *
     * @param newHeir a description of that array
     * @return whether this array still had it
     */
    boolean handOver(String newHeir) {
      if (!state.compareAndSet(State.OPEN, State.GONE)) {
        return false;
      }
      heir = newHeir;
      forget();
      return true;
    }

    /** Called when the array has become unreachable. */
    @Override
    public void run() {
      if (allocation != null && state.compareAndSet(State.OPEN, State.CLOSED)) {
        lose(allocation);
      }
    }

    private void forget() {
      // Racy, benign: another thread may not see it yet; the cleaner then finds the array closed.
      if (cleanable != null) {
        cleanable.clean();
      }
    }
  }

  private final MemoryResource resource;
  private final boolean freeWaits;
  private final Life life;

  /** The resource that each allocation returns to. */
  private final Map<Allocation, MemoryResource> open = new ConcurrentHashMap<>();

  private final Queue<Allocation> lost = new ConcurrentLinkedQueue<>();
  private final LongAdder lostArrays = new LongAdder();
  private final LongAdder failedFrees = new LongAdder();
  private final LongAdder failedFreeBytes = new LongAdder();

  OpenArrays(MemoryResource resource, boolean freeWaits, Life life) {
    this.resource = resource;
    this.freeWaits = freeWaits;
    this.life = life;
  }

  /** Registers the allocation of an array about to be created, and the resource it came from. */
  void hold(Allocation allocation, MemoryResource from) {
    open.put(allocation, from);
  }

  /** Frees the allocation of {@link #hold}, if any, when the array is closed or lost. */
  Lifetime watch(DeviceArray<?> array, @Nullable Allocation allocation) {
    Lifetime lifetime = new Lifetime(allocation);
    if (allocation != null) {
      lifetime.cleanable = LostArrays.CLEANER.register(array, lifetime);
    }
    return lifetime;
  }

  /** Frees the lost arrays that the cleaner's thread must not, or could not, free. */
  void freeLost() {
    List<Allocation> failed = new ArrayList<>(0);
    try {
      for (Allocation allocation = lost.poll(); allocation != null; allocation = lost.poll()) {
        try {
          free(allocation);
        } catch (DeviceException e) {
          failed.add(allocation);
        } catch (Error e) {
          if (allocation.hazards().isOpen()) {
            failed.add(allocation);
          }
          throw e;
        }
      }
    } finally {
      lost.addAll(failed);
    }
  }

  /** A snapshot of the allocations of arrays that were not closed, lost ones included. */
  List<Allocation> allocations() {
    return List.copyOf(open.keySet());
  }

  /** Frees an allocation whose array could not be created. */
  void freeAfter(Allocation allocation, MemoryResource from, Error failure) {
    open.remove(allocation);
    try {
      from.deallocate(allocation);
    } catch (RuntimeException | Error e) {
      failure.addSuppressed(e);
    }
  }

  /** Frees an allocation when the runtime is closed, unless the array's owner does so first. */
  void freeAtEnd(Allocation allocation) {
    try {
      free(allocation);
    } catch (UseAfterFreeException closedMeanwhile) {
      open.remove(allocation);
    }
  }

  /** Whether the allocation was lost, and reported as lost. */
  boolean isLost(Allocation allocation) {
    return lost.contains(allocation);
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

  private void free(Allocation allocation) {
    try {
      open.getOrDefault(allocation, resource).deallocate(allocation);
      open.remove(allocation);
    } catch (CudaDriverException e) {
      failedFrees.increment();
      failedFreeBytes.add(allocation.sizeInBytes());
      throw e;
    } catch (Error e) {
      if (!allocation.hazards().isOpen()) {
        open.remove(allocation);
      }
      throw e;
    }
  }

  /** Called by the cleaner's thread, which serves every runtime and must not wait for one. */
  private void lose(Allocation allocation) {
    if (!life.tryEnterWithoutWaiting()) {
      return;
    }
    try {
      // In this order: the next allocation finds every counted array, and every reported array is
      // counted.
      lost.add(allocation);
      lostArrays.increment();
      System.getLogger(DeviceRuntime.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "an array was lost without being closed: " + allocation,
              allocation.allocatedAt());
      if (!freeWaits) {
        freeLost();
      }
    } finally {
      life.leave();
    }
  }
}
