package dev.streamfence.launch;

import dev.streamfence.Access;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.LaunchShape;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.LaunchObserver;
import dev.streamfence.memory.Block;
import dev.streamfence.stream.Submission;
import dev.streamfence.stream.UseLabels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Launches one kernel on one stream, over and over: {@link #begin}, the arguments, the shape,
 * {@link #preflight}, {@link #launch}, {@link #commit}, {@link #close}. Preflight checks everything
 * and queues the waits; a launch that is closed before its commit is ordered all the same if it may
 * have been queued.
 *
 * <p>Thread-safe: threads take turns from {@code begin} to {@code close}, which have to be in the
 * same thread; nothing but this recorder's own methods may be called in between. No method
 * synchronises or, after the first launch, allocates memory.
 */
public final class LaunchRecorder implements AutoCloseable, UseLabels {
  private final LoadedKernel kernel;
  private final KernelSignature signature;
  private final KernelParameter[] parameters;
  private final DeviceStream stream;
  private final CudaDriver driver;
  private final @Nullable LaunchObserver observer;
  private final ArgumentFrame frame;
  private final boolean strict;
  private final boolean synchronous;
  private final boolean[] given;
  private final @Nullable DeviceArray<?>[] arrays;

  // What follows belongs to the thread that holds the submission lock.
  private @Nullable Submission open;
  private boolean shaped;
  private boolean launched;
  private boolean committed;
  private int gridX;
  private int gridY;
  private int gridZ;
  private int blockX;
  private int blockY;
  private int blockZ;
  private int dynamicShared;

  LaunchRecorder(LoadedKernel kernel, DeviceStream stream, ArgumentFrame frame, boolean strict) {
    this.kernel = kernel;
    this.signature = kernel.signature();
    List<KernelParameter> declared = signature.parameters();
    this.parameters = declared.toArray(new KernelParameter[0]);
    this.stream = stream;
    this.driver = kernel.runtime().driver();
    this.observer = driver.launchObserver();
    this.frame = frame;
    this.strict = strict;
    this.synchronous = kernel.runtime().isSynchronous();
    this.given = new boolean[parameters.length];
    this.arrays = new DeviceArray<?>[parameters.length];
  }

  /**
   * Begins a launch. Waits while another thread is between this and {@link #close} on the same
   * stream.
   *
   * @return this recorder
   * @throws StreamMisuseException if the stream is closed, or this thread has a launch open on it
   * @throws CudaDriverException if the device is lost
   */
  public LaunchRecorder begin() {
    open = stream.timeline().begin(this);
    Arrays.fill(given, false);
    shaped = false;
    launched = false;
    committed = false;
    dynamicShared = signature.dynamicSharedBytes();
    return this;
  }

  /** Passes a {@code boolean}, as one byte. */
  public void value(int index, boolean value) {
    frame.put(checked(index, ElementType.BOOLEAN), (byte) (value ? 1 : 0));
  }

  /** Passes a {@code byte}. */
  public void value(int index, byte value) {
    frame.put(checked(index, ElementType.BYTE), value);
  }

  /** Passes a {@code char}, as an unsigned 16-bit number. */
  public void value(int index, char value) {
    frame.put(checked(index, ElementType.CHAR), (short) value);
  }

  /** Passes a {@code short}. */
  public void value(int index, short value) {
    frame.put(checked(index, ElementType.SHORT), value);
  }

  /** Passes an {@code int}. */
  public void value(int index, int value) {
    frame.put(checked(index, ElementType.INT), value);
  }

  /** Passes a {@code long}. */
  public void value(int index, long value) {
    frame.put(checked(index, ElementType.LONG), value);
  }

  /** Passes a {@code float}. */
  public void value(int index, float value) {
    frame.put(checked(index, ElementType.FLOAT), Float.floatToRawIntBits(value));
  }

  /** Passes a {@code double}. */
  public void value(int index, double value) {
    frame.put(checked(index, ElementType.DOUBLE), Double.doubleToRawLongBits(value));
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
   * Passes a device address that nobody tracks: the caller orders every use of it. Permissive
   * recorders only.
   *
   * @throws StreamMisuseException by a strict recorder
   */
  public void untracked(int index, long address) {
    requireRecording("passes an argument");
    KernelParameter parameter = parameter(index);
    if (strict) {
      throw new StreamMisuseException(
          use(index)
              + " is an address that is not tracked; pass a DeviceArray, or use a permissive recorder");
    }
    if (!(parameter instanceof KernelParameter.Buffer)) {
      throw new IllegalArgumentException(use(index) + " is a number, not an array");
    }
    frame.put(index, address);
    arrays[index] = null;
    given[index] = true;
  }

  /**
   * Shapes the launch by a number of threads: {@code ceil(threads / blockSize)} blocks. With 0
   * nothing is launched.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public void threads(long threads) {
    if (threads < 0) {
      String name = signature.threadCount();
      throw new IllegalArgumentException(
          signature.entry()
              + ": "
              + (name.isEmpty() ? "the number of threads" : "parameter '" + name + "'")
              + " is "
              + threads
              + "; a launch has at least 0 threads");
    }
    int block = signature.blockSize();
    long blocks = threads / block + (threads % block == 0 ? 0 : 1);
    requireRecording("is shaped");
    if (blocks > Integer.MAX_VALUE) {
      kernel.requireLaunchable(blocks, 1, 1, block, 1, 1, dynamicShared);
    }
    set((int) blocks, 1, 1, block, 1, 1);
  }

  /** Shapes the launch. An empty grid launches nothing. */
  public void shape(LaunchShape shape) {
    requireRecording("is shaped");
    if (shape == null) {
      throw new IllegalArgumentException(
          signature.entry() + ": parameter '" + signature.launchShape() + "' is null");
    }
    dynamicShared = shape.dynamicSharedBytes();
    set(
        shape.gridX(),
        shape.gridY(),
        shape.gridZ(),
        shape.blockX(),
        shape.blockY(),
        shape.blockZ());
  }

  /** Sets the dynamic shared memory per block of this launch, in bytes. */
  public void dynamicSharedBytes(int bytes) {
    requireRecording("is shaped");
    if (bytes < 0) {
      throw new IllegalArgumentException(
          signature.entry()
              + ": parameter '"
              + signature.dynamicSharedBytesParameter()
              + "' is "
              + bytes
              + "; dynamic shared memory has at least 0 bytes");
    }
    dynamicShared = bytes;
  }

  /**
   * Checks the arguments and the shape, registers the launch on every array at once, and queues the
   * waits. Nothing is registered or queued when an argument is refused.
   *
   * @throws IllegalArgumentException if an argument or the shape is missing or too large
   * @throws UseAfterFreeException if an array is closed
   * @throws StreamMisuseException if the launch depends on one that this thread has not committed
   * @throws CudaDriverException if a wait cannot be queued
   */
  public void preflight() {
    Submission submission = requireOpen();
    for (int i = 0; i < given.length; i++) {
      if (!given[i]) {
        throw new IllegalArgumentException(use(i) + " was not passed");
      }
    }
    if (!shaped) {
      throw new IllegalArgumentException(
          signature.entry() + ": neither threads nor a shape was passed");
    }
    kernel.requireLaunchable(gridX, gridY, gridZ, blockX, blockY, blockZ, dynamicShared);
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
    if (launched) {
      throw new StreamMisuseException(purpose() + " launches twice; begin again for each launch");
    }
    launched = true;
    if (gridX == 0 || gridY == 0 || gridZ == 0) {
      return;
    }
    if (observer != null) {
      declareUses(observer, submission.ticket());
    }
    try {
      driver.launchKernel(
          kernel.function(),
          gridX,
          gridY,
          gridZ,
          blockX,
          blockY,
          blockZ,
          dynamicShared,
          stream.timeline().stream(),
          frame.memory());
    } catch (CudaDriverException e) {
      throw kernel.runtime().faults().note(e, "the launch of " + purpose());
    }
  }

  /**
   * Makes the launch known to whoever has to wait for it.
   *
   * @throws StreamMisuseException if {@link #launch} was not called
   * @throws CudaDriverException if it can be made known neither by an event nor by waiting; the
   *     device is lost then
   */
  public void commit() {
    Submission submission = requireOpen();
    if (!launched) {
      throw new StreamMisuseException(purpose() + " is committed before it is launched");
    }
    if (gridX == 0 || gridY == 0 || gridZ == 0) {
      submission.commitWithoutEvent();
    } else {
      submission.commit();
      committed = true;
    }
  }

  /** Ends the launch, however it went, and lets the next thread have the stream. */
  @Override
  public void close() {
    Submission submission = open;
    if (submission != null && submission.isHeldByCurrentThread()) {
      open = null;
      Arrays.fill(arrays, null);
      boolean wait = synchronous && committed;
      submission.close();
      if (wait) {
        stream.timeline().synchronize("the launch of " + purpose());
      }
    }
  }

  /** Kernel and stream, for errors. */
  @Override
  public String purpose() {
    return signature.entry() + " on stream " + stream.id();
  }

  /** Kernel and parameter, for errors. */
  @Override
  public String use(int index) {
    return signature.entry() + ": parameter '" + parameters[index].name() + "'";
  }

  /** For a driver that verifies launches, which is not one that anybody measures. */
  private void declareUses(LaunchObserver to, long ticket) {
    List<LaunchObserver.Use> uses = new ArrayList<>();
    for (int i = 0; i < parameters.length; i++) {
      if (parameters[i] instanceof KernelParameter.Buffer buffer) {
        DeviceArray<?> array = arrays[i];
        Block block = array == null ? null : array.block();
        if (block != null) {
          uses.add(
              new LaunchObserver.Use(
                  buffer.name(),
                  block.address(),
                  block.sizeInBytes(),
                  buffer.access().reads(),
                  buffer.access().writes()));
        } else if (array == null) {
          uses.add(new LaunchObserver.Use(buffer.name(), frame.getLong(i), 0, true, true));
        }
      }
    }
    to.launching(purpose(), stream.timeline().stream(), ticket, uses);
  }

  private void buffer(int index, DeviceArray<?> array, Access access) {
    Submission submission = requireRecording("passes an argument");
    if (!(parameter(index) instanceof KernelParameter.Buffer declared)) {
      throw new IllegalArgumentException(use(index) + " is a number, not an array");
    }
    if (array == null) {
      throw new IllegalArgumentException(use(index) + " is null");
    }
    if (array.runtime() != kernel.runtime()) {
      throw new StreamMisuseException(
          use(index)
              + " is "
              + array
              + " of "
              + array.runtime()
              + ", the launch is on "
              + stream
              + ": they belong to two runtimes");
    }
    if (array.elementType() != declared.elementType()) {
      throw new IllegalArgumentException(
          use(index)
              + " is "
              + array
              + "; the kernel takes an array of "
              + declared.elementType().primitive());
    }
    if (access != declared.access()) {
      throw new IllegalArgumentException(
          use(index) + " is recorded as " + access + "; the signature says " + declared.access());
    }
    Block block = array.block();
    if (block != null) {
      if (strict || block.isTracked()) {
        block.requireTracked(this, index);
        submission.use(block.dependencies(), access.reads(), access.writes(), index);
      } else if (!array.isOpen()) {
        throw new UseAfterFreeException(use(index), block.toString(), block.generation(), null);
      }
      frame.put(index, block.address());
    } else if (array.isOpen()) {
      frame.put(index, 0L);
    } else {
      throw new UseAfterFreeException(use(index), "an empty array", 0, null);
    }
    arrays[index] = array;
    given[index] = true;
  }

  private int checked(int index, ElementType type) {
    requireRecording("passes an argument");
    if (!(parameter(index) instanceof KernelParameter.Value declared)) {
      throw new IllegalArgumentException(use(index) + " is an array, not a number");
    }
    if (declared.type() != type) {
      throw new IllegalArgumentException(
          use(index)
              + " is a "
              + type.primitive()
              + "; the signature says "
              + declared.type().primitive());
    }
    given[index] = true;
    return index;
  }

  private KernelParameter parameter(int index) {
    if (index < 0 || index >= parameters.length) {
      throw new IllegalArgumentException(
          signature.entry()
              + " has no parameter number "
              + index
              + "; it takes "
              + parameters.length);
    }
    return parameters[index];
  }

  private void set(
      int newGridX, int newGridY, int newGridZ, int newBlockX, int newBlockY, int newBlockZ) {
    gridX = newGridX;
    gridY = newGridY;
    gridZ = newGridZ;
    blockX = newBlockX;
    blockY = newBlockY;
    blockZ = newBlockZ;
    shaped = true;
  }

  private Submission requireOpen() {
    Submission submission = open;
    if (submission == null || !submission.isHeldByCurrentThread()) {
      throw new StreamMisuseException(
          purpose() + " is not begun; the order is begin, arguments, preflight, launch, commit");
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
    return (strict ? "strict" : "permissive") + " recorder of " + purpose();
  }
}
