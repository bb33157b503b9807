package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostTable;
import java.util.EnumMap;
import java.util.Map;

/** The eight tables on the host. Immutable. */
public final class HostTables {
  private final Map<TpchTable, HostTable> tables;

  /**
   * These tables.
   *
   * @throws IllegalArgumentException if one of the eight is missing
   */
  HostTables(Map<TpchTable, HostTable> tables) {
    this.tables = new EnumMap<>(tables);
    for (TpchTable table : TpchTable.values()) {
      table(table);
    }
  }

  /** One of them. */
  public HostTable table(TpchTable table) {
    HostTable rows = tables.get(table);
    if (rows == null) {
      throw new IllegalArgumentException("there are no rows of " + table.tableName());
    }
    return rows;
  }
}
