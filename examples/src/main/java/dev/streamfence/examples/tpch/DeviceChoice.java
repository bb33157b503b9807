package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.trace.Trace;

/** The device that the command line chooses for the job. Immutable. */
public enum DeviceChoice {
  /** A GPU if there is one, otherwise the simulated device. */
  AUTO,
  /** The first GPU; an error if there is none. */
  GPU,
  /** The simulated device, even if there is a GPU. */
  SIMULATED;

  /** More pieces of work than the job has, or one of its repeats. */
  private static final int MOST_TRACED = 100_000;

  /** The kind of device that this is on the machine: the GPU or the simulated device. */
  DeviceChoice resolved() {
    return this == GPU || (this == AUTO && DeviceRuntime.isGpuAvailable()) ? GPU : SIMULATED;
  }

  /**
   * Opens the device.
   *
   * @param streams how many streams the job uses at the same time
   * @param traced whether the runtime keeps a trace of its work, with measured times
   * @throws dev.streamfence.DeviceException if a GPU is asked for and there is none
   */
  public DeviceRuntime open(int streams, boolean traced) {
    RuntimeOptions options = RuntimeOptions.defaults().withStreams(streams);
    if (traced) {
      options = options.withTrace(Trace.inMemory(MOST_TRACED)).withDeviceTimes(true);
    }
    return resolved() == GPU
        ? DeviceRuntime.open(0, options)
        : DeviceRuntime.simulated(SimulatedDevice.builder().build(), options);
  }
}
