package dev.streamfence.internal.memory;

/**
 * The bytes that the runtimes of this process take together on one device, claimed and promised
 * ones included. Thread-safe; held for one change of the number, and calls nothing.
 */
public final class DeviceShare {
  private long taken;

  /** Takes bytes, if all that are taken then are within a limit. */
  synchronized boolean tryTake(long bytes, long limit) {
    // Not the sum, which an unlimited runtime could overflow.
    if (bytes > limit - taken) {
      return false;
    }
    taken += bytes;
    return true;
  }

  /** Gives bytes back. */
  synchronized void giveBack(long bytes) {
    taken -= bytes;
  }

  /** The bytes of all runtimes. */
  synchronized long taken() {
    return taken;
  }
}
