package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.examples.cookbook.PrefixSums;

/**
 * The rows of a table by their key: each row has the number of its group. Confined to one thread.
 *
 * @param representatives for each row, the row that stands for its group; -1 for none
 * @param owners the hash table, see {@code groups.cu}
 * @param numbers for each row, its group, from 0 on; -1 for none
 * @param rows for each group, the row that stands for it; the groups are in the order of these
 */
record Groups(
    DeviceArray<int[]> representatives,
    DeviceArray<int[]> owners,
    DeviceArray<int[]> numbers,
    Rows rows) {
  private static final int MOST_SLOTS = 1 << 30;

  /**
   * Groups the rows of a table. Waits for the device.
   *
   * @param skipsNulls whether a row with null in its key has no group; otherwise null equals null
   * @param temporaries own the arrays
   */
  static Groups of(
      DeviceStream stream, KeyColumns keys, boolean skipsNulls, Temporaries temporaries) {
    int n = keys.rows();
    int slots = slotsFor(n);
    GroupKernels kernels = GroupKernelsLauncher.on(stream);
    DeviceArray<int[]> owners = temporaries.zeros(int[].class, slots);
    DeviceArray<int[]> representatives = temporaries.array(int[].class, n);
    kernels.claimGroups(keys.keys(), owners, slots - 1, skipsNulls ? 1 : 0, representatives, n);
    try (Temporaries own = new Temporaries(stream)) {
      DeviceArray<int[]> marks = own.array(int[].class, n);
      kernels.markRepresentatives(representatives, marks, n);
      DeviceArray<int[]> places = own.add(PrefixSums.of(stream, marks));
      DeviceArray<int[]> numbers = temporaries.array(int[].class, n);
      kernels.numberGroups(representatives, places, numbers, n);
      Rows rows = Rows.placed(stream, places, n, temporaries);
      return new Groups(representatives, owners, numbers, rows);
    }
  }

  /**
   * The slots of a hash table: a power of two, at least twice as many as there are rows.
   *
   * @throws IllegalArgumentException if there are more than 2²⁹ rows
   */
  static int slotsFor(int rows) {
    if (rows > MOST_SLOTS / 2) {
      throw new IllegalArgumentException(
          "a hash table of " + rows + " rows; it takes up to " + MOST_SLOTS / 2);
    }
    return Integer.highestOneBit(Math.max(1, 2 * rows - 1)) * 2;
  }

  /** How many groups there are. */
  int count() {
    return rows.count();
  }

  /** A hash table's highest slot, a mask of bits. */
  int mask() {
    return Math.toIntExact(owners.length() - 1);
  }
}
