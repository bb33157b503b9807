package dev.streamfence.it.compare;

import dev.streamfence.DeviceGroup;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Opening;
import dev.streamfence.simulation.SimulatedDevice;

/** Where rows are measured. */
enum Device {
  /** The first GPU. */
  GPU {
    @Override
    DeviceRuntime open(RuntimeOptions options) {
      return DeviceRuntime.open(0, options);
    }

    @Override
    DeviceGroup openTwo() {
      return DeviceGroup.open(2, RuntimeOptions.defaults());
    }
  },

  /**
   * A driver whose launches, events and waits do nothing, so that the runtime's own work is left.
   * It has no caching pool unless the options ask for one: a stream that takes another one's memory
   * relies on its waits.
   */
  IDLE {
    @Override
    DeviceRuntime open(RuntimeOptions options) {
      SimulatedDevice device = SimulatedDevice.builder().memoryInBytes(8L << 30).build();
      return Opening.of(IdleDriver.open(device), true, options).open();
    }

    /** Not idle: a copy needs the waits of one device for the other. */
    @Override
    DeviceGroup openTwo() {
      return DeviceGroup.simulated(2);
    }
  };

  abstract DeviceRuntime open(RuntimeOptions options);

  /** Opens two devices that copy to each other; fails if there is only one. */
  abstract DeviceGroup openTwo();
}
