package dev.streamfence.internal.exchange;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A release that several holders share: the structures of an exported tree, or the arrays that one
 * adopted array became. It runs when the last holder ends. Thread-safe.
 */
public final class SharedRelease {
  private final Object owner;
  private final Runnable released;

  /** The holders that have not ended, and one more until all have begun. */
  private final AtomicInteger holders = new AtomicInteger(1);

  /**
   * Creates a release without holders.
   *
   * @param owner kept until the end
   * @param released is called at the end, by the thread that ends the last holder
   */
  public SharedRelease(Object owner, Runnable released) {
    this.owner = owner;
    this.released = released;
  }

  Object owner() {
    return owner;
  }

  /** One more holder, which ends once. */
  public void begin() {
    holders.incrementAndGet();
  }

  /** One holder ends. */
  public void end() {
    if (holders.decrementAndGet() == 0) {
      released.run();
    }
  }

  /** All holders have begun. Not called after a failure half-way: then nothing is released. */
  public void complete() {
    end();
  }
}
