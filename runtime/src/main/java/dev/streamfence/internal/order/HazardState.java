package dev.streamfence.internal.order;

import dev.streamfence.UninitializedReadException;
import dev.streamfence.UseAfterFreeException;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The hazard state of an allocation: the work that its next use may have to wait for, which is the
 * last write and, per stream, the last read since. Bounded by the number of streams, and free of
 * driver objects.
 *
 * <p>Also the allocation's life as submissions see it: open; closing, if it was closed while a
 * submission had it pinned; closed. Thread-safe: {@link #lock} guards everything below. A
 * submission takes the locks of all its allocations in rising {@link #generation}; none is held
 * across a driver call.
 */
public final class HazardState {
  private enum State {
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
  private State state = State.OPEN;
  private boolean refusesReads;
  private @Nullable Throwable closedAt;

  /**
   * Creates the state of a new allocation.
   *
   * @param generation the allocation's number, which orders the locks
   * @param subject the allocation, for errors: its {@code toString} describes it
   * @param writer the stream that it is allocated on
   * @param ticket the ticket of allocating it, which every use waits for
   * @param release frees the allocation; called without any lock held, when the last pin is removed
   *     from a closing one
   */
  public HazardState(
      long generation, Object subject, Timeline writer, long ticket, Runnable release) {
    this.generation = generation;
    this.subject = subject;
    this.writer = writer;
    this.write = ticket;
    this.latest = writer;
    this.release = release;
  }

  /** Refuses reads until a write is registered. */
  public void refuseReadsUntilWritten() {
    lock.lock();
    try {
      refusesReads = true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the allocation to new uses.
   *
   * @param closedAt where that happens, if it is traced
   * @return who frees it, and when
   */
  public Closing close(@Nullable Throwable closedAt) {
    lock.lock();
    try {
      if (state != State.OPEN) {
        return Closing.ALREADY_CLOSED;
      }
      this.closedAt = closedAt;
      if (pins > 0) {
        state = State.CLOSING;
        return Closing.WITH_LAST_PIN;
      }
      state = State.CLOSED;
      return Closing.NOW;
    } finally {
      lock.unlock();
    }
  }

  /** Undoes a close that could not be carried out. */
  public void reopen() {
    lock.lock();
    try {
      state = State.OPEN;
      closedAt = null;
    } finally {
      lock.unlock();
    }
  }

  /** Whether new uses are accepted. */
  public boolean isOpen() {
    lock.lock();
    try {
      return state == State.OPEN;
    } finally {
      lock.unlock();
    }
  }

  /** The stream of the latest use, where a free waits for the fewest other streams. */
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
   * Refuses a use of a closed allocation, except its own free, and, after {@link
   * #refuseReadsUntilWritten}, a read before the first write. Held: the lock.
   */
  void requireUsable(boolean freeing, boolean reads, UseLabels labels, int label) {
    if (state != State.OPEN && !(freeing && state == State.CLOSED)) {
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

  /** Adds the write that every use has to wait for. Held: the lock. */
  void collectWrite(Waits waits) {
    waits.add(writer, write);
  }

  /** Registers a use and pins the allocation. Held: the lock. */
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
   * Removes a submission's pin.
   *
   * @return the action that frees the allocation, if it was closed meanwhile and this was its last
   *     pin; otherwise null
   */
  @Nullable Runnable unpin() {
    lock.lock();
    try {
      pins--;
      if (pins == 0 && state == State.CLOSING) {
        state = State.CLOSED;
        return release;
      }
      return null;
    } finally {
      lock.unlock();
    }
  }
}
