package dev.streamfence.internal.order;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link HazardState} knows of its memory's content: how often it was written, whether other
 * code may be writing it, and whether reads are refused until it is written. Guarded by the lock.
 */
abstract class ContentState extends HazardLock {
  private static final AtomicIntegerFieldUpdater<ContentState> FOREIGN_WRITERS =
      AtomicIntegerFieldUpdater.newUpdater(ContentState.class, "foreignWriters");

  /** How many uses that write were registered; those of parts count after the join. */
  private long writes;

  /** How many exports let other code write it. Also read without the lock, by its parts. */
  private volatile int foreignWriters;

  private boolean refusesReads;

  /** Only a part: whether the whole has taken over its content. */
  private boolean isAbsorbed;

  /** What it is a part of; null if it is no part. */
  abstract @Nullable ContentState whole();

  /** What it is split into. Held: the lock. */
  abstract List<? extends ContentState> parts();

  /** Refuses reads until a write is registered. */
  public final void refuseReadsUntilWritten() {
    lock();
    try {
      refusesReads = true;
    } finally {
      unlock();
    }
  }

  /** Whether reads are refused, since nothing was written. Held: the lock. */
  final boolean refusesReads() {
    return refusesReads;
  }

  /** Notes that a use that writes is registered. Held: the lock. */
  final void noteWrite() {
    writes++;
    refusesReads = false;
  }

  /** Notes that the host writes. Held: the lock. */
  final void noteHostWrite() {
    writes++;
  }

  /** Begins as a part of other memory. Held: the lock of the whole. */
  final void takeContentOf(ContentState around) {
    refusesReads = around.refusesReads;
  }

  /** Takes over the content of a part. Held: both locks. */
  final void absorbContent(ContentState part) {
    refusesReads &= part.refusesReads;
    writes += part.writes;
    FOREIGN_WRITERS.addAndGet(this, FOREIGN_WRITERS.getAndSet(part, 0));
    part.isAbsorbed = true;
  }

  /**
   * How many writes were registered so far, those of its parts and of the host included, see {@link
   * #isUnchangedSince}.
   */
  public final long writes() {
    lock();
    try {
      return writesLocked();
    } finally {
      unlock();
    }
  }

  /** Held: the lock. */
  private long writesLocked() {
    long total = writes;
    for (ContentState part : parts()) {
      total += part.writes();
    }
    return total;
  }

  /** Whether no work has written it; nodes of graphs do not count. */
  public final boolean hasNoContent() {
    lock();
    try {
      return writes == 0;
    } finally {
      unlock();
    }
  }

  /**
   * Whether what was read of the memory is still there: nothing has written since there were that
   * many {@link #writes}, and no other code, which does not tell when it writes, may be writing.
   */
  public final boolean isUnchangedSince(long earlierWrites) {
    lock();
    try {
      for (ContentState around = whole(); around != null; around = around.whole()) {
        if (around.foreignWriters > 0) {
          return false;
        }
      }
      return !isWithWriterLocked() && writesLocked() == earlierWrites;
    } finally {
      unlock();
    }
  }

  /** Whether other code may be writing it, or a part of it. */
  private boolean isWithWriter() {
    lock();
    try {
      return isWithWriterLocked();
    } finally {
      unlock();
    }
  }

  /** Held: the lock. */
  private boolean isWithWriterLocked() {
    return foreignWriters > 0 || parts().stream().anyMatch(ContentState::isWithWriter);
  }

  /** Notes that other code may write the memory, until {@link #endForeignWrites}. */
  public final void beginForeignWrites() {
    lock();
    try {
      if (!isAbsorbed) {
        FOREIGN_WRITERS.incrementAndGet(this);
        return;
      }
    } finally {
      unlock();
    }
    requireNonNull(whole()).beginForeignWrites();
  }

  /** Takes {@link #beginForeignWrites} back: no other code got the memory. */
  public final void cancelForeignWrites() {
    endForeignWrites(false);
  }

  /** Notes that other code may have written the memory, and does so no more. */
  public final void endForeignWrites() {
    endForeignWrites(true);
  }

  private void endForeignWrites(boolean hasWritten) {
    lock();
    try {
      if (!isAbsorbed) {
        FOREIGN_WRITERS.decrementAndGet(this);
        if (hasWritten) {
          noteForeignWriteLocked();
        }
        return;
      }
    } finally {
      unlock();
    }
    requireNonNull(whole()).endForeignWrites(hasWritten);
  }

  private void noteForeignWrite() {
    lock();
    try {
      noteForeignWriteLocked();
    } finally {
      unlock();
    }
  }

  /** Held: the lock. */
  private void noteForeignWriteLocked() {
    noteWrite();
    parts().forEach(ContentState::noteForeignWrite);
  }
}
