package dev.streamfence.examples.cookbook;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceStream;

/** A filter whose result has the order of its input. */
public final class Filter {
  private Filter() {}

  /**
   * Returns the values that are at least {@code least}, in their order. Waits for the device once,
   * for the number of values. The caller closes the result.
   */
  public static DeviceArray<int[]> atLeast(
      DeviceStream stream, DeviceArray<int[]> values, int least) {
    int n = Math.toIntExact(values.length());
    ScanKernels kernels = ScanKernelsLauncher.on(stream);
    try (DeviceArray<int[]> marks = stream.runtime().memory().allocate(stream, int[].class, n)) {
      kernels.markAtLeast(values, least, marks, n);
      try (DeviceArray<int[]> places = PrefixSums.of(stream, marks)) {
        int passed = DeviceArrays.getInt(places, stream, n);
        DeviceArray<int[]> kept = stream.runtime().memory().allocate(stream, int[].class, passed);
        try {
          kernels.keepMarked(values, places, kept, n);
          return kept;
        } catch (RuntimeException | Error e) {
          kept.close();
          throw e;
        }
      }
    }
  }
}
