package dev.streamfence.examples.tpch;

import java.nio.file.Path;
import java.util.Arrays;

/** What the hash table of Q12 relies on: no order comes twice. */
final class OrderKeys {
  private OrderKeys() {}

  /**
   * Checks the keys of a file, which are in order as a rule: only if not, they are sorted.
   *
   * @throws DataFileException if two rows have the same key
   */
  static void requireUnique(Path file, long[] keys) {
    if (!isAscending(keys)) {
      long[] sorted = keys.clone();
      Arrays.parallelSort(sorted);
      for (int i = 1; i < sorted.length; i++) {
        if (sorted[i - 1] == sorted[i]) {
          throw new DataFileException(
              "column o_orderkey of " + file + " has the key " + sorted[i] + " more than once");
        }
      }
    }
  }

  private static boolean isAscending(long[] keys) {
    for (int i = 1; i < keys.length; i++) {
      if (keys[i - 1] >= keys[i]) {
        return false;
      }
    }
    return true;
  }
}
