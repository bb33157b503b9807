// Long because each of the eight primitive types needs its own methods, for values and for fields
// of structures: a common one would box.
package dev.streamfence.launch;

import dev.streamfence.Completion;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.LaunchShape;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import org.jspecify.annotations.Nullable;

/**
 * Launches one kernel on one stream, over and over: {@link #begin}, the arguments, {@link
 * #preflight}, {@link #launch}, {@link #commit}, {@link #close}. Arguments are passed in the order
 * of the signature, each once; one that is passed out of turn, or that its parameter does not take,
 * is refused, and another may be passed in its place. Preflight checks everything and queues the
 * waits. A launch that is closed after its preflight and before its commit still counts as a use,
 * since it may have been queued; unless an exception explained it, it is counted and logged as
 * abandoned.
 *
 * <p>Thread-safe: threads take turns from {@code begin} to {@code close}. The same thread calls
 * both, and only this recorder's methods in between. After the first launch no method but {@link
 * #completion} allocates memory, unless the blocks of a cooperative kernel change from launch to
 * launch. No method synchronises, unless the driver fails; {@link #close} does so with synchronous
 * launches, or for a postponed free that waits.
 */
public final class LaunchRecorder implements AutoCloseable {
  private enum State {
    BEGUN,
    /** A commit before the launch was refused; the launch is still possible. */
    REFUSED,
    LAUNCHED,
    /** A second launch was refused; the commit is still possible. */
    LAUNCHED_TWICE,
    FAILED,
    COMMITTED
  }

  private final DeviceStream stream;
  private final Timeline timeline;
  private final TrackedRuntime runtime;
  private final CudaDriver driver;
  private final @Nullable LaunchObserver observer;
  private final boolean strict;
  private final boolean synchronous;
  private final String purpose;
  private final UseLabels labels = new Labels();
  private final ArgumentFrame frame;
  private final LaunchGrid grid;
  private final LaunchArguments arguments;

  // Confined to the thread that holds the submission lock.
  private @Nullable Submission open;
  private State state = State.BEGUN;

  LaunchRecorder(
      LoadedKernel kernel,
      DeviceStream stream,
      Timeline timeline,
      ArgumentFrame frame,
      boolean strict) {
    this.stream = stream;
    this.timeline = timeline;
    this.runtime = kernel.runtime();
    this.driver = runtime.driver();
    this.observer = driver.launchObserver();
    this.strict = strict;
    this.synchronous = runtime.options().synchronousLaunches();
    this.purpose = kernel.signature().entry() + " on stream " + stream.id();
    this.frame = frame;
    this.grid = new LaunchGrid(kernel);
    this.arguments = new LaunchArguments(kernel, stream, frame, grid, strict);
  }

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
  public LaunchRecorder begin() {
    open = TrackedStream.timelineOf(stream).begin(labels);
    arguments.clear();
    state = State.BEGUN;
    return this;
  }

  /** Passes a {@code boolean}, as one byte. */
  public LaunchRecorder value(boolean value) {
    frame.put(number(ElementType.BOOLEAN), (byte) (value ? 1 : 0));
    return this;
  }

  /** Passes a {@code byte}. */
  public LaunchRecorder value(byte value) {
    frame.put(number(ElementType.BYTE), value);
    return this;
  }

  /** Passes a {@code char}, as an unsigned 16-bit number. */
  public LaunchRecorder value(char value) {
    frame.put(number(ElementType.CHAR), (short) value);
    return this;
  }

  /** Passes a {@code short}. */
  public LaunchRecorder value(short value) {
    frame.put(number(ElementType.SHORT), value);
    return this;
  }

  /** Passes an {@code int}. */
  public LaunchRecorder value(int value) {
    frame.put(number(ElementType.INT), value);
    return this;
  }

  /** Passes a {@code long}. */
  public LaunchRecorder value(long value) {
    frame.put(number(ElementType.LONG), value);
    return this;
  }

  /** Passes a {@code float}. */
  public LaunchRecorder value(float value) {
    frame.put(number(ElementType.FLOAT), Float.floatToRawIntBits(value));
    return this;
  }

