package dev.streamfence.examples.queries;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DecimalType;
import dev.streamfence.examples.tpch.HostTable;
import java.sql.SQLException;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** Appends rows of the host to a table of DuckDB. Confined to one thread. */
final class DuckDbAppender {
  private final DuckDBConnection database;
  private final String name;
  private final HostTable table;

  /**
   * Creates an appender.
   *
   * @param database where the table is; each range of rows gets a connection of its own
   */
  DuckDbAppender(DuckDBConnection database, String name, HostTable table) {
    this.database = database;
    this.name = name;
    this.table = table;
  }

  /** Appends the rows from the first, inclusive, to the last, exclusive. */
  void append(int first, int end) {
    try (DuckDBConnection connection = database.duplicate();
        DuckDBAppender appender = connection.createAppender(name)) {
      Cell[] cells = new Cell[table.schema().columnCount()];
      for (int i = 0; i < cells.length; i++) {
        cells[i] = cell(appender, i);
      }
      for (int row = first; row < end; row++) {
        appender.beginRow();
        for (int i = 0; i < cells.length; i++) {
          if (table.isNull(i, row)) {
            appender.appendNull();
          } else {
            cells[i].append(row);
          }
        }
        appender.endRow();
      }
    } catch (SQLException e) {
      throw new IllegalStateException("DuckDB does not take rows of " + name, e);
    }
  }

  /** Appends the value of a row of one column. */
  @FunctionalInterface
  private interface Cell {
    void append(int row) throws SQLException;
  }

  private Cell cell(DuckDBAppender appender, int column) {
    ColumnField field = table.schema().field(column);
    Object values = table.column(column);
    if (values instanceof long[] longs) {
      return field.type() instanceof DecimalType
          ? row -> appender.appendDecimal(longs[row])
          : row -> appender.append(longs[row]);
    }
    if (values instanceof int[] ints) {
      return field.type().equals(ColumnType.DATE32)
          ? row -> appender.appendEpochDays(ints[row])
          : row -> appender.append(ints[row]);
    }
    Texts texts = Texts.of(table, field.name());
    return row -> appender.append(texts.at(row));
  }
}
