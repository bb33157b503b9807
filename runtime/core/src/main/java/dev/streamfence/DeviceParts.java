package dev.streamfence;

import dev.streamfence.internal.device.TrackedParts;

/**
 * The parts of a {@link DeviceArray}, each tracked independently of the others. Closing joins them,
 * so that the array can be used again:
 *
 * <pre>{@code
 * try (DeviceParts<float[]> halves = array.split(array.length() / 2)) {
 *   kernels.scale(2f, halves.get(0), n / 2);
 *   others.scale(3f, halves.get(1), n / 2); // does not wait for the launch before
 * }
 * }</pre>
 *
 * <p>Thread-safe. Neither splitting nor joining makes a driver call.
 *
 * @param <A> the Java array type
 */
public sealed interface DeviceParts<A> extends AutoCloseable permits TrackedParts {
  /** How many parts there are. */
  int count();

  /**
   * One of the parts: an array that owns no memory. Unless it is empty, it refuses every use after
   * the join.
   *
   * @param index from 0 on
   * @throws IllegalArgumentException if there is no such part
   */
  DeviceArray<A> get(int index);

  /**
   * Joins the parts and returns the array. Its next use waits for all uses of the parts that it
   * depends on.
   *
   * @throws StreamMisuseException if they are joined already, or a part is split itself
   * @throws UseAfterFreeException if the array was closed
   */
  DeviceArray<A> join();

  /**
   * Joins the parts, unless they are already joined or the array is closed.
   *
   * @throws StreamMisuseException if a part is split itself; nothing has changed
   */
  @Override
  void close();
}
