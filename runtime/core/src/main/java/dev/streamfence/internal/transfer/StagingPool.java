// Long because taking, waiting and giving back share one queue, under one lock.
package dev.streamfence.internal.transfer;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.Suppressed;
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

  /** Enough for a long transfer at full speed, two others, and a short one. */
  private static final int MAX_CHUNKS = 8;

  /**
   * How many a transfer leaves to others when it takes more than one. Three long downloads, as many
   * as keep going at the same time, then leave two: a short one does not wait for the memory of the
   * user that they copy to.
   */
  private static final int LEFT_TO_OTHERS = 4;

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
    return ready(takeIdle());
  }

  /**
   * Takes a chunk like {@link #take()}, unless a deadline passes before one is ready.
   *
   * @return null if it has passed
   * @throws InterruptedException if the thread is interrupted before or while it waits
   */
  @Nullable Chunk take(Deadline deadline) throws InterruptedException {
    Chunk chunk = tryTakeIdle(0);
    while (chunk == null && !deadline.hasPassed()) {
      chunk = pollIdle(deadline);
      if (chunk == null) {
        chunk = tryTakeIdle(0);
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
   * Takes a chunk like {@link #take()}, or returns null if few are left: for a caller that holds
   * one and must not wait for another.
   */
  @Nullable Chunk tryTakeAnother() {
    Chunk chunk = tryTakeIdle(LEFT_TO_OTHERS);
    return chunk == null ? null : ready(chunk);
  }

  /** Takes a chunk like {@link #tryTakeAnother}, or returns null if that would wait for a copy. */
  @Nullable Chunk tryTakeAnotherReady() {
    return ifReady(tryTakeIdle(LEFT_TO_OTHERS));
  }

  /** Takes a chunk like {@link #take()}, or returns null if that would wait. */
  @Nullable Chunk tryTakeReady() {
    return ifReady(tryTakeIdle(0));
  }

  private @Nullable Chunk ifReady(@Nullable Chunk chunk) {
    if (chunk == null || isDone(chunk)) {
      if (chunk != null) {
        chunk.copied = false;
      }
      return chunk;
    }
    putFirst(chunk);
    return null;
  }

  private Chunk ready(Chunk chunk) {
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
          Suppressed.add(unrecorded, unsynchronized);
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

  /** Takes a chunk, whose last copy may still be running. Waits while all are taken. */
  private Chunk takeIdle() {
    while (true) {
      Chunk chunk = tryTakeIdle(0);
      if (chunk == null) {
        chunk = awaitIdle();
      }
      if (chunk != null) {
        return chunk;
      }
    }
  }

  /**
   * Takes the chunk that has been idle longest if its copy is done, else a new one, else the idle
   * one. Makes no driver call under the lock.
   *
   * @param left how many others are to remain
   * @return null if no more are left, or all are taken
   */
  private @Nullable Chunk tryTakeIdle(int left) {
    Chunk oldest = poll(left);
    if (oldest != null && isDone(oldest)) {
      return oldest;
    }
    // The oldest one will be given back then.
    if (claimNew(oldest == null ? left : left - 1)) {
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
    return available() == 0;
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

  /** How many can be taken. Held: the lock. */
  private int available() {
    return idle.size() + MAX_CHUNKS - all.size() - claimed;
  }

  private @Nullable Chunk poll(int left) {
    lock.lock();
    try {
      return available() > left ? idle.pollFirst() : null;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until one can be taken or made; takes it if it is idle. */
  private @Nullable Chunk awaitIdle() {
    lock.lock();
    try {
      if (isExhausted()) {
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

  private boolean claimNew(int left) {
    lock.lock();
    try {
      if (all.size() + claimed == MAX_CHUNKS || available() <= left) {
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
        Suppressed.add(e, kept);
      }
      throw e;
    }
  }
}
