package dev.streamfence.internal.ptx.run.machine;

import dev.streamfence.internal.ptx.run.order.LaunchOrder;
import org.jspecify.annotations.Nullable;

/**
 * The device's global memory as the threads of one launch see it. Confined to the thread that runs
 * the launch.
 *
 * <p>Either method may throw to refuse an access; the interpreter then stops the launch and names
 * the thread.
 */
public interface GlobalMemory {
  /** Learns which thread makes the accesses from now on. */
  default void enters(Lane lane) {}

  /** The order of the launch's threads, which keeps their conflicts; null if none is wanted. */
  default @Nullable LaunchOrder order() {
    return null;
  }

  /** Whether to call {@link #loadsUnwritten}. */
  default boolean watchesUnwritten() {
    return false;
  }

  /** Learns that a thread loads bytes of shared memory that no thread of its block has written. */
  default void loadsUnwritten(Lane lane, int offset, int bytes) {}

  /**
   * Loads a little-endian value.
   *
   * @param address a multiple of {@code bytes}
   * @param bytes 1, 2, 4 or 8
   * @return the value, zero-extended
   */
  long load(long address, int bytes);

  /**
   * Stores the low bytes of a value, little-endian.
   *
   * @param address a multiple of {@code bytes}
   * @param bytes 1, 2, 4 or 8
   */
  void store(long address, int bytes, long value);
}
