package dev.streamfence.internal.device;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DriverSource;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.Objects;

/** The internals of a runtime that tests of other packages inspect. */
public final class Inside {
  private Inside() {}

  /** The memory of an array that is not empty. */
  public static Allocation allocation(ReadableArray<?> array) {
    return Objects.requireNonNull(TrackedArray.of(array).region()).allocation();
  }

  public static Timeline timeline(DeviceStream stream) {
    return TrackedStream.timelineOf(stream);
  }

  public static CudaDriver driver(DeviceRuntime runtime) {
    return of(runtime).driver();
  }

  /** Whether its device is lost. */
  public static boolean isLost(DeviceRuntime runtime) {
    return of(runtime).sticky().error() != null;
  }

  /** The implementation behind a handle. */
  public static TrackedRuntime of(DeviceRuntime runtime) {
    return (TrackedRuntime) runtime;
  }

  /** Opens a simulated device as a driver of its own. */
  public static CudaDriver open(SimulatedDevice device) {
    return ((DriverSource) device).open();
  }
}
