package dev.streamfence.stream;

import dev.streamfence.UninitializedReadException;
import dev.streamfence.UseAfterFreeException;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Who must be waited for before a block is used again: its last write, and per stream the last read
 * since. Bounded by the number of streams, and free of driver objects.
 *
 * <p>Also the block's life as submissions see it: open; closing, when it was closed while a
 * submission held it pinned; closed. Thread-safe: everything below is guarded by {@link #lock},
 * which a submission takes for all of its blocks, in rising {@link #generation}, and which is never
 * held across a driver call.
 */
public final class Dependencies {
  private enum Life {
    OPEN,
    CLOSING,
    CLOSED
  }

  private final long generation;
  private final Object subject;
  private final Runnable release;
  private final ReentrantLock lock = new ReentrantLock();
  private Timeline writer;
  private long write;
  private Timeline latest;
  private Timeline[] readers = {};
  private long[] reads = {};
  private int readerCount;
  private int pins;
  private Life life = Life.OPEN;
  private boolean refusesReads;
  private @Nullable Throwable closedAt;

  /**
   * Creates the state of a block that is just being allocated.
   *
   * @param generation the block's number, which orders the locks
   * @param subject the block, for errors: its {@code toString} describes it
   * @param writer the stream that it is allocated on
   * @param ticket the allocation's ticket, which every use waits for
   * @param release frees the block; called when the last pin of a block closed meanwhile goes,
   *     without any lock held
   */
  public Dependencies(
      long generation, Object subject, Timeline writer, long ticket, Runnable release) {
    this.generation = generation;
    this.subject = subject;
    this.writer = writer;
    this.write = ticket;
    this.latest = writer;
    this.release = release;
  }

  /** Refuses reads until something is registered that writes the block. */
  public void refuseReadsUntilWritten() {
    lock.lock();
    try {
      refusesReads = true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the block to new uses.
   *
   * @param closedAt where that happens, when it is traced
   * @return whether the caller has to free it now; false when it is closed already, or pinned and
   *     will be released at the last commit
   */
  public boolean close(@Nullable Throwable closedAt) {
    lock.lock();
    try {
      if (life != Life.OPEN) {
        return false;
      }
      this.closedAt = closedAt;
      life = pins > 0 ? Life.CLOSING : Life.CLOSED;
      return life == Life.CLOSED;
    } finally {
      lock.unlock();
    }
  }

  /** Takes a close back that could not be carried out: the block is as it was. */
  public void reopen() {
    lock.lock();
    try {
      life = Life.OPEN;
      closedAt = null;
    } finally {
      lock.unlock();
    }
  }

  /** Whether new uses are accepted. */
  public boolean isOpen() {
    lock.lock();
    try {
      return life == Life.OPEN;
    } finally {
      lock.unlock();
    }
  }

  /** The stream of the latest use, where a free has to wait for the fewest others. */
  public Timeline lastUser() {
    lock.lock();
    try {
      return latest;
    } finally {
      lock.unlock();
    }
  }

  /** How many uses the next writer depends on: the last write, and one read per stream. */
  public int size() {
    lock.lock();
    try {
      return 1 + readerCount;
    } finally {
      lock.unlock();
    }
  }

  long generation() {
    return generation;
  }

  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /**
   * Refuses a use of a closed block, unless the use is its own free, and a read of one that nothing
   * has written where that is wanted. Held: the lock.
   */
  void requireUsable(boolean freeing, boolean reads, UseLabels labels, int label) {
    if (life != Life.OPEN && !(freeing && life == Life.CLOSED)) {
      throw new UseAfterFreeException(labels.use(label), subject.toString(), generation, closedAt);
    }
    if (reads && refusesReads) {
      throw new UninitializedReadException(labels.use(label), subject.toString(), generation);
    }
  }

  /** Makes room for one more reader, so that registering cannot fail. Held: the lock. */
  void makeRoom() {
    if (readerCount == readers.length) {
      readers = Arrays.copyOf(readers, readerCount + 2);
      reads = Arrays.copyOf(reads, readerCount + 2);
    }
  }

  /** Adds the reads that a writer has to wait for. Held: the lock. */
  void collectReads(Waits waits) {
    for (int i = 0; i < readerCount; i++) {
      waits.add(readers[i], reads[i]);
    }
  }

  /** Adds the write that everybody has to wait for. Held: the lock. */
  void collectWrite(Waits waits) {
    waits.add(writer, write);
  }

  /** Registers a use and pins the block. Held: the lock. */
  void register(Timeline timeline, long ticket, boolean writes) {
    pins++;
    latest = timeline;
    if (writes) {
      refusesReads = false;
      // Registration is atomic over preflights, so the reads that are dropped here are exactly
      // those collected.
      Arrays.fill(readers, 0, readerCount, null);
      readerCount = 0;
      writer = timeline;
      write = ticket;
      return;
    }
    for (int i = 0; i < readerCount; i++) {
      if (readers[i] == timeline) {
        reads[i] = ticket;
        return;
      }
    }
    readers[readerCount] = timeline;
    reads[readerCount++] = ticket;
  }

  /**
   * Takes a submission's pin away.
   *
   * @return what frees the block, if it was closed meanwhile and this was the last pin; otherwise
   *     null
   */
  @Nullable Runnable unpin() {
    lock.lock();
    try {
      pins--;
      if (pins == 0 && life == Life.CLOSING) {
        life = Life.CLOSED;
        return release;
      }
      return null;
    } finally {
      lock.unlock();
    }
  }
}
