package dev.streamfence;

import dev.streamfence.internal.device.TrackedPinnedArray;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.memory.MemoryStatistics;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * An array of primitives or records in page-locked host memory, which the device copies from and to
 * directly, while the host does other work. The runtime tracks both sides: a copy waits for the
 * earlier copies that it depends on, and {@link #read} and {@link #write} wait only for the copies
 * that they depend on.
 *
 * <pre>{@code
 * try (PinnedArray<float[]> host = gpu.memory().pinned(float[].class, n)) {
 *   host.write(buffer -> buffer.asFloatBuffer().put(values));
 *   x.upload(stream, host);               // returns at once
 *   kernels.scale(2f, x, n);
 *   x.download(stream, host);             // returns at once
 *   float first = host.read(ByteBuffer::getFloat);   // waits for the download
 * }
 * }</pre>
 *
 * <p>The operating system cannot swap page-locked memory out, and allocating it is slow: allocate
 * few arrays and reuse them. It does not count in a memory budget; see {@link
 * MemoryStatistics#pinnedBytes}.
 *
 * <p>If a pinned array becomes unreachable without being closed, the runtime reports it through the
 * logger {@code dev.streamfence.leaks}. A later {@link DeviceMemory#pinned} or {@link
 * DeviceMemory#reap} frees it when the device is done with it; otherwise closing the runtime frees
 * it.
 *
 * <p>Thread-safe. Several threads may read at the same time; a write, and a download into the
 * array, waits until other threads have ended their reads and writes. An access may contain an
 * access to another pinned array; threads that nest two arrays must do so in the same order, since
 * the inner access can wait while the outer one excludes other threads. While a graph holds the
 * array, an access to it must not use streams, even for other work; nor must an access to a
 * {@linkplain #mapped mapped} array.
 *
 * @param <A> the Java array type: {@code float[]}, {@code int[]} and so on, or that of a record
 */
public sealed interface PinnedArray<A> extends AutoCloseable permits TrackedPinnedArray {
  /** The runtime that it belongs to. */
  DeviceRuntime runtime();

  /** The type of its elements. */
  ArrayElement elementType();

  /** How many elements it has. */
  long length();

  /** Its size in bytes. */
  long sizeInBytes();

  /** Whether neither it nor its runtime is closed. */
  boolean isOpen();

  /**
   * Waits for the downloads into this array, and for launches that write it {@linkplain #mapped()
   * mapped}, then reads it. Uploads from it, and launches that read it, may be in flight. An
   * exception of {@code access} is passed on.
   *
   * @param access gets a read-only buffer of all bytes, in native order and at position 0. The
   *     buffer is valid only until {@code access} returns: later uses are not ordered, and once
   *     this array is closed, they touch freed memory
   * @return the result of {@code access}, which must not be a buffer
   * @throws UseAfterFreeException if this array is closed
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost
   * @throws StreamMisuseException inside a write of this array by the same thread, or inside a
   *     launch, if it would have to wait
   */
  <R> R read(Function<? super ByteBuffer, ? extends R> access);

  /**
   * Reads like {@link #read}, without a result.
   *
   * @param access gets a read-only buffer of all bytes, which is valid until it returns
   * @throws UseAfterFreeException if this array is closed
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost
   * @throws StreamMisuseException like {@link #read}
   */
  void visit(Consumer<? super ByteBuffer> access);

  /**
   * Waits for the copies and launches that use this array, then writes it. An exception of {@code
   * access} is passed on, and bytes that it had written stay.
   *
   * @param access gets a buffer of all bytes, in native order and at position 0. The buffer is
   *     valid only until {@code access} returns, as for {@link #read}
   * @throws UseAfterFreeException if this array is closed
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost
   * @throws StreamMisuseException inside a read or write of this array by the same thread, or
   *     inside a launch for which it would have to wait
   */
  void write(Consumer<? super ByteBuffer> access);

  /**
   * Reads some elements into a new Java array, like {@link #read}, and throws the same exceptions.
   *
   * @param from the first element
   * @param count how many elements
   * @throws IllegalArgumentException if the range is not within this array
   * @throws UseAfterFreeException if this array is closed
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost
   * @throws StreamMisuseException like {@link #read}
   */
  A get(long from, int count);

  /**
   * Writes the elements of a whole Java array, like {@link #write}, and throws the same exceptions.
   *
   * @param from the first element of this array
   * @throws IllegalArgumentException if the source is longer than the elements from {@code from} on
   * @throws UseAfterFreeException if this array is closed
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost
   * @throws StreamMisuseException like {@link #write}
   */
  void put(long from, A source);

  /**
   * This memory as an array that kernels read and write directly, over the bus: for flags, counters
   * and results of a few elements, which then need no copy. It can be used wherever an array can,
   * owns nothing, and ends with this array; closing it does nothing. Its uses are uses of this
   * array: {@link #read}, {@link #write} and {@link #close} wait for them, and launches, copies and
   * fills that use it wait, on the host, for accesses of other threads that conflict.
   *
   * <p>What a launch writes is visible to a {@link #read} that begins after the launch was queued,
   * since that waits for the launch. Polling memory that a running kernel writes is not supported,
   * even if the kernel's access is volatile; neither is a kernel that waits for the host.
   *
   * <p>After this call, launches, copies and fills inside an access to this array by the same
   * thread are refused, and so is an operation that would have to wait for another thread.
   *
   * @throws UseAfterFreeException if this array is closed
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device cannot reach host memory, or is lost
   * @throws StreamMisuseException inside a read or write of this array by the same thread, or
   *     inside a launch for which it would have to wait
   */
  DeviceArray<A> mapped();

  /**
   * Waits for the copies, launches and accesses that use this array, and frees its memory. Closing
   * again does nothing, and so does closing after the runtime.
   *
   * @throws CudaDriverException if the memory could not be freed; the array stays open and can be
   *     closed again
   * @throws StreamMisuseException inside a read or write of this array by the same thread, or
   *     inside a launch for which it would have to wait; the array stays open
   */
  @Override
  void close();
}
