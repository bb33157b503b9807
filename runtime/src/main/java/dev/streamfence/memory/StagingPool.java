package dev.streamfence.memory;

import static java.util.Objects.requireNonNull;

import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.CudaDriver.EventHandle;
import dev.streamfence.driver.CudaDriver.StreamHandle;
import dev.streamfence.driver.HostMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Page-locked host memory in chunks of one size, through which host copies pass: a copy from or to
 * a Java array would either pin the array for the collector or run after the array is let go.
 * Thread-safe.
 */
final class StagingPool {
  /**
   * Large enough to reach the bus's speed, small enough that the first copy does not wait for page
   * locking.
   */
  static final int CHUNK_BYTES = 4 << 20;

  /**
   * Two are enough to keep one stream's copies going; eight let four streams copy at the same time.
   */
  private static final int MAX_CHUNKS = 8;

  /** One piece of page-locked memory, with an event for the copy that used it last. */
  static final class Chunk {
    private final HostMemory memory;
    private final EventHandle lastCopy;
    private boolean copied;

    private Chunk(HostMemory memory, EventHandle lastCopy) {
      this.memory = memory;
      this.lastCopy = lastCopy;
    }

    HostMemory memory() {
      return memory;
    }
  }

  private final CudaDriver driver;
  private final Deque<Chunk> idle = new ArrayDeque<>();
  private final List<Chunk> all = new ArrayList<>();

  StagingPool(CudaDriver driver) {
    this.driver = driver;
  }

  /**
   * Takes a chunk for one copy. Waits for the copy that used it last, and for a chunk to come back
   * while all are taken.
   */
  Chunk take() {
    return ready(takeIdle(true));
  }

  /**
   * Takes a chunk like {@link #take}, or null when all are taken: for whoever holds one and must
   * not wait for more.
   */
  @Nullable Chunk tryTake() {
    Chunk chunk = takeIdle(false);
    return chunk == null ? null : ready(chunk);
  }

  private Chunk ready(@Nullable Chunk taken) {
    Chunk chunk = requireNonNull(taken);
    try {
      if (chunk.copied) {
        driver.synchronizeEvent(chunk.lastCopy);
        chunk.copied = false;
      }
      return chunk;
    } catch (RuntimeException e) {
      giveBack(chunk);
      throw e;
    }
  }

  /** Notes that a copy between the chunk and the device was just queued. */
  void copied(Chunk chunk, StreamHandle stream) {
    driver.recordEvent(chunk.lastCopy, stream);
    chunk.copied = true;
  }

  /** Waits for the chunk's copy. */
  void await(Chunk chunk) {
    driver.synchronizeEvent(chunk.lastCopy);
    chunk.copied = false;
  }

  /** Gives a chunk back; its copy may still run. */
  synchronized void giveBack(Chunk chunk) {
    idle.addLast(chunk);
    notifyAll();
  }

  /** Frees every chunk. None may be taken. */
  synchronized void destroy() {
    for (Chunk chunk : all) {
      driver.destroyEvent(chunk.lastCopy);
      driver.freeHost(chunk.memory);
    }
    all.clear();
    idle.clear();
  }

  private synchronized @Nullable Chunk takeIdle(boolean waiting) {
    Chunk oldest = idle.peekFirst();
    boolean usable = oldest != null && (!oldest.copied || driver.isEventComplete(oldest.lastCopy));
    if (!usable && all.size() < MAX_CHUNKS) {
      return create();
    }
    boolean interrupted = false;
    while (waiting && idle.isEmpty()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return idle.pollFirst();
  }

  private Chunk create() {
    HostMemory memory = driver.allocateHost(CHUNK_BYTES);
    try {
      Chunk chunk = new Chunk(memory, driver.createEvent());
      all.add(chunk);
      return chunk;
    } catch (RuntimeException e) {
      driver.freeHost(memory);
      throw e;
    }
  }
}
