package dev.streamfence;

import dev.streamfence.internal.driver.CallCounts;
import dev.streamfence.internal.driver.CountingDriver;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.DriverCall;
import dev.streamfence.internal.driver.jcuda.JCudaDevices;
import dev.streamfence.internal.memory.Block;
import dev.streamfence.internal.memory.DeviceCopies;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.FaultLatch;
import dev.streamfence.internal.order.Life;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.simulation.SimulatedDevice;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One open device: its streams, its memory and the kernels loaded on it. The device is a GPU, or a
 * simulated one that runs the same PTX on the CPU.
 *
 * <p>Thread-safe. Arrays and streams of one runtime cannot be used with another.
 */
public final class DeviceRuntime implements AutoCloseable {
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

  /** Used only by the closing thread. */
  private final Teardown teardown = new Teardown();

  DeviceRuntime(Opening opening) {
    this.driver = new CountingDriver(opening.driver());
    this.simulated = opening.simulated();
    this.shared = opening.shared();
    this.options = opening.options();
    this.pool = new StreamPool(driver, faults, options.streams(), this::toString);
    this.stack = new MemoryStack(pool, options, opening.backend());
    this.arrays =
        new OpenArrays(
            stack.budget(), options.guardMemory() || options.directMemory(), pool.life());
    this.copies = opening.copies().apply(pool);
    this.streams = new DeviceStreams(this, pool);
    this.memory = new DeviceMemory(this, stack, arrays);
    this.watcher = new CompletionWatcher("completions of " + this);
  }

  /**
   * Opens a GPU.
   *
   * @param ordinal its number, from 0
   * @throws DeviceException if there is no driver, no such device, or the device cannot be used;
   *     the message says what was looked for
   */
  public static DeviceRuntime open(int ordinal) {
    return open(ordinal, RuntimeOptions.defaults());
  }

  /** Opens a GPU, see {@link #open(int)}. */
  public static DeviceRuntime open(int ordinal, RuntimeOptions options) {
    Objects.requireNonNull(options, "options");
    return Opening.of(JCudaDevices.open(ordinal), false, options).open();
  }

  /**
   * The runtime of a GPU that the whole process shares. The first call opens it with default
   * options; every call returns the same runtime. If opening fails, the next call tries again.
   *
   * <p>It lives as long as the process: {@link #close} refuses it, since other code may be using
   * it. Runtimes from {@link #open} stay separate.
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
   * device, and JCuda's natives for this platform are on the class path. Never throws. Logs if the
   * natives may be all that is missing.
   */
  public static boolean isGpuAvailable() {
    return JCudaDevices.isAvailable();
  }

  /** Opens a simulated device with default settings. No GPU and no CUDA driver are needed. */
  public static DeviceRuntime simulated() {
    return simulated(SimulatedDevice.builder().build());
  }

  /**
   * Opens a simulated device that the caller has set up. The caller can inspect it, and inject
   * failures into it, while it is in use.
   */
  public static DeviceRuntime simulated(SimulatedDevice device) {
    return simulated(device, RuntimeOptions.defaults());
  }

