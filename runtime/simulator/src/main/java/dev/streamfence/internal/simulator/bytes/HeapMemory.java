package dev.streamfence.internal.simulator.bytes;

import java.lang.ref.Reference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The Java heap memory of a simulated device. Grants a request whole or not at all, and leaves a
 * reserve for the code that runs kernels and that uses the device. Confined to the driver's lock.
 */
public final class HeapMemory {
  /** Divisor of the heap: a device that holds a smaller part is not what fills it. */
  private static final int MUCH = 4;

  /** Divisor of the heap: after taking this part, the device checks that the reserve is free. */
  private static final int UNCHECKED = 64;

  /** Divisor of the heap: the reserve, enough until the next check and some more. */
  private static final int ROOM = 16;

  /** Small enough for any collector's regions. */
  private static final int PIECE = 128 << 10;

  private final long most = Runtime.getRuntime().maxMemory();
  private long held;
  private long unchecked;

  /** Allocates, or returns null if the heap has no space for it. */
  public <T> @Nullable T take(long bytes, Supplier<T> allocation) {
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

  /** Records that these bytes are no longer in use. */
  public void giveBack(long bytes) {
    held -= bytes;
  }

  /** Allocates the reserve briefly: only that shows what a collection would free. */
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
