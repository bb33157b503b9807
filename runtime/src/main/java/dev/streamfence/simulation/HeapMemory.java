package dev.streamfence.simulation;

import java.lang.ref.Reference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a simulated device takes from the Java heap: all of a request or nothing, and never the last
 * of it, which the code needs that runs kernels and that uses the device. Confined to the driver's
 * lock.
 */
final class HeapMemory {
  /** A device that holds a smaller part of the heap is not what fills it. */
  private static final int MUCH = 4;

  /** The part of the heap after which the device makes sure that there is room. */
  private static final int UNCHECKED = 64;

  /** The part of the heap that has to be free then: enough until the next time, and some more. */
  private static final int ROOM = 16;

  /** Small enough for any collector's regions. */
  private static final int PIECE = 128 << 10;

  private final long most = Runtime.getRuntime().maxMemory();
  private long held;
  private long unchecked;

  /** Allocates, or returns null if the heap has no room for it. */
  <T> @Nullable T take(long bytes, Supplier<T> allocation) {
    if (bytes > most) {
      return null;
    }
    try {
      T taken = allocation.get();
      unchecked += bytes;
      if (held + bytes > most / MUCH && unchecked > most / UNCHECKED) {
        requireRoom();
        unchecked = 0;
      }
      held += bytes;
      return taken;
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  /** Notes that nothing uses these bytes any more. */
  void giveBack(long bytes) {
    held -= bytes;
  }

  /** Only taking it shows what a collection would free. */
  private void requireRoom() {
    byte[][] room = new byte[(int) (most / ROOM / PIECE) + 1][];
    try {
      for (int i = 0; i < room.length; i++) {
        room[i] = new byte[PIECE];
      }
    } finally {
      Reference.reachabilityFence(room);
    }
  }
}
