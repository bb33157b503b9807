// Long for its documentation: each operation says what it orders, whether it waits and what it
// refuses.
package dev.streamfence;

import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.DeviceValues;
import dev.streamfence.launch.RecordElement;
import java.nio.Buffer;
import java.time.Duration;

/**
 * An array of primitives or records in device memory that can be read: by downloads, by copies to
 * other arrays and by kernels that declare {@code @Reads}. A {@link DeviceArray} can also be
 * written; an array that is not a {@code DeviceArray} is memory that must not be written. The
 * runtime tracks its uses: it orders each read after the earlier writes that it depends on, on any
 * stream and from any thread.
 *
 * <p>Every operation names the stream that it runs on. Thread-safe. An array of length 0 takes no
 * device memory and can be used like any other. {@link #view} makes an array of some of its
 * elements.
 *
 * <p>In addition to the exceptions that it lists itself, each operation on a stream throws:
 *
 * <ul>
 *   <li>a {@link StreamMisuseException} if the stream is closed or belongs to another runtime, if
 *       this thread has a launch open, or if this array is split;
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
public sealed interface ReadableArray<A> extends AutoCloseable, DeviceValues
    permits DeviceArray, TrackedArray {
  /** This array, which a launch passes as it is. */
  @Override
  default ReadableArray<A> values() {
    return this;
  }

  /** The runtime that it belongs to. */
  DeviceRuntime runtime();

  /** The type of its elements. */
  ArrayElement elementType();

  /** How many elements it has. */
  long length();

  /** Its size on the device. */
  long sizeInBytes();

  /**
   * Whether neither it nor its runtime is closed. A kernel launched before {@link #close} can still
   * use it afterwards.
   */
  boolean isOpen();

  /**
   * Copies the whole array to a new host array. Waits until the copy is done.
   *
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if this array is longer than a Java array can be
   * @throws UseAfterFreeException if this array is closed
   */
  A download(DeviceStream stream);

  /**
   * Copies some elements to a new host array. Waits until the copy is done.
   *
   * @param from the first element
   * @param count how many elements
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if the range is not within this array, or is longer than a
   *     Java array can be
   * @throws UseAfterFreeException if this array is closed
   */
  A download(DeviceStream stream, long from, long count);

  /**
   * Copies some elements to a host array. Waits until the copy is done.
   *
   * @param from the first element of this array
   * @param targetFrom the first element of the host array
   * @param count how many elements; 0 does nothing
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if either range is not within its array
   * @throws UseAfterFreeException if this array is closed
   */
  void download(DeviceStream stream, long from, A target, int targetFrom, long count);

  /**
   * Copies as many elements as a buffer has remaining to that buffer, direct or on the heap. Waits
   * until the copy is done. The buffer keeps its position.
   *
   * @param from the first element of this array
   * @param target a buffer of this array's element type, or a {@link java.nio.ByteBuffer} for the
   *     bytes of such elements in native order
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if the buffer is read-only or does not fit the elements, or
   *     the range is not within this array
   * @throws UseAfterFreeException if this array is closed
   */
  void download(DeviceStream stream, long from, Buffer target);

  /**
   * Copies the whole array to a pinned array of the same length. Does not synchronise, but waits
   * while another thread reads or writes the pinned array. Later reads and writes of the pinned
   * array wait for this copy.
   *
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if the lengths differ
   * @throws UseAfterFreeException if either array is closed
   * @throws StreamMisuseException if they belong to two runtimes, or inside a read or write of the
   *     pinned array
   */
  void download(DeviceStream stream, PinnedArray<A> target);

  /**
   * Copies some elements to a pinned array, like {@link #download(DeviceStream, PinnedArray)}.
   *
   * @param from the first element of this array
   * @param targetFrom the first element of the pinned array
   * @param count how many elements; 0 does nothing
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if either range is not within its array
   * @throws UseAfterFreeException if either array is closed
   * @throws StreamMisuseException if they belong to two runtimes, or inside a read or write of the
   *     pinned array
   */
  void download(DeviceStream stream, long from, PinnedArray<A> target, long targetFrom, long count);

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
   * Begins a download of the whole array, like {@link #downloadLater(DeviceStream, long, long)}.
   *
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if this array is longer than a Java array can be, or has more
   *     than {@link Integer#MAX_VALUE} bytes
   * @throws UseAfterFreeException if this array is closed
   */
  Download<A> downloadLater(DeviceStream stream);

  /**
   * Begins a download of some elements, with their content after all work queued before. Does not
   * wait for the device, unless the downloads that are under way hold more page-locked memory than
   * {@link RuntimeOptions#downloadMemoryInBytes}: then it waits for the oldest ones. That memory
   * does not count in a budget.
   *
   * @param from the first element
   * @param count how many elements
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if the range is not within this array, is longer than a Java
   *     array can be, or has more than {@link Integer#MAX_VALUE} bytes
   * @throws UseAfterFreeException if this array is closed
   */
  Download<A> downloadLater(DeviceStream stream, long from, long count);

  /**
   * Begins a download of some elements to a host array, like {@link #downloadLater(DeviceStream,
   * long, long)}. {@link Download#value}, or a stage of it, writes them to the host array, which is
   * unchanged until then. If no caller asks for the value, closing the runtime may write them.
   *
   * @param from the first element of this array
   * @param targetFrom the first element of the host array
   * @param count how many elements
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if either range is not within its array, or has more than
   *     {@link Integer#MAX_VALUE} bytes
   * @throws UseAfterFreeException if this array is closed
   */
  Download<A> downloadLater(DeviceStream stream, long from, A target, int targetFrom, long count);

  /**
   * Begins a download of as many elements as a buffer has remaining, like {@link
   * #downloadLater(DeviceStream, long, Object, int, long)}. The buffer keeps its position.
   *
   * @param from the first element of this array
   * @param target as for {@link #download(DeviceStream, long, Buffer)}. A buffer of a confined
   *     arena gets its elements only if the arena's thread asks for the value
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if the buffer is read-only or does not fit the elements, or
   *     the range is not within this array
   * @throws UseAfterFreeException if this array is closed
   */
  <B extends Buffer> Download<B> downloadLater(DeviceStream stream, long from, B target);

  /**
   * Copies some elements to a pinned array, like {@link #download(DeviceStream, long, PinnedArray,
   * long, long)}, and returns the completion of that copy. Its value is the pinned array.
   *
   * @param from the first element of this array
   * @param targetFrom the first element of the pinned array
   * @param count how many elements; 0 does nothing
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if either range is not within its array
   * @throws UseAfterFreeException if either array is closed
   * @throws StreamMisuseException if they belong to two runtimes, or inside a read or write of the
   *     pinned array
   */
  Download<PinnedArray<A>> downloadLater(
      DeviceStream stream, long from, PinnedArray<A> target, long targetFrom, long count);

  /**
   * Copies like {@link #download(DeviceStream, Object)}, but waits no longer than a timeout for
   * other threads that use the stream, for earlier work, and for the copy itself. The timeout does
   * not limit the wait for a launch on another stream that uses this array and that another thread
   * holds between preflight and commit.
   *
   * @param timeout at least 0
   * @return whether the copy is done; if not, the content of {@code target} is undefined
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if the host array is shorter, or the timeout is negative
   * @throws UseAfterFreeException if this array is closed
   * @throws InterruptedException if the thread is interrupted before or while it waits; the content
   *     of {@code target} is then undefined
   */
  boolean download(DeviceStream stream, A target, Duration timeout) throws InterruptedException;

  /**
   * A new array with the same content, from the same memory and budget. Does not synchronise unless
   * memory is short.
   *
   * @throws UseAfterFreeException if this array is closed
   * @throws OutOfMemoryBudgetException if there is not enough memory
   */
  DeviceArray<A> copy(DeviceStream stream);

  /**
   * A new array with the same content on the device of a stream, which may be another one than this
   * array's, from that device's memory and budget. The copy comes after the last write of this
   * array, and later writes and the free of this array come after the copy; both without waiting on
   * the host. Does not synchronise unless memory is short.
   *
   * @param stream a stream of any runtime whose device is a GPU like this one's, or a simulated
   *     device of the same machine
   * @throws UseAfterFreeException if this array is closed
   * @throws OutOfMemoryBudgetException if there is not enough memory on that device
   * @throws StreamMisuseException if the two devices cannot copy to each other, or this thread has
   *     a launch open on any device
   * @throws CudaDriverException if either device is lost, or a driver call fails
   */
  DeviceArray<A> copyTo(DeviceStream stream);

  /**
   * A view of some elements: an array over the same memory, whose uses are ordered with those of
   * this array and of its other views. It can be used wherever an array can, does not own the
   * memory, and ends with this array. Closing it does nothing. Copies nothing and makes no driver
   * call.
   *
   * <p>One launch can write and read views that have no element in common; views that overlap are
   * refused like one array that is passed twice. Launches that write one of two views wait for each
   * other: use {@link DeviceArray#split} to avoid that.
   *
   * @param from the first element
   * @param count how many elements; an empty view can be used like an empty array
   * @throws IllegalArgumentException if the range is not within this array
   * @throws UseAfterFreeException if this array is closed
   * @throws StreamMisuseException if this array is split
   */
  ReadableArray<A> view(long from, long count);

  /**
   * Hands this array's memory over to a new array of another type, bytes unchanged, and closes this
   * array. The new array frees the memory. Copies nothing and makes no driver call. For a view, the
   * result is a view of the same bytes, and the view itself stays usable.
   *
   * @param arrayType the Java array type, such as {@code byte[].class}
   * @throws IllegalArgumentException if {@code arrayType} is not an array of primitives or of a
   *     record, if this array's bytes are not a whole number of its elements, or if a view begins
   *     at an address where no such element can lie
   * @throws UseAfterFreeException if this array is closed
   * @throws StreamMisuseException if this array is split, or is a part
   * @throws RuntimeClosedException if the runtime is closed
   */
  <B> ReadableArray<B> reinterpret(Class<B> arrayType);

  /**
   * Frees the device memory after every launch and copy that uses it. Does not synchronise, unless
   * the runtime's memory is guarded or not stream-ordered. Closing again does nothing. Closing
   * after the runtime does nothing either, since the runtime has freed the array, and neither does
   * closing a view or a part, since they own no memory.
   *
   * <p>If an array becomes unreachable without being closed, the runtime reports it through the
   * logger {@code dev.streamfence.leaks}, counts it, and frees it after the same launches and
   * copies.
   *
   * @throws CudaDriverException if the free could not be queued; the array stays open and can be
   *     closed again
   */
  @Override
  void close();
}