  /** Passes a {@code double}. */
  public LaunchRecorder value(double value) {
    frame.put(number(ElementType.DOUBLE), Double.doubleToRawLongBits(value));
    return this;
  }

  /**
   * Begins a structure; its fields follow, in order.
   *
   * @param struct the object that holds the fields; only checked for null
   */
  public LaunchRecorder struct(Object struct) {
    requireRecording("passes an argument");
    arguments.struct(struct);
    return this;
  }

  /** Passes a {@code boolean} field of a structure, as one byte. */
  public LaunchRecorder field(boolean value) {
    frame.put(field(ElementType.BOOLEAN), (byte) (value ? 1 : 0));
    return this;
  }

  /** Passes a {@code byte} field of a structure. */
  public LaunchRecorder field(byte value) {
    frame.put(field(ElementType.BYTE), value);
    return this;
  }

  /** Passes a {@code char} field of a structure, as an unsigned 16-bit number. */
  public LaunchRecorder field(char value) {
    frame.put(field(ElementType.CHAR), (short) value);
    return this;
  }

  /** Passes a {@code short} field of a structure. */
  public LaunchRecorder field(short value) {
    frame.put(field(ElementType.SHORT), value);
    return this;
  }

  /** Passes an {@code int} field of a structure. */
  public LaunchRecorder field(int value) {
    frame.put(field(ElementType.INT), value);
    return this;
  }

  /** Passes a {@code long} field of a structure. */
  public LaunchRecorder field(long value) {
    frame.put(field(ElementType.LONG), value);
    return this;
  }

  /** Passes a {@code float} field of a structure. */
  public LaunchRecorder field(float value) {
    frame.put(field(ElementType.FLOAT), Float.floatToRawIntBits(value));
    return this;
  }

  /** Passes a {@code double} field of a structure. */
  public LaunchRecorder field(double value) {
    frame.put(field(ElementType.DOUBLE), Double.doubleToRawLongBits(value));
    return this;
  }

  /** Passes an array; the signature says how the kernel uses it. */
  public LaunchRecorder array(DeviceArray<?> array) {
    arguments.array(array, requireRecording("passes an argument"), labels);
    return this;
  }

  /**
   * Passes an untracked device address in the place of an array: the caller orders every use of it.
   * Permissive recorders only.
   *
   * @throws StreamMisuseException if the recorder is strict
   */
  public LaunchRecorder untracked(long address) {
    requireRecording("passes an argument");
    arguments.untracked(address);
    return this;
  }

  /**
   * Passes the number of threads, which also shapes the launch: {@code ceil(threads / blockSize)}
   * blocks. 0 launches nothing.
   *
   * @throws IllegalArgumentException if it is negative, or more than the parameter's type holds
   */
  public LaunchRecorder threads(long threads) {
    requireRecording("is shaped");
    arguments.threads(threads);
    return this;
  }

  /** Shapes the launch. An empty grid launches nothing. */
  public LaunchRecorder shape(LaunchShape shape) {
    requireRecording("is shaped");
    arguments.shape(shape);
    return this;
  }

  /** Sets the dynamic shared memory per block of this launch, in bytes. */
  public LaunchRecorder dynamicSharedBytes(int bytes) {
    requireRecording("is shaped");
    arguments.dynamicSharedBytes(bytes);
    return this;
  }

  /**
   * Checks the arguments and the shape, registers the launch on every array at once, and queues the
   * waits. Nothing is registered or queued when an argument is refused.
   *
   * @throws IllegalArgumentException if an argument or the shape is missing or too large
   * @throws UseAfterFreeException if an array is closed
   * @throws StreamMisuseException if no launch is begun, or preflight has already run
   * @throws CudaDriverException if a wait cannot be queued
   */
  public LaunchRecorder preflight() {
    Submission submission = requireOpen();
    arguments.requireComplete();
    grid.requireLaunchable();
    submission.preflight();
    return this;
  }

