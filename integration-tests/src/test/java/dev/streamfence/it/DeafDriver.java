package dev.streamfence.it;

import dev.streamfence.internal.driver.CudaDriver;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A driver that leaves out the waits of one stream for another while it is told to: what a test of
 * ordering must notice.
 */
final class DeafDriver {
  private final CudaDriver driver;
  private final AtomicBoolean deaf = new AtomicBoolean();

  DeafDriver(CudaDriver device) {
    driver = WatchedDriver.of(device, call -> !deaf.get() || !call.equals("waitForEvent"));
  }

  CudaDriver driver() {
    return driver;
  }

  void setDeaf(boolean waitsAreLeftOut) {
    deaf.set(waitsAreLeftOut);
  }
}
