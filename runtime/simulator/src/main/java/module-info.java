/**
 * The simulated device, with the interpreter of PTX. The runtime finds it as a service: it exports
 * nothing, and no module of a user requires it.
 *
 * @provides dev.streamfence.simulation.SimulatedDevice.Builder
 */
module dev.streamfence.simulator {
  requires dev.streamfence.ptx;
  requires dev.streamfence.runtime;
  requires static org.jspecify;

  provides dev.streamfence.simulation.SimulatedDevice.Builder with
      dev.streamfence.internal.simulator.SimulationSettings;
}
