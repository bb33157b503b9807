package dev.streamfence.examples.e04_partial_results;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import java.util.Arrays;

/**
 * Filters the two halves of an array on two streams. The program does not know how many values
 * pass, so it reads the two counts first, and then downloads that many values.
 */
public final class PartialResults {
  private PartialResults() {}

  /** Prints {@code [5, 7, 8, 9]}. */
  public static void main(String[] arguments) {
    try (DeviceRuntime device =
        DeviceRuntime.isGpuAvailable() ? DeviceRuntime.open(0) : DeviceRuntime.simulated()) {
      int[] kept = atLeast(device, new int[] {3, 9, 1, 7, 8, 2, 5, 4}, 5);
      Arrays.sort(kept);
      System.out.println(Arrays.toString(kept));
    }
  }

  /** Waits for the device and returns the values that are at least {@code least}, in any order. */
  static int[] atLeast(DeviceRuntime device, int[] values, int least) {
    int half = values.length / 2;
    int rest = values.length - half;
    try (DeviceStream a = device.streams().acquire();
        DeviceStream b = device.streams().acquire();
        DeviceArray<int[]> input = device.memory().upload(a, values);
        DeviceArray<int[]> kept = device.memory().allocate(a, int[].class, values.length);
        DeviceArray<int[]> counts = device.memory().allocateZeroed(a, int[].class, 2);
        // Both launches write these arrays, but each its own part: neither waits for the other.
        DeviceParts<int[]> keptParts = kept.split(half);
        DeviceParts<int[]> countParts = counts.split(1)) {
      DeviceArray<int[]> keptByA = keptParts.get(0);
      DeviceArray<int[]> keptByB = keptParts.get(1);
      DeviceArray<int[]> countOfA = countParts.get(0);
      DeviceArray<int[]> countOfB = countParts.get(1);

      // Both launches only read the input, so views of it are enough. Stream b waits for the upload
      // on stream a, and goes first: its wait covers all that stream a has queued by then.
      FilterKernelsLauncher.on(b)
          .keepAtLeast(input.view(half, rest), least, keptByB, countOfB, rest);
      FilterKernelsLauncher.on(a).keepAtLeast(input.view(0, half), least, keptByA, countOfA, half);

      DeviceArray<int[]> resultOfA = keptByA.view(0, DeviceArrays.getInt(countOfA, a, 0));
      DeviceArray<int[]> resultOfB = keptByB.view(0, DeviceArrays.getInt(countOfB, b, 0));
      return download(device, a, resultOfA, b, resultOfB);
    }
  }

  /** Downloads two arrays, one after the other, to one pinned array, and returns its content. */
  private static int[] download(
      DeviceRuntime device,
      DeviceStream a,
      DeviceArray<int[]> first,
      DeviceStream b,
      DeviceArray<int[]> second) {
    int total = Math.toIntExact(first.length() + second.length());
    try (PinnedArray<int[]> result = device.memory().pinned(int[].class, total)) {
      first.download(a, 0, result, 0, first.length()); // returns at once
      second.download(b, 0, result, first.length(), second.length()); // returns at once
      return result.get(0, total); // waits for both
    }
  }
}
