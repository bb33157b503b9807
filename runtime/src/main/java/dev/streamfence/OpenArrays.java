package dev.streamfence;

import dev.streamfence.memory.Block;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.stream.Life;
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
 * The arrays of a runtime that hold device memory. One that becomes unreachable without a close is
 * reported and freed in stream order: by the cleaner's thread where a free does not wait, and
 * otherwise by the next allocation or reap. Thread-safe.
 */
final class OpenArrays {
  private enum State {
    OPEN,
    CLOSED,
    /** An empty array was closed, or the memory was handed over to another array. */
    GONE
  }

  /** Whether an array has its memory still. Knows nothing of the array, which it outlives. */
  final class Lifetime implements Runnable {
    private final @Nullable Block block;
    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
    private Cleaner.@Nullable Cleanable cleanable;
    private volatile @Nullable String heir;

    private Lifetime(@Nullable Block block) {
      this.block = block;
    }

    boolean isGone() {
      return state.get() == State.GONE;
    }

    /** The array that has the memory now, in words; null if it was not handed over. */
    @Nullable String heir() {
      return heir;
    }

    /** Frees the memory unless that was done; when it fails the array is open as before. */
    void close() {
      if (!state.compareAndSet(State.OPEN, block == null ? State.GONE : State.CLOSED)) {
        return;
      }
      if (block != null) {
        try {
          free(block);
        } catch (RuntimeException | Error e) {
          if (block.dependencies().isOpen()) {
            state.set(State.OPEN);
          }
          throw e;
        }
      }
      forget();
    }

    /**
     * Leaves the memory, if it has any, to another array.
     *
     * @param newHeir that array, in words
     * @return whether it was still this one's
     */
    boolean handOver(String newHeir) {
      if (!state.compareAndSet(State.OPEN, State.GONE)) {
        return false;
      }
      heir = newHeir;
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
  private final Life life;

  /** Where each block goes back to. */
  private final Map<Block, MemoryResource> open = new ConcurrentHashMap<>();

  private final Queue<Block> lost = new ConcurrentLinkedQueue<>();
  private final LongAdder lostArrays = new LongAdder();
  private final LongAdder failedFrees = new LongAdder();
  private final LongAdder failedFreeBytes = new LongAdder();

  OpenArrays(MemoryResource resource, boolean freeWaits, Life life) {
    this.resource = resource;
    this.freeWaits = freeWaits;
    this.life = life;
  }

  /** Notes a block that an array is about to be made of, and the resource that it came from. */
  void hold(Block block, MemoryResource from) {
    open.put(block, from);
  }

  /** Frees the block of {@link #hold}, unless there is none, when the array is closed or lost. */
  Lifetime watch(DeviceArray<?> array, @Nullable Block block) {
    Lifetime lifetime = new Lifetime(block);
    if (block != null) {
      lifetime.cleanable = LostArrays.CLEANER.register(array, lifetime);
    }
    return lifetime;
  }

  /** Frees the lost arrays that the cleaner's thread must not, or could not, free. */
  void freeLost() {
    List<Block> failed = new ArrayList<>(0);
    try {
      for (Block block = lost.poll(); block != null; block = lost.poll()) {
        try {
          free(block);
        } catch (DeviceException e) {
          failed.add(block);
        } catch (Error e) {
          if (block.dependencies().isOpen()) {
            failed.add(block);
          }
          throw e;
        }
      }
    } finally {
      lost.addAll(failed);
    }
  }

  /** Blocks of arrays that were not closed, lost ones included. A snapshot. */
  List<Block> blocks() {
    return List.copyOf(open.keySet());
  }

  /** Frees a block of which no array could be made. */
  void freeAfter(Block block, MemoryResource from, Error failure) {
    open.remove(block);
    try {
      from.deallocate(block);
    } catch (RuntimeException | Error e) {
      failure.addSuppressed(e);
    }
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
      open.getOrDefault(block, resource).deallocate(block);
      open.remove(block);
    } catch (CudaDriverException e) {
      failedFrees.increment();
      failedFreeBytes.add(block.sizeInBytes());
      throw e;
    } catch (Error e) {
      if (!block.dependencies().isOpen()) {
        open.remove(block);
      }
      throw e;
    }
  }

  /** Called by the cleaner's thread, which serves every runtime and must not wait for one. */
  private void lose(Block block) {
    if (!life.tryEnterWithoutWaiting()) {
      return;
    }
    try {
      // In this order: an array that is counted is found by the next allocation, and one that is
      // reported is counted.
      lost.add(block);
      lostArrays.increment();
      System.getLogger(DeviceRuntime.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "an array was lost without being closed: " + block,
              block.allocatedAt());
      if (!freeWaits) {
        freeLost();
      }
    } finally {
      life.leave();
    }
  }
}
