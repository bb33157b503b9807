package dev.streamfence.internal.device;

import dev.streamfence.DeviceInfo;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceSimulation;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.driver.DriverSource;
import dev.streamfence.internal.driver.jcuda.JCudaDevices;
import dev.streamfence.internal.memory.DeviceShare;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Opens runtimes over JCuda and over simulated devices. */
public final class RuntimeOpener {
  private static final SharedRuntimes SHARED =
      new SharedRuntimes(
          ordinal -> opening(ordinal, RuntimeOptions.defaults()).forTheProcess().open());

  /** What the runtimes of this process take on each GPU, by its number. */
  private static final ConcurrentMap<Integer, DeviceShare> SHARES = new ConcurrentHashMap<>();

  private RuntimeOpener() {}

  public static DeviceRuntime open(int ordinal, RuntimeOptions options) {
    Objects.requireNonNull(options, "options");
    return opening(ordinal, options).open();
  }

  private static Opening opening(int ordinal, RuntimeOptions options) {
    return Opening.of(JCudaDevices.open(ordinal), false, options)
        .within(SHARES.computeIfAbsent(ordinal, first -> new DeviceShare()));
  }

  public static DeviceRuntime shared(int ordinal) {
    return SHARED.get(ordinal);
  }

  public static boolean isGpuAvailable() {
    return JCudaDevices.isAvailable();
  }

  public static List<DeviceInfo> devices() {
    return List.copyOf(JCudaDevices.all());
  }

  /** Simulated devices of one machine. */
  public static List<? extends DeviceSimulation> machine(int devices) {
    return SimulatedDevice.builder().build(devices);
  }

  public static DeviceRuntime simulated() {
    return simulated(SimulatedDevice.builder().build(), RuntimeOptions.defaults());
  }

  public static DeviceRuntime simulated(DeviceSimulation device, RuntimeOptions options) {
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(options, "options");
    if (!(device instanceof DriverSource source)) {
      throw new IllegalArgumentException(device + " was not made by SimulatedDevice.builder()");
    }
    return Opening.of(source.open(), true, options).open();
  }
}
