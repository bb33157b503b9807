package dev.streamfence;

import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.device.RuntimeOpener;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.memory.MemoryStatistics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;

/**
 * Several devices of one process: a runtime on each, with streams, memory and a budget of its own.
 * Arrays get from one to another by {@link ReadableArray#copyTo}. An error of one device, even one
 * that loses it, leaves the others usable.
 *
 * <p>Thread-safe. The group owns its runtimes: its {@link #close} closes them.
 */
public final class DeviceGroup implements AutoCloseable {
  private final List<DeviceRuntime> runtimes;
  private final AtomicLong taken = new AtomicLong();

  private DeviceGroup(List<DeviceRuntime> runtimes) {
    this.runtimes = runtimes;
  }

  /**
   * Opens all GPUs that the driver sees.
   *
   * @throws DeviceException as {@link #open(RuntimeOptions)}
   */
  public static DeviceGroup open() {
    return open(RuntimeOptions.defaults());
  }

  /**
   * Opens all GPUs that the driver sees, each with the same options.
   *
   * @throws DeviceException if there is none, or one of them cannot be used; none is open then
   */
  public static DeviceGroup open(RuntimeOptions options) {
    // Without one, opening the first says why.
    return open(Math.max(1, DeviceRuntime.devices().size()), options);
  }

  /**
   * Opens the first GPUs, each with the same options.
   *
   * @param devices how many
   * @throws IllegalArgumentException if that is less than 1
   * @throws DeviceException if there are fewer, or one of them cannot be used; none is open then
   */
  public static DeviceGroup open(int devices, RuntimeOptions options) {
    Objects.requireNonNull(options, "options");
    requireDevices(devices);
    int present = DeviceRuntime.devices().size();
    if (present > 0 && devices > present) {
      throw new DeviceException(
          "a group of " + devices + " GPUs; the driver sees " + present + " of them");
    }
    return open(devices, ordinal -> DeviceRuntime.open(ordinal, options));
  }

  /**
   * Opens simulated devices of one machine, with default settings.
   *
   * @param devices how many
   * @throws IllegalArgumentException if that is less than 1
   * @throws IllegalStateException if the artifact {@code streamfence-simulator} is not on the class
   *     path or module path
   */
  public static DeviceGroup simulated(int devices) {
    requireDevices(devices);
    return simulated(RuntimeOpener.machine(devices), RuntimeOptions.defaults());
  }

  /**
   * Opens simulated devices, each with the same options.
   *
   * @param devices built together, for arrays to be copied between them, see {@link
   *     dev.streamfence.simulation.SimulatedDevice.Builder#build(int)}
   * @throws IllegalArgumentException if there is none
   * @throws IllegalStateException if one of them is open already; none is open then
   */
  public static DeviceGroup simulated(
      List<? extends DeviceSimulation> devices, RuntimeOptions options) {
    Objects.requireNonNull(devices, "devices");
    Objects.requireNonNull(options, "options");
    requireDevices(devices.size());
    return open(devices.size(), index -> DeviceRuntime.simulated(devices.get(index), options));
  }

  private static void requireDevices(int devices) {
    if (devices < 1) {
      throw new IllegalArgumentException("a group of " + devices + " devices; it has at least 1");
    }
  }

  private static DeviceGroup open(int devices, IntFunction<DeviceRuntime> opener) {
    List<DeviceRuntime> opened = new ArrayList<>(devices);
    try {
      for (int i = 0; i < devices; i++) {
        opened.add(opener.apply(i));
      }
      return new DeviceGroup(List.copyOf(opened));
    } catch (Throwable e) {
      try {
        new DeviceGroup(opened).close();
      } catch (Throwable unclosed) {
        Suppressed.add(e, unclosed);
      }
      throw e;
    }
  }

  /** How many devices it has, at least 1. */
  public int size() {
    return runtimes.size();
  }

  /**
   * The runtime of a device.
   *
   * @param index from 0
   * @throws IndexOutOfBoundsException if there is no such device
   */
  public DeviceRuntime get(int index) {
    Objects.checkIndex(index, runtimes.size());
    return runtimes.get(index);
  }

  /** The runtimes in turn: each call returns the one after that of the call before. */
  public DeviceRuntime next() {
    return get((int) Math.floorMod(taken.getAndIncrement(), (long) size()));
  }

  /**
   * The runtime with the fewest bytes of arrays that are open, or freed and still in use, or
   * reserved; the first of several. Makes no driver call.
   */
  public DeviceRuntime leastLoaded() {
    return runtimes.stream().min(Comparator.comparingLong(DeviceGroup::load)).orElseThrow();
  }

  private static long load(DeviceRuntime runtime) {
    MemoryStatistics memory = runtime.memory().statistics();
    return memory.liveBytes() + memory.pendingBytes() + memory.promisedBytes();
  }

  /**
   * Waits for everything queued on each device, one after another, and ends at the first that
   * fails. An interrupt does not end the wait; the thread stays interrupted.
   *
   * @throws CudaDriverException if work of a device failed or the device is lost; names it
   * @throws RuntimeClosedException if a runtime is closed
   */
  public void synchronize() {
    for (DeviceRuntime runtime : runtimes) {
      try {
        runtime.synchronize();
      } catch (CudaDriverException e) {
        throw e.getCause() instanceof CudaDriverException first
            ? first.again("device " + runtime.info().ordinal() + ", for synchronizing a group")
            : e;
      }
    }
  }

  /**
   * Closes all runtimes, the last one first, even after one fails, see {@link DeviceRuntime#close}.
   * Closing again does nothing.
   *
   * @throws CudaDriverException the first failure
   * @throws StreamMisuseException if this thread is inside an operation of a runtime, or has a
   *     launch open; the others are closed
   */
  @Override
  public void close() {
    Teardown teardown = new Teardown();
    for (int i = runtimes.size() - 1; i >= 0; i--) {
      teardown.step(runtimes.get(i)::close);
    }
    teardown.finish();
  }

  @Override
  public String toString() {
    return "group of " + runtimes;
  }
}
