// Long for its documentation: each operation says what it orders, whether it waits and what it
// refuses.
package dev.streamfence;

import dev.streamfence.internal.device.TrackedArray;
import java.time.Duration;

/**
 * An array of primitives in device memory. The runtime tracks its uses: it orders each read and
 * write after the earlier ones that it depends on, on any stream and from any thread.
 *
 * <p>Every operation names the stream that it runs on. Thread-safe; writes of two threads to one
 * array happen in either order, but never mix. An array of length 0 takes no device memory and can
 * be used like any other.
 *
 * @param <A> the Java array type: {@code float[]}, {@code int[]} and so on for the eight primitives
 */
public sealed interface DeviceArray<A> extends AutoCloseable permits TrackedArray {
  /** The runtime that it belongs to. */
  DeviceRuntime runtime();

  /** The type of its elements. */
  ElementType elementType();

  /** How many elements it has. */
  long length();

  /** Its size on the device. */
  long sizeInBytes();

  /** Whether it is open. A kernel launched before {@link #close} can still use it afterwards. */
  boolean isOpen();

  /**
   * Overwrites the whole array with a host array of the same length. The host array may be changed
   * as soon as this returns. Synchronises only while staging memory is short.
   *
   * @throws IllegalArgumentException if the lengths differ
   * @throws UseAfterFreeException if this array is closed
   */
  void upload(DeviceStream stream, A source);

  /**
   * Copies the whole array to a new host array. Waits until the copy is done.
   *
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if this array is longer than a Java array can be
   * @throws UseAfterFreeException if this array is closed
   */
  A download(DeviceStream stream);

  /**
   * Copies the whole array to the start of a host array. Waits until the copy is done; later
   * elements of the host array stay unchanged.
   *
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if the host array is shorter
   * @throws UseAfterFreeException if this array is closed
   */
  void download(DeviceStream stream, A target);

  /**
   * Copies like {@link #download(DeviceStream, Object)}, but waits no longer than a timeout for
   * other threads that use the stream, for earlier work, and for the copy itself. The timeout does
   * not cover a launch that uses this array on another stream and that another thread holds between
   * preflight and commit.
   *
   * @param timeout at least 0
   * @return whether the copy is done; if not, the content of {@code target} is undefined
   * @throws InterruptedException if the thread is interrupted before or while it waits; {@code
   *     target} is then undefined as after a timeout
   */
  boolean download(DeviceStream stream, A target, Duration timeout) throws InterruptedException;

  /**
   * Fills an array of {@code boolean}. Does not synchronise.
   *
   * @throws IllegalArgumentException if the elements are no booleans
   * @throws UseAfterFreeException if this array is closed
   */
  void fill(DeviceStream stream, boolean value);

  /**
   * Fills with a number, as an assignment in Java would: exact for integer types, rounded for
   * {@code float} and {@code double}. Does not synchronise.
   *
   * @throws IllegalArgumentException if the elements cannot hold it
   * @throws UseAfterFreeException if this array is closed
   */
  void fill(DeviceStream stream, long value);

  /**
   * Fills an array of {@code double}, or of {@code float} with the nearest value. Does not
   * synchronise.
   *
   * @throws IllegalArgumentException if the elements are integers
   * @throws UseAfterFreeException if this array is closed
   */
  void fill(DeviceStream stream, double value);

  /**
   * Overwrites the whole array with another array of the same length. Does not synchronise.
   *
   * @throws IllegalArgumentException if the lengths differ or it is this array
   * @throws UseAfterFreeException if either array is closed
   */
  void copyFrom(DeviceStream stream, DeviceArray<A> source);

  /**
   * A new array with the same content, from the same memory and budget. Does not synchronise unless
   * memory is short.
   *
   * @throws UseAfterFreeException if this array is closed
   * @throws OutOfMemoryBudgetException if there is not enough memory
   */
  DeviceArray<A> copy(DeviceStream stream);

  /**
   * Hands this array's memory over to a new array of another type, bytes unchanged, and closes this
   * array. The new array frees the memory. Copies nothing and makes no driver call.
   *
   * @param arrayType the Java array type, such as {@code byte[].class}
   * @throws IllegalArgumentException if this array's bytes are not a whole number of such elements
   * @throws UseAfterFreeException if this array is closed
   */
  <B> DeviceArray<B> reinterpret(Class<B> arrayType);

  /**
   * Frees the device memory after every launch and copy that uses it. Does not synchronise, unless
   * the runtime's memory is guarded or direct. Closing again does nothing, and so does closing
   * after the runtime, which has freed the array.
   *
   * <p>If an array becomes unreachable without being closed, the runtime reports it through the
   * logger named after {@link DeviceRuntime}, counts it, and frees it in the same order.
   *
   * @throws CudaDriverException if the free could not be queued; the array stays open and can be
   *     closed again
   */
  @Override
  void close();
}