  /**
   * Queues the kernel, unless the grid is empty.
   *
   * @throws CudaDriverException if the driver refuses; its {@code purpose} names kernel and stream
   */
  public LaunchRecorder launch() {
    Submission submission = requireOpen();
    submission.requirePreflighted("launches");
    if (state != State.BEGUN && state != State.REFUSED) {
      state = state == State.LAUNCHED ? State.LAUNCHED_TWICE : state;
      throw new StreamMisuseException(purpose + " launches twice; begin again for each launch");
    }
    if (grid.isEmpty()) {
      state = State.LAUNCHED;
      return this;
    }
    // Until the launch succeeds: any exception from here on explains the missing launch.
    state = State.FAILED;
    if (observer != null) {
      observer.launching(purpose, timeline.stream(), submission.ticket(), arguments.uses());
    }
    try {
      grid.launch(driver, timeline.stream(), arguments.memory());
      state = State.LAUNCHED;
    } catch (CudaDriverException e) {
      throw e.during("the launch of " + purpose);
    }
    return this;
  }

  /**
   * Commits the launch, with an event that covers it when other streams are in use.
   *
   * @throws StreamMisuseException if {@link #launch} was not called
   * @throws CudaDriverException if the driver can neither record that event nor wait; the device is
   *     then lost
   */
  public LaunchRecorder commit() {
    Submission submission = requireOpen();
    if (state == State.FAILED) {
      throw new StreamMisuseException(purpose + " is committed though its launch failed");
    }
    if (state == State.BEGUN || state == State.REFUSED) {
      state = State.REFUSED;
      throw new StreamMisuseException(purpose + " is committed before it is launched");
    }
    if (grid.isEmpty()) {
      submission.commitWithoutEvent();
    } else {
      submission.commit();
    }
    state = State.COMMITTED;
    return this;
  }

  /**
   * Returns the completion of this launch, to query or await after {@link #close}. Records an event
   * if {@link #commit} has not, so that a wait does not include later launches.
   *
   * @throws StreamMisuseException if {@link #commit} was not called
   * @throws CudaDriverException if the driver can neither record that event nor wait; the device is
   *     then lost
   */
  public Completion completion() {
    Submission submission = requireOpen();
    submission.coverByEvent();
    return runtime.completion(timeline, submission.ticket(), purpose);
  }

  /** Ends the launch, successful or not, and releases the stream to the next thread. */
  @Override
  public void close() {
    Submission submission = open;
    if (submission != null && submission.isHeldByCurrentThread()) {
      open = null;
      arguments.release();
      boolean wait = synchronous && state == State.COMMITTED && !grid.isEmpty();
      boolean abandoned =
          submission.isPreflighted() && (state == State.BEGUN || state == State.LAUNCHED);
      submission.close();
      if (abandoned) {
        runtime.noteAbandoned(purpose);
      }
      if (wait) {
        awaitKernel();
      }
    }
  }

  private void awaitKernel() {
    try {
      timeline.synchronize("the launch of " + purpose);
    } catch (RuntimeClosedException e) {
      // Another thread is closing the runtime: it waits for the kernel and reports its error.
    }
  }

  /** Kernel, stream and parameters, for errors. */
  private final class Labels implements UseLabels {
    @Override
    public String purpose() {
      return purpose;
    }

    @Override
    public String use(int index) {
      return arguments.use(index);
    }
  }

  private int number(ElementType type) {
    requireRecording("passes an argument");
    return arguments.value(type);
  }

  private int field(ElementType type) {
    requireRecording("passes an argument");
    return arguments.field(type);
  }

  private Submission requireOpen() {
    Submission submission = open;
    if (submission == null || !submission.isHeldByCurrentThread()) {
      runtime.life().requireOpen();
      throw new StreamMisuseException(
          purpose + " is not begun; the order is begin, arguments, preflight, launch, commit");
    }
    return submission;
  }

  private Submission requireRecording(String act) {
    Submission submission = requireOpen();
    submission.requireRecording(act);
    return submission;
  }

  @Override
  public String toString() {
    return (strict ? "strict" : "permissive") + " recorder of " + purpose;
  }
}
