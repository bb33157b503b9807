package dev.streamfence;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.memory.Block;
import dev.streamfence.internal.order.Timeline;
import java.util.Objects;

/** What tests of other packages look at behind a runtime's back. */
public final class Inside {
  private Inside() {}

  /** The memory of an array that is not empty. */
  public static Block block(DeviceArray<?> array) {
    return Objects.requireNonNull(array.block());
  }

  public static Timeline timeline(DeviceStream stream) {
    return stream.timeline();
  }

  public static CudaDriver driver(DeviceRuntime runtime) {
    return runtime.driver();
  }

  /** Whether its device is lost. */
  public static boolean isLost(DeviceRuntime runtime) {
    return runtime.faults().fault() != null;
  }
}
