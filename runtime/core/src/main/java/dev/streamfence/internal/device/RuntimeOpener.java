package dev.streamfence.internal.device;

import dev.streamfence.DeviceInfo;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceSimulation;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.driver.DriverSource;
import dev.streamfence.internal.driver.jcuda.JCudaDevices;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.Objects;

/** Opens runtimes over JCuda and over simulated devices. */
public final class RuntimeOpener {
  private static final SharedRuntimes SHARED =
      new SharedRuntimes(
          ordinal ->
              Opening.of(JCudaDevices.open(ordinal), false, RuntimeOptions.defaults())
                  .forTheProcess()
                  .open());

  private RuntimeOpener() {}

  public static DeviceRuntime open(int ordinal, RuntimeOptions options) {
    Objects.requireNonNull(options, "options");
    return Opening.of(JCudaDevices.open(ordinal), false, options).open();
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
