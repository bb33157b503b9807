package dev.streamfence.internal.order;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * One use of an allocation by the submission that is open on a stream. {@link Uses} keeps it for
 * later submissions. Confined to the thread that holds the submission lock.
 */
public final class Use {
  private @Nullable HazardState state;
  private boolean reads;
  private boolean writes;
  private int label;
  private int writeLabel;

  /** Where a use that shares the lock of its allocation is registered. */
  private @Nullable SharedRead share;

  void set(HazardState used, boolean isRead, boolean isWritten, int usedLabel) {
    // A comparison is cheaper than storing a reference, and the next launch often uses the same.
    if (state != used) {
      state = used;
    }
    reads = isRead;
    writes = isWritten;
    label = usedLabel;
    writeLabel = usedLabel;
  }

  /** Drops the reference to the allocation. */
  void forget() {
    state = null;
  }

  /** The state of the allocation. */
  public HazardState state() {
    return requireNonNull(state);
  }

  /** Whether it reads. */
  public boolean reads() {
    return reads;
  }

  /** Whether it writes. */
  public boolean writes() {
    return writes;
  }

  /**
   * The caller's label for the first read, or for the first use if nothing reads the allocation.
   */
  public int label() {
    return label;
  }

  /** The caller's label for the first write; without meaning if nothing writes the allocation. */
  public int writeLabel() {
    return writeLabel;
  }

  /** Whether it is to come before another one. Uses of one allocation keep their labels' order. */
  boolean isBefore(Use other) {
    long one = state().generation();
    long two = other.state().generation();
    return one != two ? one < two : label < other.label;
  }

  /** Makes another use of the allocation, by a later label, a part of this one. */
  void merge(Use more) {
    // A read can be refused where a write is not; the error then names the read.
    if (more.reads && !reads) {
      label = more.label;
    }
    if (more.writes && !writes) {
      writeLabel = more.writeLabel;
    }
    reads |= more.reads;
    writes |= more.writes;
  }

  /**
   * Refuses a use of memory that is closed or split, or read-only and written.
   *
   * @param isNext whether the use comes next, so that a read of memory that nothing has written is
   *     refused as well
   */
  public void requireUsable(UseLabels labels, boolean isNext) {
    HazardState used = state();
    used.lock();
    try {
      check(false, isNext, labels);
    } finally {
      used.unlock();
    }
  }

  /**
   * Does the same for a use that may free the memory. Held: the lock.
   *
   * @param frees whether it does, so that it may be closed
   * @param isNext see {@link #requireUsable}
   */
  void check(boolean frees, boolean isNext, UseLabels labels) {
    HazardState used = state();
    if (used.acceptsAll()) {
      return;
    }
    used.requireUsable(frees, isNext && reads, labels, label);
    if (writes) {
      used.requireWritable(frees, labels, writeLabel);
    }
  }

  /** Takes the lock of the allocation, or the stream's share of it for a use that only reads. */
  void lock(Timeline timeline) {
    if (writes) {
      state().lock();
    } else {
      share = state().lockToRead(timeline);
    }
  }

  /** Whether other streams may hold their shares of the lock. Held: the lock. */
  boolean isShared() {
    return share != null;
  }

  /** Registers the use. Held: the lock. */
  void register(Timeline timeline, long ticket) {
    if (share == null) {
      state().register(timeline, ticket, writes);
    } else {
      share.register(ticket);
    }
  }

  /** Gives the lock back. */
  void unlock() {
    SharedRead held = share;
    if (held == null) {
      state().unlock();
    } else {
      share = null;
      held.end();
    }
  }
}
