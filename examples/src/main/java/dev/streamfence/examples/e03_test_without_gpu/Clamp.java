package dev.streamfence.examples.e03_test_without_gpu;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;

/**
 * An operator that limits every value of a device array to a range, in place. Confined to one
 * thread at a time.
 *
 * <p>The caller passes the stream, so the operator runs on a GPU as well as on the simulated
 * device.
 */
public final class Clamp {
  private final ClampKernels kernels;
  private final int low;
  private final int high;

  /**
   * Creates the operator.
   *
   * @param stream the stream on which it launches
   * @param low the least value, inclusive
   * @param high the greatest value, inclusive
   * @throws IllegalArgumentException if the range is empty
   */
  public Clamp(DeviceStream stream, int low, int high) {
    if (low > high) {
      throw new IllegalArgumentException("the range from " + low + " to " + high + " is empty");
    }
    this.kernels = ClampKernelsLauncher.on(stream);
    this.low = low;
    this.high = high;
  }

  /** Limits all values. Does not wait for the device. */
  public void apply(DeviceArray<int[]> values) {
    kernels.clamp(values, low, high, Math.toIntExact(values.length()));
  }
}
