package dev.streamfence.launch;

import dev.streamfence.Completion;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.LaunchShape;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.launch.TrackedRecorder;

/**
 * Launches one kernel on one stream, over and over: {@link #begin}, the arguments, {@link
 * #preflight}, {@link #launch}, {@link #commit}, {@link #close}. Arguments are passed in the order
 * of the signature, each once; one that is passed out of turn, or that its parameter does not take,
 * is refused with an {@link IllegalArgumentException}, and another may be passed in its place; so
 * is null. Passing an argument before {@code begin} or after {@code preflight} is a {@link
 * StreamMisuseException}. Preflight checks everything and queues the waits. A launch that is closed
 * after its preflight and before its commit still counts as a use, since it may have been queued;
 * unless an exception explained it, it is counted and logged as abandoned.
 *
 * <p>Thread-safe: threads take turns from {@code begin} to {@code close}. The same thread calls
 * both, and only this recorder's methods in between. After the first launch no method but {@link
 * #completion} allocates memory, unless the blocks of a cooperative kernel change from launch to
 * launch. No method synchronises, unless the driver fails; {@link #close} does so with synchronous
 * launches, or for a postponed free that waits.
 */
public sealed interface LaunchRecorder extends AutoCloseable permits TrackedRecorder {
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

  /** Passes a {@code boolean}, as one byte. */
  LaunchRecorder value(boolean value);

  /** Passes a {@code byte}. */
  LaunchRecorder value(byte value);

  /** Passes a {@code char}, as an unsigned 16-bit number. */
  LaunchRecorder value(char value);

  /** Passes a {@code short}. */
  LaunchRecorder value(short value);

  /** Passes an {@code int}. */
  LaunchRecorder value(int value);

  /** Passes a {@code long}. */
  LaunchRecorder value(long value);

  /** Passes a {@code float}. */
  LaunchRecorder value(float value);

  /** Passes a {@code double}. */
  LaunchRecorder value(double value);

  /**
   * Begins a structure; its fields follow, in order.
   *
   * @param struct the object that holds the fields; only checked for null
   */
  LaunchRecorder struct(Object struct);

  /** Passes a {@code boolean} field of a structure, as one byte. */
  LaunchRecorder field(boolean value);

  /** Passes a {@code byte} field of a structure. */
  LaunchRecorder field(byte value);

  /** Passes a {@code char} field of a structure, as an unsigned 16-bit number. */
  LaunchRecorder field(char value);

  /** Passes a {@code short} field of a structure. */
  LaunchRecorder field(short value);

  /** Passes an {@code int} field of a structure. */
  LaunchRecorder field(int value);

  /** Passes a {@code long} field of a structure. */
  LaunchRecorder field(long value);

  /** Passes a {@code float} field of a structure. */
  LaunchRecorder field(float value);

  /** Passes a {@code double} field of a structure. */
  LaunchRecorder field(double value);

  /**
   * Passes an array; the signature says how the kernel uses it.
   *
   * @throws UseAfterFreeException if the array is closed
   * @throws StreamMisuseException if it belongs to another runtime, or is passed twice and one of
   *     the parameters is written, unless the signature allows that
   */
  LaunchRecorder array(DeviceArray<?> array);

  /**
   * Passes an untracked device address in the place of an array: the caller orders every use of it.
   * Permissive recorders only.
   *
   * @throws StreamMisuseException if the recorder is strict
   */
  LaunchRecorder untracked(long address);

  /**
   * Passes the number of threads, which also shapes the launch: {@code ceil(threads / blockSize)}
   * blocks. 0 launches nothing.
   *
   * @throws IllegalArgumentException if it is negative, or more than the parameter's type holds
   */
  LaunchRecorder threads(long threads);

  /** Shapes the launch. An empty grid launches nothing. */
  LaunchRecorder shape(LaunchShape shape);

  /** Sets the dynamic shared memory per block of this launch, in bytes. */
  LaunchRecorder dynamicSharedBytes(int bytes);

  /**
   * Checks the arguments and the shape, registers the launch on every array at once, and queues the
   * waits. Nothing is registered or queued when an argument is refused.
   *
   * @throws IllegalArgumentException if an argument or the shape is missing or too large
   * @throws UseAfterFreeException if an array is closed
   * @throws StreamMisuseException if no launch is begun, or preflight has already run
   * @throws CudaDriverException if a wait cannot be queued
   */
  LaunchRecorder preflight();

  /**
   * Queues the kernel, unless the grid is empty.
   *
   * @throws StreamMisuseException before preflight, or if the kernel was launched already
   * @throws CudaDriverException if the driver refuses; its {@code purpose} names kernel and stream
   */
  LaunchRecorder launch();

  /**
   * Commits the launch, with an event that covers it when other streams are in use.
   *
   * @throws StreamMisuseException if {@link #launch} was not called
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

  /** Ends the launch, successful or not, and releases the stream to the next thread. */
  @Override
  void close();
}
