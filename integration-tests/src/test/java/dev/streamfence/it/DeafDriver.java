package dev.streamfence.it;

import dev.streamfence.internal.driver.CudaDriver;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A driver that can leave out the waits of one stream for another, of the same device or not. A
 * test of ordering must notice that.
 */
final class DeafDriver {
  private static final Set<String> WAITS = Set.of("waitForEvent", "waitForPeerEvent");

  private final CudaDriver driver;
  private final AtomicBoolean deaf = new AtomicBoolean();

  DeafDriver(CudaDriver device) {
    driver = WatchedDriver.of(device, call -> !deaf.get() || !WAITS.contains(call));
  }

  CudaDriver driver() {
    return driver;
  }

  void setDeaf(boolean waitsAreLeftOut) {
    deaf.set(waitsAreLeftOut);
  }
}
