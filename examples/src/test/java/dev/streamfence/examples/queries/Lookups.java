package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostTable;
import java.util.HashMap;
import java.util.Map;

/** Maps from the primary key of a table. */
final class Lookups {
  private Lookups() {}

  /** The row of each key. */
  static Map<Long, Integer> rowsByKey(HostTable table, String key) {
    Numbers keys = Numbers.of(table, key);
    Map<Long, Integer> rows = new HashMap<>();
    for (int row = 0; row < table.rows(); row++) {
      rows.put(keys.at(row), row);
    }
    return rows;
  }

  /** The number of each key, without those that are null. */
  static Map<Long, Long> numbersByKey(HostTable table, String key, String number) {
    Numbers keys = Numbers.of(table, key);
    Numbers numbers = Numbers.of(table, number);
    Map<Long, Long> byKey = new HashMap<>();
    for (int row = 0; row < table.rows(); row++) {
      if (numbers.has(row)) {
        byKey.put(keys.at(row), numbers.at(row));
      }
    }
    return byKey;
  }
}
