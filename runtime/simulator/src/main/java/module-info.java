/**
 * The simulated device, with the interpreter of PTX, which the runtime finds as a service, and
 * contracts that are tested on it.
 *
 * @provides dev.streamfence.simulation.SimulatedDevice.Builder
 */
module dev.streamfence.simulator {
  requires dev.streamfence.ptx;
  requires transitive dev.streamfence.runtime;
  requires static org.jspecify;

  exports dev.streamfence.contract;

  provides dev.streamfence.simulation.SimulatedDevice.Builder with
      dev.streamfence.internal.simulator.SimulationSettings;
}