  /** Opens a simulated device, see {@link #simulated(SimulatedDevice)}. */
  public static DeviceRuntime simulated(SimulatedDevice device, RuntimeOptions options) {
    Objects.requireNonNull(options, "options");
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

  /** Counts of what this runtime has done so far. */
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
   * Waits until everything queued on any stream so far is done. An interrupt does not end the wait;
   * the thread stays interrupted.
   *
   * @throws CudaDriverException if some of it failed
   * @throws RuntimeClosedException if the runtime is closed
   */
  public void synchronize() {
    pool.life().enter();
    try {
      pool.synchronizeAll("synchronizing " + this);
    } finally {
      pool.life().leave();
    }
  }

  /**
   * Waits like {@link #synchronize()}, but no longer than a timeout.
   *
   * @param timeout at least 0
   * @return whether everything is done
   * @throws InterruptedException if the thread is interrupted before or while it waits
   * @throws CudaDriverException if some of it failed
   * @throws RuntimeClosedException if the runtime is closed
   */
  public boolean synchronize(Duration timeout) throws InterruptedException {
    Deadline deadline = Deadline.after(timeout);
    pool.life().requireOpen();
    return pool.synchronizeAll(deadline);
  }

  /** Whether it is open: no thread has closed it or begun to. */
  public boolean isOpen() {
    return pool.life().isOpen();
  }

  /**
   * Waits for all work, then frees everything that belongs to the device. Reports arrays that are
   * still open through the logger named after this class, with their allocation site if it is
   * traced, and frees them.
   *
   * <p>Closing waits for operations that other threads have already begun; operations begun later
   * throw a {@link RuntimeClosedException}. A launch whose thread has ended without closing it is
   * reported through the same logger with its thread, and closed. So is a launch that is still open
   * {@link RuntimeOptions#abandonedLaunchTimeout} after closing began, while its thread does
   * something else. Closing again does nothing, but waits while another thread closes. An interrupt
   * does not end the wait; the thread stays interrupted.
   *
   * @throws CudaDriverException the first failure; everything else was closed regardless
   * @throws StreamMisuseException if this thread is inside an operation of the runtime, or has a
   *     launch open
   * @throws IllegalStateException if this is the {@link #shared} runtime, which is never closed
   */
  @Override
  public void close() {
    requireMayClose();
    try {
      if (pool.life().beginClosing(null)) {
        closeUntil(null);
      }
    } catch (InterruptedException e) {
      throw new AssertionError("a wait without a deadline ends with what it waits for", e);
    }
  }

  /**
   * Closes like {@link #close()}, unless operations of other threads or queued work take longer
   * than a timeout. After a timeout the runtime refuses all operations but has freed nothing; a
   * later call continues.
   *
   * @param timeout at least 0
   * @return whether it is closed
   * @throws InterruptedException if the thread is interrupted before or while it waits; the runtime
   *     is then as after a timeout
   */
  public boolean close(Duration timeout) throws InterruptedException {
    Deadline deadline = Deadline.after(timeout);
    requireMayClose();
    return pool.life().beginClosing(deadline) ? closeUntil(deadline) : pool.life().isClosed();
  }

  private void requireMayClose() {
    if (shared) {
      throw new IllegalStateException(
          this + " is shared by the whole process and stays open; open one to close it");
    }
    if (pool.life().isEntered()) {
      throw new StreamMisuseException(
          this
              + " is closed by a thread that is inside of one of its operations or has a launch"
              + " open on it; end that first");
    }
  }

  /** Closes as the closing thread; returns whether the runtime is then closed. */
  private boolean closeUntil(@Nullable Deadline deadline) throws InterruptedException {
    boolean isQuiet = false;
    try {
      isQuiet = awaitQuiet(deadline);
    } finally {
      if (!isQuiet) {
        pool.life().pauseClosing();
      }
    }
    if (isQuiet) {
      try {
        closeAlone();
      } finally {
        pool.life().endClosing();
      }
    }
    return isQuiet;
  }

  /** Waits for other threads and, if there is a deadline, for the device as well. */
  private boolean awaitQuiet(@Nullable Deadline deadline) throws InterruptedException {
    if (!pool.awaitAlone(
        options.abandonedLaunchTimeout(), DeviceRuntime::warn, teardown, deadline)) {
      return false;
    }
    try {
      return deadline == null || faults.fault() != null || pool.synchronizeAll(deadline);
    } catch (CudaDriverException e) {
      // Closing meets the error again, and throws it when everything else is closed.
      return true;
    }
  }

  private void closeAlone() {
    boolean wasLost = faults.fault() != null;
    Teardown waiting = new Teardown();
    if (!wasLost) {
      waiting.step(() -> pool.synchronizeAll("closing " + this));
    }
    boolean isDeviceDone = !waiting.hasFailed();
    teardown.step(waiting::finish);
    teardown.step(this::reportLeaks);
    teardown.step(() -> attachments.close(teardown));
    teardown.step(
        () -> arrays.blocks().forEach(block -> teardown.step(() -> arrays.freeAtEnd(block))));
    teardown.step(stack::close);
    teardown.step(() -> copies.destroy(isDeviceDone));
    teardown.step(pool::destroy);
    teardown.step(driver::close);
    try {
      teardown.finish();
    } catch (RuntimeException e) {
      // On a device lost earlier, each of these calls returns the same error again.
      if (!wasLost) {
        throw e instanceof CudaDriverException error ? faults.note(error, "closing " + this) : e;
      }
    }
  }

  Completion completion(Timeline timeline, long ticket, String purpose) {
    return new Completion(watcher, timeline, ticket, purpose);
  }

  void noteAbandoned(String purpose) {
    abandonedLaunches.increment();
    warn(purpose + " was closed between preflight and commit; its arrays count as used by it");
  }

  private static void warn(String fact) {
    System.getLogger(DeviceRuntime.class.getName()).log(System.Logger.Level.WARNING, fact);
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

  /** Whether it is open, and which threads are using it. */
  Life life() {
    return pool.life();
  }

  void release(Timeline timeline) {
    if (pool.life().tryEnter()) {
      try {
        pool.release(timeline);
      } finally {
        pool.life().leave();
      }
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
