package dev.streamfence;

import dev.streamfence.memory.Block;
import dev.streamfence.memory.MemoryResource;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The arrays of a runtime that hold device memory. One that becomes unreachable without a close is
 * reported and freed in stream order: by the cleaner's thread where a free does not wait for the
 * device, and otherwise by whoever allocates or reaps next. Thread-safe.
 */
final class OpenArrays {
  private enum State {
    OPEN,
    CLOSED,
    /** It was closed without memory of its own to say so, or another array has its memory now. */
    GONE
  }

  /** Whether an array has its memory still. Knows nothing of the array, which it outlives. */
  final class Lifetime implements Runnable {
    private final @Nullable Block block;
    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
    private Cleaner.@Nullable Cleanable cleanable;

    private Lifetime(@Nullable Block block) {
      this.block = block;
    }

    boolean isGone() {
      return state.get() == State.GONE;
    }

    /** Frees the memory unless that was done; when it fails the array is open as before. */
    void close() {
      if (!state.compareAndSet(State.OPEN, block == null ? State.GONE : State.CLOSED)) {
        return;
      }
      if (block != null) {
        try {
          free(block);
        } catch (RuntimeException e) {
          state.set(State.OPEN);
          throw e;
        }
      }
      forget();
    }

    /**
     * Leaves the memory, if it has any, to another array.
     *
     * @return whether it was still this one's
     */
    boolean handOver() {
      if (!state.compareAndSet(State.OPEN, State.GONE)) {
        return false;
      }
      forget();
      return true;
    }

    /** The array is unreachable. */
    @Override
    public void run() {
      if (block != null && state.compareAndSet(State.OPEN, State.CLOSED)) {
        lose(block);
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

  /** Where each block goes back to. */
  private final Map<Block, MemoryResource> open = new ConcurrentHashMap<>();

  private final Queue<Block> lost = new ConcurrentLinkedQueue<>();
  private final LongAdder lostArrays = new LongAdder();
  private final LongAdder failedFrees = new LongAdder();
  private final LongAdder failedFreeBytes = new LongAdder();

  /** Held while a lost array is freed, so that the runtime is not closed meanwhile. */
  private final ReentrantLock freeing = new ReentrantLock();

  private boolean stopped;
  private @Nullable Cleaner cleaner;

  OpenArrays(MemoryResource resource, boolean freeWaits) {
    this.resource = resource;
    this.freeWaits = freeWaits;
  }

  /** Notes a block that an array is about to be made of, and the resource that it came from. */
  void hold(Block block, MemoryResource from) {
    open.put(block, from);
  }

  /** Frees the block of {@link #hold}, unless there is none, when the array is closed or lost. */
  Lifetime watch(DeviceArray<?> array, @Nullable Block block) {
    Lifetime lifetime = new Lifetime(block);
    if (block != null) {
      lifetime.cleanable = cleaner().register(array, lifetime);
    }
    return lifetime;
  }

  /** Frees the lost arrays that the cleaner's thread must not, or could not, free. */
  void freeLost() {
    freeing.lock();
    try {
      List<Block> failed = new ArrayList<>(0);
      Block block;
      while (!stopped && (block = lost.poll()) != null) {
        try {
          free(block);
        } catch (DeviceException e) {
          failed.add(block);
        }
      }
      lost.addAll(failed);
    } finally {
      freeing.unlock();
    }
  }

  /** From now on nothing is freed by the cleaner's thread. Waits for what it is at. */
  void stop() {
    freeing.lock();
    try {
      stopped = true;
    } finally {
      freeing.unlock();
    }
  }

  /** Blocks of arrays that nobody has closed, lost ones included. A snapshot. */
  List<Block> blocks() {
    return List.copyOf(open.keySet());
  }

  /** Frees a block when the runtime is closed, unless its array's owner is faster. */
  void freeAtEnd(Block block) {
    try {
      free(block);
    } catch (UseAfterFreeException closedMeanwhile) {
      open.remove(block);
    }
  }

  /** Whether the block was lost, and said to be. */
  boolean isLost(Block block) {
    return lost.contains(block);
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

  private void free(Block block) {
    try {
      // One that somebody else has freed is refused by any resource.
      open.getOrDefault(block, resource).deallocate(block);
      open.remove(block);
    } catch (CudaDriverException e) {
      failedFrees.increment();
      failedFreeBytes.add(block.sizeInBytes());
      throw e;
    }
  }

  private void lose(Block block) {
    freeing.lock();
    try {
      if (stopped) {
        return;
      }
      lostArrays.increment();
      System.getLogger(DeviceRuntime.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "an array was lost without being closed: " + block,
              block.allocatedAt());
      lost.add(block);
      if (!freeWaits) {
        freeLost();
      }
    } finally {
      freeing.unlock();
    }
  }

  private synchronized Cleaner cleaner() {
    Cleaner existing = cleaner;
    if (existing == null) {
      existing = Cleaner.create();
      cleaner = existing;
    }
    return existing;
  }
}
