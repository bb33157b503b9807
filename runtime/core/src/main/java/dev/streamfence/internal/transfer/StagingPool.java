// Long because taking, waiting and giving back share one queue, under one lock.
package dev.streamfence.internal.transfer;

import static java.util.Objects.requireNonNull;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.internal.jfr.FlightEvents;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.Polling;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Page-locked host memory in chunks of one size, for copies from and to the host. A direct copy of
 * a Java array would either pin the array for the collector or run after its release. Thread-safe.
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

    /** Its first {@code size} bytes. */
    ByteBuffer view(int size) {
      ByteBuffer shared = memory.buffer();
      return shared.slice(0, size).order(shared.order());
    }
  }

  private final CudaDriver driver;
  private final HostMemoryPool memory;
  private final int chunkBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition returned = lock.newCondition();
  private final Deque<Chunk> idle = new ArrayDeque<>();
  private final List<Chunk> all = new ArrayList<>();
  private int claimed;

  /** Creates an empty pool, whose chunks come from the page-locked memory of the device. */
  StagingPool(CudaDriver driver, HostMemoryPool memory, int chunkBytes) {
    this.driver = driver;
    this.memory = memory;
    this.chunkBytes = chunkBytes;
  }

  /** The size of every chunk. */
  int chunkBytes() {
    return chunkBytes;
  }

  /**
   * Takes a chunk for one copy. Waits while all are taken, and for the copy that last used the
   * chunk.
   */
  Chunk take() {
    return ready(takeIdle(true));
  }

  /**
   * Takes a chunk like {@link #take()}, unless a deadline passes before one is ready.
   *
   * @return null if it has passed
   * @throws InterruptedException if the thread is interrupted before or while it waits
   */
  @Nullable Chunk take(Deadline deadline) throws InterruptedException {
    Chunk chunk = takeIdle(false);
    while (chunk == null && !deadline.hasPassed()) {
      chunk = pollIdle(deadline);
      if (chunk == null) {
        chunk = takeIdle(false);
      }
    }
    if (chunk == null) {
      return null;
    }
    boolean ready = false;
    try {
      ready = !chunk.copied || await(chunk, deadline);
      return ready ? chunk : null;
    } finally {
      if (!ready) {
        giveBack(chunk);
      }
    }
  }

  /**
   * Takes a chunk like {@link #take()}, or returns null if all are taken: for a caller that holds
   * one and must not wait for another.
   */
  @Nullable Chunk tryTake() {
    Chunk chunk = takeIdle(false);
    return chunk == null ? null : ready(chunk);
  }

  /** Takes a chunk like {@link #tryTake}, or returns null if that would wait for a copy. */
  @Nullable Chunk tryTakeReady() {
    Chunk chunk = takeIdle(false);
    if (chunk == null || isDone(chunk)) {
      if (chunk != null) {
        chunk.copied = false;
      }
      return chunk;
    }
    putFirst(chunk);
    return null;
  }

  private Chunk ready(@Nullable Chunk taken) {
    Chunk chunk = requireNonNull(taken);
    try {
      if (chunk.copied) {
        driver.synchronizeEvent(chunk.lastCopy);
        chunk.copied = false;
      }
      return chunk;
    } catch (RuntimeException | Error e) {
      giveBack(chunk);
      throw e;
    }
  }

  /** Notes that a copy between the chunk and the device was just queued. */
  void copied(Chunk chunk, StreamHandle stream) {
    driver.recordEvent(chunk.lastCopy, stream);
    chunk.copied = true;
  }

  /**
   * Notes like {@link #copied} that a copy was queued. If that fails, waits for the copy and
   * throws: a chunk whose copy has no event must not be reused before the copy is done.
   */
  void markCopied(Chunk chunk, Timeline timeline, StickyError faults) {
    try {
      copied(chunk, timeline.stream());
    } catch (RuntimeException | Error unrecorded) {
      try {
        driver.synchronizeStream(timeline.stream());
      } catch (RuntimeException | Error unsynchronized) {
        if (unsynchronized.getCause() != unrecorded) {
          unrecorded.addSuppressed(unsynchronized);
        }
        faults.declareLost(unrecorded, "a copy on " + timeline);
      }
      throw unrecorded;
    }
  }

  /** Waits for the chunk's copy. */
  void await(Chunk chunk) {
    driver.synchronizeEvent(chunk.lastCopy);
    chunk.copied = false;
  }

  /**
   * Waits for the chunk's copy until a deadline, polling the driver; returns whether it is done.
   */
  boolean await(Chunk chunk, Deadline deadline) throws InterruptedException {
    boolean done = Polling.until(deadline, () -> driver.isEventComplete(chunk.lastCopy));
    chunk.copied = !done;
    return done;
  }

  /** Gives a chunk back; its copy may still run. */
  void giveBack(Chunk chunk) {
    lock.lock();
    try {
      if (chunk.copied) {
        idle.addLast(chunk);
      } else {
        // Ready ones stay in front of those whose copies may be pending.
        idle.addFirst(chunk);
      }
      returned.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Gives a chunk back that is ready; the next caller gets it. */
  void giveBackUnused(Chunk chunk) {
    putFirst(chunk);
  }

  /**
   * Waits until every chunk is back, and gives back all their memory. Nothing may be copied any
   * more.
   *
   * @param isDeviceDone whether nothing is in flight; otherwise this waits for the last copies
   */
  void destroy(boolean isDeviceDone) {
    List<Chunk> chunks;
    lock.lock();
    try {
      while (idle.size() < all.size()) {
        returned.awaitUninterruptibly();
      }
      chunks = List.copyOf(all);
      all.clear();
      idle.clear();
    } finally {
      lock.unlock();
    }
    Teardown teardown = new Teardown();
    for (Chunk chunk : chunks) {
      if (chunk.copied && !isDeviceDone) {
        teardown.step(() -> driver.synchronizeEvent(chunk.lastCopy));
      }
      teardown.step(() -> driver.destroyEvent(chunk.lastCopy));
      teardown.step(() -> memory.giveBack(chunk.memory));
    }
    teardown.finish();
  }

  /**
   * Takes a chunk, whose last copy may still be running; null if all are taken and it may not wait.
   */
  private @Nullable Chunk takeIdle(boolean waiting) {
    while (true) {
      Chunk chunk = tryTakeIdle();
      if (chunk == null && waiting) {
        chunk = poll(true);
      }
      if (chunk != null || !waiting) {
        return chunk;
      }
    }
  }

  /**
   * Takes the chunk that has been idle longest if its copy is done, else a new one, else the idle
   * one; null if all are taken. Makes no driver call under the lock.
   */
  private @Nullable Chunk tryTakeIdle() {
    Chunk oldest = poll(false);
    if (oldest != null && isDone(oldest)) {
      return oldest;
    }
    if (claimNew()) {
      try {
        Chunk fresh = create();
        if (oldest != null) {
          putFirst(oldest);
        }
        return fresh;
      } catch (RuntimeException | Error e) {
        giveUpClaim();
        if (oldest == null) {
          throw e;
        }
        if (e instanceof Error) {
          putFirst(oldest);
          throw e;
        }
        // An old chunk will do, unless the device is lost.
        if (e instanceof CudaDriverException error && error.isSticky()) {
          putFirst(oldest);
          throw e;
        }
      }
    }
    return oldest;
  }

  private boolean isDone(Chunk chunk) {
    try {
      return !chunk.copied || driver.isEventComplete(chunk.lastCopy);
    } catch (RuntimeException | Error e) {
      giveBack(chunk);
      throw e;
    }
  }

  /** Whether every chunk is taken, and no more may be created. Held: the lock. */
  private boolean isExhausted() {
    return idle.isEmpty() && all.size() + claimed >= MAX_CHUNKS;
  }

  private @Nullable Chunk pollIdle(Deadline deadline) throws InterruptedException {
    lock.lock();
    try {
      if (!isExhausted()) {
        return idle.pollFirst();
      }
      Object event = FlightEvents.beginStagingShortage();
      try {
        for (long left = deadline.remainingNanos(); isExhausted(); ) {
          if (left <= 0) {
            return null;
          }
          left = returned.awaitNanos(left);
        }
      } finally {
        FlightEvents.endWait(event);
      }
      return idle.pollFirst();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Chunk poll(boolean waiting) {
    lock.lock();
    try {
      if (waiting && isExhausted()) {
        Object event = FlightEvents.beginStagingShortage();
        while (isExhausted()) {
          returned.awaitUninterruptibly();
        }
        FlightEvents.endWait(event);
      }
      return idle.pollFirst();
    } finally {
      lock.unlock();
    }
  }

  private void putFirst(Chunk chunk) {
    lock.lock();
    try {
      idle.addFirst(chunk);
      returned.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean claimNew() {
    lock.lock();
    try {
      if (all.size() + claimed == MAX_CHUNKS) {
        return false;
      }
      claimed++;
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void giveUpClaim() {
    lock.lock();
    try {
      claimed--;
      returned.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private Chunk create() {
    HostMemory taken = memory.take(chunkBytes);
    try {
      Chunk chunk = new Chunk(taken, driver.createEvent());
      lock.lock();
      try {
        all.add(chunk);
        claimed--;
      } finally {
        lock.unlock();
      }
      return chunk;
    } catch (RuntimeException | Error e) {
      try {
        memory.giveBack(taken);
      } catch (RuntimeException | Error kept) {
        e.addSuppressed(kept);
      }
      throw e;
    }
  }
}
