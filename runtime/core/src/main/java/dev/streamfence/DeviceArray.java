package dev.streamfence;

import dev.streamfence.internal.device.WritableArray;
import dev.streamfence.launch.RecordElement;
import java.nio.Buffer;

/**
 * An array of primitives or records in device memory that can be read, like every {@link
 * ReadableArray}, and written. The runtime tracks its uses: it orders each read and write after the
 * earlier ones that it depends on, on any stream and from any thread.
 *
 * <p>Every operation names the stream that it runs on. Thread-safe; writes of two threads to one
 * array happen in either order, but never interleave. An array of length 0 takes no device memory
 * and can be used like any other. {@link #view} and {@link #split} make arrays of some of its
 * elements.
 *
 * <p>In addition to the exceptions that it lists itself, each operation on a stream throws:
 *
 * <ul>
 *   <li>a {@link StreamMisuseException} if the stream is closed or belongs to another runtime, if
 *       this thread has a launch open, if this array is split, or if the operation writes memory
 *       that is read-only;
 *   <li>a {@link UseAfterFreeException} if this array is a part that was joined, or a view of one;
 *   <li>an {@link UninitializedReadException} if memory is guarded, and the operation reads an
 *       array that nothing has written;
 *   <li>a {@link RuntimeClosedException} if the runtime is closed;
 *   <li>a {@link CudaDriverException} if the device is lost or a driver call fails.
 * </ul>
 *
 * @param <A> the Java array type: {@code float[]}, {@code int[]} and so on for the eight
 *     primitives, or {@code Point[]} for a record of primitives, see {@link RecordElement}
 */
public sealed interface DeviceArray<A> extends ReadableArray<A> permits WritableArray {
  /**
   * Overwrites the whole array with a host array of the same length. The host array may be changed
   * as soon as this returns. Synchronises only while staging memory is short.
   *
   * @throws IllegalArgumentException if the lengths differ, or a record is null
   * @throws UseAfterFreeException if this array is closed
   */
  void upload(DeviceStream stream, A source);

  /**
   * Overwrites some elements with elements of a host array, which may be changed as soon as this
   * returns. Synchronises only while staging memory is short.
   *
   * @param from the first element of this array
   * @param sourceFrom the first element of the host array
   * @param count how many elements; 0 does nothing
   * @throws IllegalArgumentException if either range is not within its array, or a record in it is
   *     null
   * @throws UseAfterFreeException if this array is closed
   */
  void upload(DeviceStream stream, long from, A source, int sourceFrom, long count);

  /**
   * Overwrites elements with the remaining elements of a buffer, direct or on the heap, which may
   * be changed as soon as this returns. The buffer keeps its position. Synchronises only while
   * staging memory is short.
   *
   * @param from the first element of this array
   * @param source a buffer of this array's element type, or a {@link java.nio.ByteBuffer} with the
   *     bytes of such elements in native order
   * @throws IllegalArgumentException if the buffer does not fit the elements, or the range is not
   *     within this array
   * @throws UseAfterFreeException if this array is closed
   */
  void upload(DeviceStream stream, long from, Buffer source);

  /**
   * Overwrites the whole array with a pinned array of the same length. Does not synchronise, but
   * waits while another thread writes the pinned array. Later writes of the pinned array wait for
   * this copy; reads do not.
   *
   * @throws IllegalArgumentException if the lengths differ
   * @throws UseAfterFreeException if either array is closed
   * @throws StreamMisuseException if they belong to two runtimes, or inside a write of the pinned
   *     array
   */
  void upload(DeviceStream stream, PinnedArray<A> source);

  /**
   * Overwrites some elements with elements of a pinned array, like {@link #upload(DeviceStream,
   * PinnedArray)}.
   *
   * @param from the first element of this array
   * @param sourceFrom the first element of the pinned array
   * @param count how many elements; 0 does nothing
   * @throws IllegalArgumentException if either range is not within its array
   * @throws UseAfterFreeException if either array is closed
   * @throws StreamMisuseException if they belong to two runtimes, or inside a write of the pinned
   *     array
   */
  void upload(DeviceStream stream, long from, PinnedArray<A> source, long sourceFrom, long count);

  /**
   * Fills an array of {@code boolean}. Does not synchronise.
   *
   * @throws IllegalArgumentException if the elements are not booleans
   * @throws UseAfterFreeException if this array is closed
   */
  void fill(DeviceStream stream, boolean value);

  /**
   * Fills with a number, converted as by an assignment in Java: exact for integer types, rounded
   * for {@code float} and {@code double}. Does not synchronise.
   *
   * @throws IllegalArgumentException if the elements cannot hold it, or are records
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
   * Fills some elements like {@link #fill(DeviceStream, boolean)}.
   *
   * @param from the first element
   * @param count how many elements; 0 does nothing
   * @throws IllegalArgumentException if the elements are not booleans, or the range is not within
   *     this array
   * @throws UseAfterFreeException if this array is closed
   */
  void fill(DeviceStream stream, long from, long count, boolean value);

  /**
   * Fills some elements like {@link #fill(DeviceStream, long)}.
   *
   * @param from the first element
   * @param count how many elements; 0 does nothing
   * @throws IllegalArgumentException if the elements cannot hold the value, or the range is not
   *     within this array
   * @throws UseAfterFreeException if this array is closed
   */
  void fill(DeviceStream stream, long from, long count, long value);

  /**
   * Fills some elements like {@link #fill(DeviceStream, double)}.
   *
   * @param from the first element
   * @param count how many elements; 0 does nothing
   * @throws IllegalArgumentException if the elements are integers, or the range is not within this
   *     array
   * @throws UseAfterFreeException if this array is closed
   */
  void fill(DeviceStream stream, long from, long count, double value);

  /**
   * Overwrites the whole array with another array of the same length, which may be on another
   * device, see {@link #copyTo}. Does not synchronise.
   *
   * @param stream a stream of this array's runtime
   * @throws IllegalArgumentException if the lengths differ, it is this array, or the two overlap
   * @throws UseAfterFreeException if either array is closed
   */
  void copyFrom(DeviceStream stream, ReadableArray<A> source);

  /**
   * Overwrites some elements with elements of another array, or of this one if the ranges do not
   * overlap. The other array may be on another device, see {@link #copyTo}. Does not synchronise.
   *
   * @param stream a stream of this array's runtime
   * @param from the first element of this array
   * @param sourceFrom the first element of the other array
   * @param count how many elements; 0 does nothing
   * @throws IllegalArgumentException if either range is not within its array, or the two overlap
   * @throws UseAfterFreeException if either array is closed
   */
  void copyFrom(
      DeviceStream stream, long from, ReadableArray<A> source, long sourceFrom, long count);

  /**
   * Splits this array into parts that are tracked independently: launches on two parts do not wait
   * for each other. Until the parts are joined, this array and its views refuse uses. Closing this
   * array closes its parts. Copies nothing and makes no driver call. An empty array is not tracked,
   * so it refuses no use.
   *
   * <p>{@code array.split(100, 300)} of 1000 elements makes three parts, of 100, 200 and 700
   * elements. A part can be viewed, and split itself.
   *
   * @param at where each part but the first begins, in rising order; equal positions make an empty
   *     part
   * @throws IllegalArgumentException if the positions do not rise from 0 to the length
   * @throws UseAfterFreeException if this array is closed
   * @throws StreamMisuseException if this array is split already, or is a view
   */
  DeviceParts<A> split(long... at);

  @Override
  DeviceArray<A> view(long from, long count);

  @Override
  <B> DeviceArray<B> reinterpret(Class<B> arrayType);
}
