package dev.streamfence.internal.column.foreign;

import dev.streamfence.internal.exchange.ArrowImport;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The release of an array that became several arrays: it runs with the last of theirs, and not at
 * all if the adoption failed. Thread-safe.
 */
final class SharedRelease {
  private final ArrowImport moved;

  /** The adopted arrays that are not released, and one more while they are being adopted. */
  private final AtomicInteger holders = new AtomicInteger(1);

  SharedRelease(ArrowImport moved) {
    this.moved = moved;
  }

  /** One more array is adopted, whose release this returns. */
  Runnable add() {
    holders.incrementAndGet();
    return this::end;
  }

  /** All arrays are adopted. */
  void complete() {
    end();
  }

  /** Leaves the array to its owner, as if it had not been adopted. Its parts are closed next. */
  void giveBack() {
    moved.giveBack();
  }

  private void end() {
    if (holders.decrementAndGet() == 0) {
      moved.release();
    }
  }
}
