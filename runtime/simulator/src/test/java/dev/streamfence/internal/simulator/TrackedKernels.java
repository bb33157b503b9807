package dev.streamfence.internal.simulator;

import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.simulator.BreakableTracker.Access;
import dev.streamfence.internal.simulator.BreakableTracker.Allocation;
import dev.streamfence.internal.simulator.BreakableTracker.Lane;
import dev.streamfence.internal.simulator.BreakableTracker.Pending;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/** The operations of a program on arrays of {@value #N} ints, ordered by a tracker. */
final class TrackedKernels {
  static final int N = 16;
  static final int BYTES = 4 * N;

  final BreakableTracker tracker;
  private final SimulatedDevice device;
  private final CudaDriver driver;
  private final LaunchObserver observer;
  private final FunctionHandle increment;
  private final FunctionHandle add;
  private final HostMemory frame;
  private final HostMemory host;

  TrackedKernels(SimulatedDevice device, Bug bug) {
    this.device = device;
    this.driver = Inside.open(device);
    this.observer = Objects.requireNonNull(driver.launchObserver());
    this.tracker = new BreakableTracker(bug, driver);
    ModuleHandle module = driver.loadModule("vector.ptx", ptx());
    increment = driver.function(module, "increment");
    add = driver.function(module, "add");
    frame = driver.allocateHost(64);
    for (int i = 0; i < 4; i++) {
      frame.buffer().putLong(8 * i, frame.address() + 32 + 8 * i);
    }
    host = driver.allocateHost(BYTES);
  }

  SimulatedDevice device() {
    return device;
  }

  Lane lane() {
    return tracker.lane();
  }

  Allocation allocate(Lane lane) {
    return tracker.allocate(lane, BYTES);
  }

  /** An array of zeros. */
  Allocation zeros(Lane lane) {
    Allocation allocation = allocate(lane);
    fill(lane, allocation);
    return allocation;
  }

  void increment(Lane lane, Allocation values) {
    Pending launch = prepareIncrement(lane, values);
    launch.launch();
    launch.commit();
  }

  Pending prepareIncrement(Lane lane, Allocation values) {
    return tracker.prepare(
        lane, List.of(new Access(values, true, true)), () -> launchIncrement(lane, values));
  }

  private void launchIncrement(Lane lane, Allocation values) {
    boolean lies = tracker.has(Bug.STORE_THROUGH_A_READ);
    boolean silent = tracker.has(Bug.ALLOCATION_BEHIND_A_NUMBER);
    observer.launching(
        "increment on " + lane.key,
        lane.handle,
        lane.submitted + 1,
        silent ? List.of() : List.of(use("values", values, true, !lies)));
    frame.buffer().putLong(32, values.address).putInt(40, (int) (values.bytes / 4));
    driver.launchKernel(new KernelLaunch(increment, false, lane.handle, frame).block(32, 1, 1));
  }

  /** {@code sum = a + b}. */
  void add(Lane lane, Allocation a, Allocation b, Allocation sum) {
    tracker.use(
        lane,
        List.of(
            new Access(a, true, false), new Access(b, true, false), new Access(sum, false, true)),
        () -> {
          boolean lies = tracker.has(Bug.LOAD_THROUGH_A_WRITE);
          observer.launching(
              "add on " + lane.key,
              lane.handle,
              lane.submitted + 1,
              List.of(
                  use("a", a, !lies, lies),
                  use("b", b, true, false),
                  use("sum", sum, false, true)));
          frame.buffer().putLong(32, a.address).putLong(40, b.address);
          frame.buffer().putLong(48, sum.address).putInt(56, (int) (sum.bytes / 4));
          driver.launchKernel(new KernelLaunch(add, false, lane.handle, frame).block(32, 1, 1));
        });
  }

  /** Reads an array into another one that nothing else uses. */
  void read(Lane lane, Allocation allocation) {
    Allocation own = allocate(lane);
    add(lane, allocation, allocation, own);
  }

  void fill(Lane lane, Allocation allocation) {
    tracker.use(
        lane,
        tracker.has(Bug.FILL_NOT_REGISTERED)
            ? List.of()
            : List.of(new Access(allocation, false, true)),
        () ->
            driver.fillAsync(
                allocation.address, Integer.BYTES, 0, allocation.bytes / 4, lane.handle));
  }

  void copy(Lane lane, Allocation source, Allocation target) {
    Access reads = new Access(source, true, false);
    Access writes = new Access(target, false, true);
    List<Access> accesses =
        switch (tracker.bug) {
          case COPY_NOT_REGISTERED -> List.of();
          case COPY_SOURCE_NOT_REGISTERED -> List.of(writes);
          case COPY_DESTINATION_NOT_REGISTERED -> List.of(reads);
          default -> List.of(reads, writes);
        };
    tracker.use(
        lane,
        accesses,
        () -> driver.copyOnDeviceAsync(target.address, source.address, BYTES, lane.handle));
  }

  void upload(Lane lane, Allocation allocation) {
    tracker.use(
        lane,
        tracker.has(Bug.UPLOAD_NOT_REGISTERED)
            ? List.of()
            : List.of(new Access(allocation, false, true)),
        () -> driver.copyToDeviceAsync(allocation.address, host, 0, BYTES, lane.handle));
  }

  /** Queues a copy to the host and does not wait for it. */
  void download(Lane lane, Allocation allocation) {
    tracker.use(
        lane,
        tracker.has(Bug.DOWNLOAD_NOT_REGISTERED)
            ? List.of()
            : List.of(new Access(allocation, true, false)),
        () -> driver.copyToHostAsync(host, 0, allocation.address, BYTES, lane.handle));
  }

  /** A fill that the program has ordered itself. */
  void fillOrdered(Lane lane, Allocation allocation) {
    driver.fillAsync(allocation.address, Integer.BYTES, 0, allocation.bytes / 4, lane.handle);
  }

  private static Use use(String parameter, Allocation allocation, boolean reads, boolean writes) {
    return new Use(parameter, allocation.address, allocation.bytes, reads, writes);
  }

  private static byte[] ptx() {
    try (InputStream in =
        Objects.requireNonNull(TrackedKernels.class.getResourceAsStream("/kernels/vector.ptx"))) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
