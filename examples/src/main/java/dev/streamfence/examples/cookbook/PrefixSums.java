package dev.streamfence.examples.cookbook;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;

/** Prefix sums: for each element, the sum of the elements before it. */
public final class PrefixSums {
  private static final int BLOCK = 256;

  private PrefixSums() {}

  /**
   * Returns one element more than {@code values} has: element {@code i} is the sum of the first
   * {@code i} values, and the last one is the sum of all. Sums wrap around at 2³¹. Does not wait
   * for the device. The caller closes the result.
   */
  public static DeviceArray<int[]> of(DeviceStream stream, DeviceArray<int[]> values) {
    int n = Math.toIntExact(values.length());
    int m = Math.addExact(n, 1);
    DeviceArray<int[]> sums = stream.runtime().memory().allocate(stream, int[].class, m);
    try {
      scan(stream, values, n, sums, m);
      return sums;
    } catch (RuntimeException | Error e) {
      sums.close();
      throw e;
    }
  }

  private static void scan(
      DeviceStream stream, DeviceArray<int[]> values, int n, DeviceArray<int[]> sums, int m) {
    ScanKernels kernels = ScanKernelsLauncher.on(stream);
    int blocks = (m - 1) / BLOCK + 1;
    try (DeviceArray<int[]> totals =
        stream.runtime().memory().allocate(stream, int[].class, blocks)) {
      kernels.scanBlocks(values, n, sums, totals, m);
      if (blocks > 1) {
        // The totals are few enough for a scan of their own, which begins again from here.
        try (DeviceArray<int[]> before = of(stream, totals)) {
          kernels.addTotals(sums, before, m);
        }
      }
    } // Both arrays are freed on the device, after the launches that use them.
  }
}
