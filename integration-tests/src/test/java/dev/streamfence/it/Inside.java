package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Opening;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DriverSource;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.Objects;

/** The parts of a runtime that these suites inspect and that users do not see. */
final class Inside {
  private Inside() {}

  /** The memory of an array that is not empty. */
  static Allocation allocation(DeviceArray<?> array) {
    return Objects.requireNonNull(TrackedArray.of(array).region()).allocation();
  }

  static Timeline timeline(DeviceStream stream) {
    return TrackedStream.timelineOf(stream);
  }

  static CudaDriver driver(DeviceRuntime runtime) {
    return ((TrackedRuntime) runtime).driver();
  }

  /** Opens a runtime over a driver of the test's own. */
  static DeviceRuntime open(CudaDriver driver) {
    return open(driver, RuntimeOptions.defaults());
  }

  /** The same with options. */
  static DeviceRuntime open(CudaDriver driver, RuntimeOptions options) {
    return Opening.of(driver, true, options).open();
  }

  /** Opens a simulated device as a driver of its own. */
  static CudaDriver open(SimulatedDevice device) {
    return ((DriverSource) device).open();
  }
}
