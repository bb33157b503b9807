package dev.streamfence.launch;

import dev.streamfence.Completion;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UninitializedReadException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.launch.TrackedRecorder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Launches one kernel on one stream, over and over: {@link #begin}, the arguments, {@link
 * #preflight}, {@link #launch}, {@link #commit}, {@link #close}. Arguments are passed in the order
 * of the signature, each once. If an argument is refused, its parameter is still the next one, so
 * another argument can be passed in its place. Preflight checks everything and queues the waits. A
 * launch that is closed after its preflight and before its commit still counts as a use, since it
 * may have been queued; unless an exception was thrown, it is counted and logged as abandoned. Once
 * the runtime is closed, every method but {@code close} throws a {@link RuntimeClosedException}.
 *
 * <p>Thread-safe: threads take turns from {@code begin} to {@code close}. The same thread calls
 * both, and only this recorder's methods in between. After the first launch no method but {@link
 * #completion} allocates memory, unless the blocks of a cooperative kernel change from launch to
 * launch, or a launch has more arrays or tables than any before. No method synchronises, unless the
 * driver fails, or a new table needs room (see {@link #table(DeviceValues[])}); {@link #close}
 * synchronises with synchronous launches, or for a postponed free that has to wait.
 */
public sealed interface LaunchRecorder extends AutoCloseable permits TrackedRecorder {
  /** The stream that it launches on. */
  DeviceStream stream();

  /**
   * Whether it refuses memory that is not tracked. A permissive recorder passes such memory to the
   * kernel, and the caller orders its uses.
   */
  boolean isStrict();

  /**
   * How many arrays that the runtime orders the open launch uses so far: an array that is passed
   * twice counts twice; an array without elements or without tracking does not count.
   *
   * @throws StreamMisuseException before {@link #begin}, after {@link #close}, or in another thread
   */
  int recordedUses();

  /**
   * Begins a launch. Waits while another thread is between this and {@link #close} on the same
   * stream.
   *
   * @return this recorder
   * @throws StreamMisuseException if the stream is closed, or this thread has a launch open on any
   *     stream
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost
   */
  LaunchRecorder begin();

  /**
   * Passes a {@code boolean}, as one byte.
   *
   * @throws KernelArgumentException if the parameter whose turn it is takes no {@code boolean}
   * @throws StreamMisuseException before {@link #begin} or after {@link #preflight}
   */
  LaunchRecorder value(boolean value);

  /**
   * Passes a {@code byte}.
   *
   * @throws KernelArgumentException if the parameter whose turn it is takes no {@code byte}
   * @throws StreamMisuseException before {@link #begin} or after {@link #preflight}
   */
  LaunchRecorder value(byte value);

  /**
   * Passes a {@code char}, as an unsigned 16-bit number.
   *
   * @throws KernelArgumentException if the parameter whose turn it is takes no {@code char}
   * @throws StreamMisuseException before {@link #begin} or after {@link #preflight}
   */
  LaunchRecorder value(char value);

  /**
   * Passes a {@code short}.
   *
   * @throws KernelArgumentException if the parameter whose turn it is takes no {@code short}
   * @throws StreamMisuseException before {@link #begin} or after {@link #preflight}
   */
  LaunchRecorder value(short value);

  /**
   * Passes an {@code int}.
   *
   * @throws KernelArgumentException if the parameter whose turn it is takes no {@code int}
   * @throws StreamMisuseException before {@link #begin} or after {@link #preflight}
   */
  LaunchRecorder value(int value);

  /**
   * Passes a {@code long}.
   *
   * @throws KernelArgumentException if the parameter whose turn it is takes no {@code long}
   * @throws StreamMisuseException before {@link #begin} or after {@link #preflight}
   */
  LaunchRecorder value(long value);

  /**
   * Passes a {@code float}.
   *
   * @throws KernelArgumentException if the parameter whose turn it is takes no {@code float}
   * @throws StreamMisuseException before {@link #begin} or after {@link #preflight}
   */
  LaunchRecorder value(float value);

  /**
   * Passes a {@code double}.
   *
   * @throws KernelArgumentException if the parameter whose turn it is takes no {@code double}
   * @throws StreamMisuseException before {@link #begin} or after {@link #preflight}
   */
  LaunchRecorder value(double value);

  /**
   * Begins a structure; its fields follow in order, each like a parameter.
   *
   * @param struct the object that holds the fields; only checked for null
   * @throws KernelArgumentException if it is null, or the parameter whose turn it is takes no
   *     structure
   * @throws StreamMisuseException before {@link #begin} or after {@link #preflight}
   */
  LaunchRecorder struct(Object struct);

  /**
   * Passes an array, or the values of a column; the signature says how the kernel uses it. No other
   * part of a column is passed. Preflight refuses a write of an array that is read-only. The kernel
   * receives the address 0 for an array without elements, and for {@code null} where the signature
   * says {@link KernelSignature#optional}.
   *
   * @throws KernelArgumentException if it is null for an array that is not optional, or the
   *     parameter whose turn it is takes no array of such elements
   * @throws UseAfterFreeException if the array or the column is closed, or the array that it is a
   *     part of
   * @throws StreamMisuseException if it belongs to another runtime, unless the signature allows
   *     {@linkplain KernelSignature#peer peers} and the device can access its memory; if it is
   *     passed twice and one of the parameters is written, unless the signature allows that; if a
   *     strict recorder gets an array whose memory is not tracked; before {@link #begin} or after
   *     {@link #preflight}
   */
  LaunchRecorder array(@Nullable DeviceValues array);

  /**
   * Passes a table of any number of arrays; the signature says how the kernel uses the arrays. The
   * kernel receives the address of a table in device memory that holds their addresses, 0 for an
   * array without elements. A table without arrays passes the address 0.
   *
   * <p>Each stream keeps the tables that it has written. The launch writes only those that are not
   * among them, by one copy before the kernel. The space for them grows up to 1 MiB per stream, or
   * up to eight times the largest launch's tables, and smaller spaces that it replaces are kept as
   * well; beyond that, {@link #preflight} waits for earlier copies. If the budget is short of room
   * for that space, the launch waits for memory that was freed.
   *
   * @throws KernelArgumentException if it is null or one of its arrays is, or the parameter whose
   *     turn it is takes no table of such arrays
   * @throws UseAfterFreeException if one of the arrays is closed
   * @throws StreamMisuseException like {@link #array}, for each of the arrays; the message names it
   *     by its index
   */
  LaunchRecorder table(DeviceValues[] arrays);

  /** Passes a table like {@link #table(DeviceValues[])}. */
  LaunchRecorder table(List<? extends DeviceValues> arrays);

  /**
   * Passes all columns of a table, in the order of its schema, like {@link #table(DeviceValues[])}.
   * The number of logical rows is not passed: it is a separate array.
   *
   * @throws UseAfterFreeException if the table is closed, or one of the columns
   */
  LaunchRecorder table(DeviceValues.Table table);

  /**
   * Passes an untracked device address in the place of an array or a table: the caller orders every
   * use of it. Permissive recorders only.
   *
   * @throws KernelArgumentException if the parameter whose turn it is takes no array
   * @throws StreamMisuseException if the recorder is strict; before {@link #begin} or after {@link
   *     #preflight}
   */
  LaunchRecorder untracked(long address);

  /**
   * Passes the number of threads, which also shapes the launch: {@code ceil(threads / blockSize)}
   * blocks. 0 launches nothing.
   *
   * @throws KernelArgumentException if it is negative, is more than the parameter's type holds, or
   *     needs more blocks than a grid can have; or if the parameter whose turn it is does not count
   *     threads
   * @throws StreamMisuseException before {@link #begin} or after {@link #preflight}
   */
  LaunchRecorder threads(long threads);

  /**
   * Shapes the launch. An empty grid launches nothing.
   *
   * @throws KernelArgumentException if it is null, or the parameter whose turn it is takes no shape
   * @throws StreamMisuseException before {@link #begin} or after {@link #preflight}
   */
  LaunchRecorder shape(LaunchShape shape);

  /**
   * Sets the dynamic shared memory per block of this launch, in bytes.
   *
   * @throws KernelArgumentException if it is negative, or the parameter whose turn it is does not
   *     set it
   * @throws StreamMisuseException before {@link #begin} or after {@link #preflight}
   */
  LaunchRecorder dynamicSharedBytes(int bytes);

  /**
   * Checks the arguments and the shape, registers the launch on every array at once, and queues the
   * waits. Nothing is registered or queued when an argument is refused.
   *
   * @throws KernelArgumentException if an argument or the shape is missing or too large
   * @throws OutOfMemoryBudgetException if there is no device memory for a table
   * @throws UseAfterFreeException if an array is closed
   * @throws UninitializedReadException if memory is guarded and the kernel reads an array that
   *     nothing has written
   * @throws StreamMisuseException if the kernel writes an array that is read-only; if no launch has
   *     begun, or preflight has already run
   * @throws CudaDriverException if a wait cannot be queued
   */
  LaunchRecorder preflight();

  /**
   * Queues the kernel, unless the grid is empty.
   *
   * @throws StreamMisuseException before preflight, or if the kernel was already launched
   * @throws RuntimeClosedException if the runtime was closed meanwhile, or that of an array
   * @throws CudaDriverException if the driver refuses; its {@code purpose} names kernel and stream
   */
  LaunchRecorder launch();

  /**
   * Commits the launch, with an event that covers it when other streams are in use and may wait for
   * it.
   *
   * @throws StreamMisuseException if {@link #launch} was not called or failed
   * @throws CudaDriverException if the driver can neither record that event nor wait; the device is
   *     then lost
   */
  LaunchRecorder commit();

  /**
   * Returns the completion of this launch, to query or await after {@link #close}. Records an event
   * if {@link #commit} has not, so that a wait does not include later launches.
   *
   * @throws StreamMisuseException if {@link #commit} was not called
   * @throws CudaDriverException if the driver can neither record that event nor wait; the device is
   *     then lost
   */
  Completion completion();

  /**
   * Ends a launch whose kernel was not queued and will not be, like {@link #close}. A launch that
   * is ended this way after its preflight is neither counted nor logged as abandoned; it still
   * counts as a use, as if its kernel had taken no time.
   *
   * @throws StreamMisuseException if the kernel is queued; the launch stays open
   * @throws CudaDriverException if an array that was closed during the launch could not be freed
   */
  void abort();

  /**
   * Ends the launch, successful or not, and releases the stream to the next thread.
   *
   * @throws CudaDriverException if the kernel of a synchronous launch failed, or an array that was
   *     closed during the launch could not be freed
   */
  @Override
  void close();
}
