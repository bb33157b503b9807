package dev.streamfence;

import dev.streamfence.driver.CallCounts;
import dev.streamfence.driver.CountingDriver;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.DeviceProperties;
import dev.streamfence.driver.DriverCall;
import dev.streamfence.driver.jcuda.JCudaDevices;
import dev.streamfence.memory.Block;
import dev.streamfence.memory.DeviceCopies;
import dev.streamfence.memory.StreamOrderedResource;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.stream.FaultLatch;
import dev.streamfence.stream.StreamPool;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
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

  private final CountingDriver driver;
  private final boolean simulated;
  private final FaultLatch faults = new FaultLatch();
  private final StreamPool pool;
  private final StreamOrderedResource resource;
  private final DeviceCopies copies;
  private final DeviceStreams streams;
  private final DeviceMemory memory;
  private final Map<Class<?>, AutoCloseable> attachments = new LinkedHashMap<>();
  private final AtomicReference<Life> life = new AtomicReference<>(Life.OPEN);

  /** Composes a runtime over a driver that it closes; tests put their own in front of a device. */
  DeviceRuntime(CudaDriver device, boolean simulated, RuntimeOptions options) {
    this.driver = new CountingDriver(device);
    this.simulated = simulated;
    this.pool = new StreamPool(driver, faults, options.streams());
    this.resource = new StreamOrderedResource(pool, options.traceAllocations());
    this.copies = new DeviceCopies(pool);
    this.streams = new DeviceStreams(this, pool);
    this.memory = new DeviceMemory(this, resource);
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
    return new DeviceRuntime(JCudaDevices.open(ordinal), false, options);
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
    return new DeviceRuntime(device.open(), true, options);
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
        counts.of(DriverCall.LAUNCH_KERNEL),
        counts.total(),
        counts.of(DriverCall.WAIT_FOR_EVENT),
        counts.of(DriverCall.RECORD_EVENT),
        resource.bytesOutstanding());
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
   */
  @Override
  public void close() {
    if (!life.compareAndSet(Life.OPEN, Life.CLOSING)) {
      return;
    }
    reportLeaks();
    Deque<Runnable> steps = new ArrayDeque<>();
    steps.add(driver::close);
    steps.addFirst(pool::destroy);
    steps.addFirst(copies::destroy);
    for (Block block : resource.live()) {
      steps.addFirst(() -> resource.deallocate(block));
    }
    synchronized (attachments) {
      attachments.values().forEach(attachment -> steps.addFirst(() -> closeQuietly(attachment)));
    }
    if (faults.fault() == null) {
      steps.addFirst(() -> pool.synchronizeAll("closing " + this));
    }
    RuntimeException failure = null;
    for (Runnable step : steps) {
      try {
        step.run();
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    life.set(Life.CLOSED);
    // On a lost device every one of these calls answers the same error; it has been thrown where it
    // arose.
    if (failure != null && faults.fault() == null) {
      throw failure;
    }
  }

  /** What the device is, for the launch room. */
  public DeviceProperties properties() {
    return driver.properties();
  }

  /** The driver, for the launch room. */
  public CudaDriver driver() {
    return driver;
  }

  /** The device's fatal error, for the launch room. */
  public FaultLatch faults() {
    return faults;
  }

  /**
   * What another room keeps per runtime: made at the first call, and closed with the runtime before
   * its streams.
   *
   * @param type identifies it
   */
  public <T extends AutoCloseable> T attachment(Class<T> type, Function<DeviceRuntime, T> factory) {
    requireOpen();
    synchronized (attachments) {
      AutoCloseable existing = attachments.get(type);
      if (existing == null) {
        existing = factory.apply(this);
        attachments.put(type, existing);
      }
      return type.cast(existing);
    }
  }

  DeviceCopies copies() {
    return copies;
  }

  StreamOrderedResource resource() {
    return resource;
  }

  void release(dev.streamfence.stream.Timeline timeline) {
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
    Collection<Block> leaked = resource.live();
    if (!leaked.isEmpty()) {
      System.Logger logger = System.getLogger(DeviceRuntime.class.getName());
      logger.log(
          System.Logger.Level.WARNING, "{0} is closed with {1} open arrays", this, leaked.size());
      leaked.forEach(
          block -> logger.log(System.Logger.Level.WARNING, "open: " + block, block.allocatedAt()));
    }
  }

  private static void closeQuietly(AutoCloseable attachment) {
    try {
      attachment.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new DeviceException("closing " + attachment + " failed", e);
    }
  }

  @Override
  public String toString() {
    DeviceProperties properties = driver.properties();
    return properties.name() + " (device " + properties.ordinal() + ")";
  }
}
