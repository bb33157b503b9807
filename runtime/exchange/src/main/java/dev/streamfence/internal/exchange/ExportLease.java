package dev.streamfence.internal.exchange;

import java.util.concurrent.atomic.AtomicInteger;

/** What the structures of an exported tree share, until the last one is released. Thread-safe. */
final class ExportLease {
  private final Object owner;
  private final Runnable released;

  /**
   * The structures that are not released, and one more until all are built: a tree that failed
   * half-way was never its user's, and is not released.
   */
  private final AtomicInteger holders = new AtomicInteger(1);

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
    if (holders.decrementAndGet() == 0) {
      released.run();
    }
  }

  /** The whole tree is built. */
  void built() {
    end();
  }
}
