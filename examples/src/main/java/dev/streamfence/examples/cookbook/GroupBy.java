package dev.streamfence.examples.cookbook;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceStream;
import java.util.HashMap;
import java.util.Map;

/** The sum of values by key. */
public final class GroupBy {
  private GroupBy() {}

  /**
   * Returns the sum of the values of each key. Waits for the device, and downloads the groups only.
   *
   * @throws IllegalArgumentException if there are not as many keys as values
   */
  public static Map<Integer, Long> sums(
      DeviceStream stream, DeviceArray<int[]> keys, DeviceArray<int[]> values) {
    if (keys.length() != values.length()) {
      throw new IllegalArgumentException(
          keys.length() + " keys do not fit " + values.length() + " values");
    }
    int n = Math.toIntExact(keys.length());
    int slots = HashJoin.slots(n);
    DeviceMemory memory = stream.runtime().memory();
    GroupKernels kernels = GroupKernelsLauncher.on(stream);
    try (DeviceArray<int[]> owners = memory.allocateZeroed(stream, int[].class, slots);
        DeviceArray<long[]> sums = memory.allocateZeroed(stream, long[].class, slots);
        DeviceArray<int[]> groupKeys = memory.allocate(stream, int[].class, n);
        DeviceArray<long[]> groupSums = memory.allocate(stream, long[].class, n);
        DeviceArray<int[]> count = memory.allocateZeroed(stream, int[].class, 1)) {
      kernels.sums(keys, values, owners, sums, slots - 1, n);
      kernels.collect(keys, owners, sums, groupKeys, groupSums, count, slots);
      int groups = DeviceArrays.getInt(count, stream, 0);
      int[] hostKeys = groupKeys.download(stream, 0, groups);
      long[] hostSums = groupSums.download(stream, 0, groups);
      Map<Integer, Long> result = new HashMap<>();
      for (int i = 0; i < groups; i++) {
        result.put(hostKeys[i], hostSums[i]);
      }
      return result;
    }
  }
}
