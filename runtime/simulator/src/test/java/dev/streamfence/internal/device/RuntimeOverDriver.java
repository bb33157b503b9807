package dev.streamfence.internal.device;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.memory.UntrackingResource;

/** Opens a runtime over a driver of the test's own. */
public final class RuntimeOverDriver {
  private RuntimeOverDriver() {}

  public static DeviceRuntime open(CudaDriver driver, RuntimeOptions options) {
    return Opening.of(driver, true, options).open();
  }

  /** Opens one whose memory comes from a resource that does not track uses. */
  public static DeviceRuntime openUntracked(CudaDriver driver) {
    return Opening.of(driver, true, RuntimeOptions.defaults())
        .withBackend(UntrackingResource::new)
        .open();
  }
}
