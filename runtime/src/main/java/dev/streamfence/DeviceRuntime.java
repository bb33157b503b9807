package dev.streamfence;

import dev.streamfence.driver.CallCounts;
import dev.streamfence.driver.CountingDriver;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.DeviceProperties;
import dev.streamfence.driver.DriverCall;
import dev.streamfence.driver.jcuda.JCudaDevices;
import dev.streamfence.memory.Block;
import dev.streamfence.memory.DeviceCopies;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.stream.FaultLatch;
import dev.streamfence.stream.StreamPool;
import dev.streamfence.stream.Teardown;
import dev.streamfence.stream.Timeline;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * One device, opened: its streams, its memory and the kernels loaded on it. The device is a GPU, or
 * a simulated one that runs the same PTX on the CPU.
 *
 * <p>Thread-safe. Arrays and streams of one runtime cannot be used with another.
 */
public final class DeviceRuntime implements AutoCloseable {
  private enum Life {
    OPEN,
    CLOSING,
    CLOSED
  }

  private static final SharedRuntimes SHARED = new SharedRuntimes(DeviceRuntime::openShared);

  private static final AtomicLong OPENED = new AtomicLong();

  private final long number = OPENED.incrementAndGet();
  private final CountingDriver driver;
  private final boolean simulated;
  private final boolean shared;
  private final RuntimeOptions options;
  private final FaultLatch faults = new FaultLatch();
  private final StreamPool pool;
  private final MemoryStack stack;
  private final OpenArrays arrays;
  private final DeviceCopies copies;
  private final DeviceStreams streams;
  private final DeviceMemory memory;
  private final Attachments attachments = new Attachments(this);
  private final CompletionWatcher watcher;
  private final LongAdder abandonedLaunches = new LongAdder();
  private final AtomicReference<Life> life = new AtomicReference<>(Life.OPEN);

  DeviceRuntime(Opening opening) {
    this.driver = new CountingDriver(opening.driver());
    this.simulated = opening.simulated();
    this.shared = opening.shared();
    this.options = opening.options();
    this.pool = new StreamPool(driver, faults, options.streams());
    this.stack = new MemoryStack(pool, options, opening.backend());
    this.arrays = new OpenArrays(stack.budget(), options.guardMemory() || options.directMemory());
    this.copies = opening.copies().apply(pool);
    this.streams = new DeviceStreams(this, pool);
    this.memory = new DeviceMemory(this, stack, arrays);
    this.watcher = new CompletionWatcher("completions of " + this);
  }

  /**
   * Opens a GPU.
   *
   * @param ordinal its number, from 0
   * @throws DeviceException if there is no driver, no such device, or it cannot be used; the
   *     message says what was looked for
   */
  public static DeviceRuntime open(int ordinal) {
    return open(ordinal, RuntimeOptions.defaults());
  }

  /** Opens a GPU, see {@link #open(int)}. */
  public static DeviceRuntime open(int ordinal, RuntimeOptions options) {
    return Opening.of(JCudaDevices.open(ordinal), false, options).open();
  }

  /**
   * The one runtime of a GPU that everybody in this process shares, opened by whoever asks first
   * with default options; every call returns the same one. If it cannot be opened, the next call
   * tries again.
   *
   * <p>It lives as long as the process: {@link #close} of it is refused, since nobody knows who
   * else uses it. What was opened with {@link #open} stays separate.
   *
   * @param ordinal its number, from 0
   * @throws DeviceException like {@link #open(int)}
   */
  public static DeviceRuntime shared(int ordinal) {
    return SHARED.get(ordinal);
  }

  private static DeviceRuntime openShared(int ordinal) {
    return Opening.of(JCudaDevices.open(ordinal), false, RuntimeOptions.defaults())
        .forTheProcess()
        .open();
  }

  /**
   * Whether {@link #open} of device 0 can succeed here: a CUDA driver is installed and sees a
   * device. Never throws.
   */
  public static boolean isGpuAvailable() {
    try {
      return JCudaDevices.count() > 0;
    } catch (DeviceException e) {
      return false;
    }
  }

  /** Opens a simulated device with default settings. No GPU and no CUDA driver are needed. */
  public static DeviceRuntime simulated() {
    return simulated(SimulatedDevice.builder().build());
  }

  /**
   * Opens a simulated device that the caller has set up, and may question and disturb while it is
   * in use.
   */
  public static DeviceRuntime simulated(SimulatedDevice device) {
    return simulated(device, RuntimeOptions.defaults());
  }

  /** Opens a simulated device, see {@link #simulated(SimulatedDevice)}. */
  public static DeviceRuntime simulated(SimulatedDevice device, RuntimeOptions options) {
    return Opening.of(device.open(), true, options).open();
  }

