// Long because each of the eight primitive types needs its own methods, for values and for fields
// of structures: a common one would box.
package dev.streamfence.launch;

import dev.streamfence.Access;
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
 * Launches one kernel on one stream, over and over: {@link #begin}, the arguments, the shape,
 * {@link #preflight}, {@link #launch}, {@link #commit}, {@link #close}. Preflight checks everything
 * and queues the waits. A launch that is closed after its preflight and before its commit still
 * counts as a use, since it may have been queued; unless an exception explained it, it is counted
 * and logged as abandoned.
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

  private final KernelSignature signature;
  private final DeviceStream stream;
  private final Timeline timeline;
  private final TrackedRuntime runtime;
  private final CudaDriver driver;
  private final @Nullable LaunchObserver observer;
  private final boolean strict;
  private final boolean synchronous;
  private final String purpose;
  private final UseLabels labels = new Labels();
  private final LaunchArguments arguments;
  private final LaunchGrid grid;

  // Confined to the thread that holds the submission lock.
  private @Nullable Submission open;
  private State state = State.BEGUN;

  LaunchRecorder(
      LoadedKernel kernel,
      DeviceStream stream,
      Timeline timeline,
      ArgumentFrame frame,
      boolean strict) {
    this.signature = kernel.signature();
    this.stream = stream;
    this.timeline = timeline;
    this.runtime = kernel.runtime();
    this.driver = runtime.driver();
    this.observer = driver.launchObserver();
    this.strict = strict;
    this.synchronous = runtime.options().synchronousLaunches();
    this.purpose = signature.entry() + " on stream " + stream.id();
    this.arguments = new LaunchArguments(kernel, stream, frame, strict);
    this.grid = new LaunchGrid(kernel);
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
    grid.clear();
    state = State.BEGUN;
    return this;
  }

  /** Passes a {@code boolean}, as one byte. */
  public void value(int index, boolean value) {
    arguments(index, ElementType.BOOLEAN).put(index, 0, (byte) (value ? 1 : 0));
  }

  /** Passes a {@code byte}. */
  public void value(int index, byte value) {
    arguments(index, ElementType.BYTE).put(index, 0, value);
  }

  /** Passes a {@code char}, as an unsigned 16-bit number. */
  public void value(int index, char value) {
    arguments(index, ElementType.CHAR).put(index, 0, (short) value);
  }

  /** Passes a {@code short}. */
  public void value(int index, short value) {
    arguments(index, ElementType.SHORT).put(index, 0, value);
  }

  /** Passes an {@code int}. */
  public void value(int index, int value) {
    arguments(index, ElementType.INT).put(index, 0, value);
  }

  /** Passes a {@code long}. */
  public void value(int index, long value) {
    arguments(index, ElementType.LONG).put(index, 0, value);
  }

  /** Passes a {@code float}. */
  public void value(int index, float value) {
    arguments(index, ElementType.FLOAT).put(index, 0, Float.floatToRawIntBits(value));
  }

  /** Passes a {@code double}. */
  public void value(int index, double value) {
    arguments(index, ElementType.DOUBLE).put(index, 0, Double.doubleToRawLongBits(value));
  }

  /**
   * Begins a structure; its fields follow.
   *
   * @param struct the object that holds the fields; only checked for null
   */
  public void struct(int index, Object struct) {
    requireRecording("passes an argument");
    arguments.struct(index, struct);
  }

  /** Passes a {@code boolean} field of a structure, as one byte. */
  public void field(int index, int field, boolean value) {
    int offset = fieldOffset(index, field, ElementType.BOOLEAN);
    arguments.frame().put(index, offset, (byte) (value ? 1 : 0));
  }

  /** Passes a {@code byte} field of a structure. */
  public void field(int index, int field, byte value) {
    arguments.frame().put(index, fieldOffset(index, field, ElementType.BYTE), value);
  }

  /** Passes a {@code char} field of a structure, as an unsigned 16-bit number. */
  public void field(int index, int field, char value) {
    arguments.frame().put(index, fieldOffset(index, field, ElementType.CHAR), (short) value);
  }

  /** Passes a {@code short} field of a structure. */
  public void field(int index, int field, short value) {
    arguments.frame().put(index, fieldOffset(index, field, ElementType.SHORT), value);
  }

  /** Passes an {@code int} field of a structure. */
  public void field(int index, int field, int value) {
    arguments.frame().put(index, fieldOffset(index, field, ElementType.INT), value);
  }

  /** Passes a {@code long} field of a structure. */
  public void field(int index, int field, long value) {
    arguments.frame().put(index, fieldOffset(index, field, ElementType.LONG), value);
  }

  /** Passes a {@code float} field of a structure. */
  public void field(int index, int field, float value) {
    int offset = fieldOffset(index, field, ElementType.FLOAT);
    arguments.frame().put(index, offset, Float.floatToRawIntBits(value));
  }

  /** Passes a {@code double} field of a structure. */
  public void field(int index, int field, double value) {
    int offset = fieldOffset(index, field, ElementType.DOUBLE);
    arguments.frame().put(index, offset, Double.doubleToRawLongBits(value));
  }

  /** Passes an array that the kernel reads. */
  public void reads(int index, DeviceArray<?> array) {
    buffer(index, array, Access.READ);
  }

  /** Passes an array that the kernel overwrites. */
  public void writes(int index, DeviceArray<?> array) {
    buffer(index, array, Access.WRITE);
  }

  /** Passes an array that the kernel reads and writes. */
  public void readWrites(int index, DeviceArray<?> array) {
    buffer(index, array, Access.READ_WRITE);
  }

  /**
   * Passes an untracked device address: the caller orders every use of it. Permissive recorders
   * only.
   *
   * @throws StreamMisuseException if the recorder is strict
   */
  public void untracked(int index, long address) {
    requireRecording("passes an argument");
    arguments.untracked(index, address);
  }

  /**
   * Shapes the launch by a number of threads: {@code ceil(threads / blockSize)} blocks. 0 launches
   * nothing.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public void threads(long threads) {
    requireRecording("is shaped");
    grid.threads(threads);
  }

  /** Shapes the launch. An empty grid launches nothing. */
  public void shape(LaunchShape shape) {
    requireRecording("is shaped");
    grid.shape(shape);
  }

  /** Sets the dynamic shared memory per block of this launch, in bytes. */
  public void dynamicSharedBytes(int bytes) {
    requireRecording("is shaped");
    grid.dynamicSharedBytes(bytes);
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
  public void preflight() {
    Submission submission = requireOpen();
    arguments.requireComplete();
    grid.requireLaunchable();
    submission.preflight();
  }

  /**
   * Queues the kernel, unless the grid is empty.
   *
   * @throws CudaDriverException if the driver refuses; its {@code purpose} names kernel and stream
   */
  public void launch() {
    Submission submission = requireOpen();
    submission.requirePreflighted("launches");
    if (state != State.BEGUN && state != State.REFUSED) {
      state = state == State.LAUNCHED ? State.LAUNCHED_TWICE : state;
      throw new StreamMisuseException(purpose + " launches twice; begin again for each launch");
    }
    if (grid.isEmpty()) {
      state = State.LAUNCHED;
      return;
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
  }

  /**
   * Commits the launch, with an event that covers it when other streams are in use.
   *
   * @throws StreamMisuseException if {@link #launch} was not called
   * @throws CudaDriverException if the driver can neither record that event nor wait; the device is
   *     then lost
   */
  public void commit() {
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
      return signature.use(index);
    }
  }

  private void buffer(int index, DeviceArray<?> array, Access access) {
    arguments.buffer(index, array, access, requireRecording("passes an argument"), labels);
  }

  private int fieldOffset(int index, int field, ElementType type) {
    requireRecording("passes an argument");
    return arguments.field(index, field, type);
  }

  private ArgumentFrame arguments(int index, ElementType type) {
    requireRecording("passes an argument");
    return arguments.value(index, type);
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
