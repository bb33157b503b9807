package dev.streamfence;

import dev.streamfence.internal.device.RuntimeOpener;
import java.util.List;

/**
 * Opens runtimes for the static methods of {@link DeviceRuntime}, which users call instead. The
 * runtime's own jar has the only implementation. Stateless and thread-safe.
 */
public sealed interface RuntimeProvider permits RuntimeOpener {
  /** See {@link DeviceRuntime#open(int, RuntimeOptions)}. */
  DeviceRuntime open(int ordinal, RuntimeOptions options);

  /** See {@link DeviceRuntime#shared(int)}. */
  DeviceRuntime shared(int ordinal);

  /** See {@link DeviceRuntime#isGpuAvailable()}. */
  boolean isGpuAvailable();

  /** See {@link DeviceRuntime#devices()}. */
  List<DeviceInfo> devices();

  /** See {@link DeviceRuntime#simulated()}. */
  DeviceRuntime simulated();

  /** See {@link DeviceRuntime#simulated(DeviceSimulation, RuntimeOptions)}. */
  DeviceRuntime simulated(DeviceSimulation device, RuntimeOptions options);
}
