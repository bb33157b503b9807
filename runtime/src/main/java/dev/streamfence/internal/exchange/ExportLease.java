package dev.streamfence.internal.exchange;

import java.util.concurrent.atomic.AtomicInteger;

/** What the structures of an exported tree share, until the last one is released. Thread-safe. */
final class ExportLease {
  private final Object owner;
  private final Runnable released;

  /** The structures that are not released, and one more until all are built. */
  private final AtomicInteger holders = new AtomicInteger(1);

  private volatile boolean isBuilt;

  /**
   * Creates a lease.
   *
   * @param owner kept until the end
   * @param released is called at the end
   */
  ExportLease(Object owner, Runnable released) {
    this.owner = owner;
    this.released = released;
  }

  Object owner() {
    return owner;
  }

  /** One more structure belongs to the tree. */
  void begin() {
    holders.incrementAndGet();
  }

  /** One structure is released. */
  void end() {
    // A tree that failed half-way was never its user's.
    if (holders.decrementAndGet() == 0 && isBuilt) {
      released.run();
    }
  }

  /** The whole tree is built. */
  void built() {
    isBuilt = true;
    end();
  }
}
