package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostTable;
import dev.streamfence.examples.tpch.HostThreads;
import java.util.HashMap;
import java.util.Map;

/** Nulls in a share of a table's values. */
final class Nulls {
  private Nulls() {}

  /** The table with bitmaps for its nullable columns; the values stay as they are. */
  static HostTable in(HostTable table, DataOptions options, HostThreads threads) {
    Map<String, byte[]> bitmaps = new HashMap<>();
    table.schema().fields().stream()
        .map(field -> field.name())
        .filter(options.nullable()::contains)
        .forEach(name -> bitmaps.put(name, bitmap(table.rows(), name, options, threads)));
    return table.withValidity(bitmaps);
  }

  private static byte[] bitmap(int rows, String column, DataOptions options, HostThreads threads) {
    byte[] bitmap = new byte[(rows + 7) / 8];
    RowRanges.forAll(
        threads,
        rows,
        (first, end) -> {
          for (int row = first; row < end; row++) {
            if (!options.chooses(options.nullShare(), column, row)) {
              bitmap[row >> 3] |= (byte) (1 << (row & 7));
            }
          }
        });
    return bitmap;
  }
}
