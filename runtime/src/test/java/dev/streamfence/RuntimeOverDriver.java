package dev.streamfence;

import dev.streamfence.driver.CudaDriver;

/** Opens a runtime over a driver of the test's own. */
public final class RuntimeOverDriver {
  private RuntimeOverDriver() {}

  public static DeviceRuntime open(CudaDriver driver, RuntimeOptions options) {
    return Opening.of(driver, true, options).open();
  }
}