  /** The product's name, or {@code simulated device}. */
  public String deviceName() {
    return driver.properties().name();
  }

  /** Whether kernels run on the CPU. */
  public boolean isSimulated() {
    return simulated;
  }

  /** The streams of the device. */
  public DeviceStreams streams() {
    return streams;
  }

  /** The memory of the device. */
  public DeviceMemory memory() {
    return memory;
  }

  /** What has been done so far. */
  public RuntimeStatistics statistics() {
    CallCounts counts = driver.counts();
    return new RuntimeStatistics(
        counts.of(DriverCall.LAUNCH_KERNEL) + counts.of(DriverCall.LAUNCH_COOPERATIVE_KERNEL),
        abandonedLaunches.sum(),
        counts.total(),
        counts.of(DriverCall.WAIT_FOR_EVENT),
        counts.of(DriverCall.RECORD_EVENT),
        memory.bytesOutstanding(),
        memory.statistics());
  }

  /**
   * Waits until everything put on any stream so far is done.
   *
   * @throws CudaDriverException if some of it failed
   */
  public void synchronize() {
    requireOpen();
    pool.synchronizeAll("synchronizing " + this);
  }

  /** Whether it has not been closed. */
  public boolean isOpen() {
    return life.get() == Life.OPEN;
  }

  /**
   * Waits for all work, then frees everything that belongs to the device. Arrays that are still
   * open are reported through the logger named after this class, with where they were allocated if
   * that is traced, and freed. Closing again does nothing.
   *
   * @throws CudaDriverException the first failure, after which the rest was closed all the same
   * @throws IllegalStateException if it is {@link #shared}, which nobody closes
   */
  @Override
  public void close() {
    if (shared) {
      throw new IllegalStateException(
          this + " is shared by the whole process and stays open; open one to close it");
    }
    if (isOpen() && pool.isHeldByCurrentThread()) {
      throw new StreamMisuseException(
          this + " is closed by a thread that has a launch open on it; commit that first");
    }
    if (!life.compareAndSet(Life.OPEN, Life.CLOSING)) {
      return;
    }
    boolean wasLost = faults.fault() != null;
    arrays.stop();
    Teardown teardown = new Teardown();
    teardown.step(pool::stopIntake);
    if (!wasLost) {
      teardown.step(() -> pool.synchronizeAll("closing " + this));
    }
    boolean isDeviceDone = !teardown.hasFailed();
    reportLeaks();
    attachments.close(teardown);
    for (Block block : arrays.blocks()) {
      teardown.step(() -> arrays.freeAtEnd(block));
    }
    teardown.step(stack::close);
    teardown.step(() -> copies.destroy(isDeviceDone));
    teardown.step(pool::destroy);
    teardown.step(driver::close);
    life.set(Life.CLOSED);
    // On a device that was lost before, each of these calls answers the same error again.
    if (!wasLost) {
      try {
        teardown.finish();
      } catch (CudaDriverException e) {
        throw faults.note(e, "closing " + this);
      }
    }
  }

  Completion completion(Timeline timeline, long ticket, String purpose) {
    return new Completion(watcher, timeline, ticket, purpose);
  }

  void noteAbandoned(String purpose) {
    abandonedLaunches.increment();
    System.getLogger(DeviceRuntime.class.getName())
        .log(
            System.Logger.Level.WARNING,
            "{0} was closed between preflight and commit; its arrays count as used by it",
            purpose);
  }

  RuntimeOptions options() {
    return options;
  }

  CudaDriver driver() {
    return driver;
  }

  FaultLatch faults() {
    return faults;
  }

  /** See {@link RuntimeInternals#attachment}. */
  <T extends AutoCloseable> T attachment(Class<T> type, Function<DeviceRuntime, T> factory) {
    return attachments.get(type, factory);
  }

  DeviceCopies copies() {
    return copies;
  }

  void release(Timeline timeline) {
    if (isOpen()) {
      pool.release(timeline);
    }
  }

  void requireOpen() {
    if (!isOpen()) {
      throw new StreamMisuseException(this + " is closed");
    }
  }

  private void reportLeaks() {
    List<Block> leaked = arrays.blocks().stream().filter(block -> !arrays.isLost(block)).toList();
    if (!leaked.isEmpty()) {
      System.Logger logger = System.getLogger(DeviceRuntime.class.getName());
      logger.log(
          System.Logger.Level.WARNING, "{0} is closed with {1} open arrays", this, leaked.size());
      leaked.forEach(
          block -> logger.log(System.Logger.Level.WARNING, "open: " + block, block.allocatedAt()));
    }
  }

  @Override
  public String toString() {
    DeviceProperties properties = driver.properties();
    return properties.name() + " (device " + properties.ordinal() + ", runtime " + number + ")";
  }
}
