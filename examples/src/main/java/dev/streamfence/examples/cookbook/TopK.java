package dev.streamfence.examples.cookbook;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceStream;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** The largest values of an array, with their rows. */
public final class TopK {
  private TopK() {}

  /**
   * One of the largest values.
   *
   * @param row where it is in the array
   * @param value the value
   */
  public record Entry(int row, int value) {}

  /**
   * Returns the {@code k} largest values, or all if there are fewer, the largest first; of equal
   * ones at the end, any. Waits for the device six times, and downloads 4 KiB and {@code k}
   * entries.
   *
   * @throws IllegalArgumentException if {@code k} is negative
   */
  public static List<Entry> of(DeviceStream stream, DeviceArray<int[]> values, int k) {
    if (k < 0) {
      throw new IllegalArgumentException("k = " + k + " is negative");
    }
    int n = Math.toIntExact(values.length());
    int wanted = Math.min(k, n);
    if (wanted == 0) {
      return List.of();
    }
    Threshold threshold = threshold(stream, values, n, wanted);
    DeviceMemory memory = stream.runtime().memory();
    try (DeviceArray<int[]> used = memory.allocateZeroed(stream, int[].class, 2);
        DeviceArray<int[]> rows = memory.allocate(stream, int[].class, wanted);
        DeviceArray<int[]> largest = memory.allocate(stream, int[].class, wanted)) {
      int ties = wanted - threshold.above;
      TopKernelsLauncher.on(stream)
          .takeLargest(values, threshold.least, threshold.above, ties, used, rows, largest, n);
      int[] hostRows = rows.download(stream);
      int[] hostValues = largest.download(stream);
      return IntStream.range(0, wanted)
          .mapToObj(i -> new Entry(hostRows[i], hostValues[i]))
          .sorted(Comparator.comparingInt(Entry::value).reversed())
          .toList();
    }
  }

  /** The least of the wanted values, and the number of values above it. */
  private record Threshold(int least, int above) {}

  /** Finds the least of the wanted values byte by byte, the highest first. */
  private static Threshold threshold(
      DeviceStream stream, DeviceArray<int[]> values, int n, int wanted) {
    TopKernels kernels = TopKernelsLauncher.on(stream);
    int prefix = 0;
    int above = 0;
    try (DeviceArray<int[]> counts = stream.runtime().memory().allocate(stream, int[].class, 256)) {
      for (int shift = 24; shift >= 0; shift -= 8) {
        counts.fill(stream, 0);
        kernels.countBytes(values, prefix, shift, counts, n);
        int[] byByte = counts.download(stream);
        int candidate = 255;
        while (above + byByte[candidate] < wanted) {
          above += byByte[candidate];
          candidate--;
        }
        prefix = prefix << 8 | candidate;
      }
    }
    return new Threshold(prefix ^ Integer.MIN_VALUE, above);
  }
}
