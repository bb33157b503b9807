package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostTable;

/** The numbers or days of a column, some of which may be null. Immutable. */
final class Numbers {
  private final HostTable table;
  private final int column;
  private final Object values;

  private Numbers(HostTable table, int column) {
    this.table = table;
    this.column = column;
    this.values = table.column(column);
  }

  /** Of a column of 32 or 64 bits. */
  static Numbers of(HostTable table, String column) {
    return new Numbers(table, table.schema().indexOf(column));
  }

  /** Whether a row has a number. */
  boolean has(int row) {
    return !table.isNull(column, row);
  }

  /** The number of a row that {@linkplain #has has} one. */
  long at(int row) {
    return values instanceof long[] longs ? longs[row] : ((int[]) values)[row];
  }

  /** Whether a row has a number in each of the columns. */
  static boolean inAll(int row, Numbers... columns) {
    for (Numbers column : columns) {
      if (!column.has(row)) {
        return false;
      }
    }
    return true;
  }
}
