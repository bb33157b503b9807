package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.SimulatedDevice;

/** Which device the job runs on, as the command line says it. Immutable. */
enum DeviceChoice {
  /** A GPU where there is one, else the simulated device. */
  AUTO,
  /** The first GPU, or an error. */
  GPU,
  /** The simulated device, also where there is a GPU. */
  SIMULATED;

  /**
   * Opens the device.
   *
   * @param streams how many streams the job has at the same time
   * @throws dev.streamfence.DeviceException if a GPU is asked for and there is none
   */
  DeviceRuntime open(int streams) {
    RuntimeOptions options = RuntimeOptions.defaults().withStreams(streams);
    boolean gpu = this == GPU || (this == AUTO && DeviceRuntime.isGpuAvailable());
    return gpu
        ? DeviceRuntime.open(0, options)
        : DeviceRuntime.simulated(SimulatedDevice.builder().build(), options);
  }
}
