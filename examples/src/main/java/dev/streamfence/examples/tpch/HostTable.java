package dev.streamfence.examples.tpch;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.Schema;
import java.lang.reflect.Array;
import java.util.List;

/**
 * Rows on the host: a Java array for each column, of the type that its values have on the device. A
 * column with a dictionary holds positions in {@link TpchSchema#textsOf}. The arrays do not change
 * once they are here.
 */
final class HostTable {
  private final Schema schema;
  private final Object[] columns;
  private final int rows;

  /**
   * A table of these arrays.
   *
   * @param columns in the order of the schema, all of the same length
   * @throws IllegalArgumentException if an array has another type or length
   */
  HostTable(Schema schema, Object... columns) {
    if (columns.length != schema.columnCount()) {
      throw new IllegalArgumentException(columns.length + " arrays for " + schema);
    }
    this.schema = schema;
    this.columns = columns.clone();
    this.rows = Array.getLength(columns[0]);
    for (int i = 0; i < columns.length; i++) {
      require(schema.field(i), columns[i]);
    }
  }

  private void require(ColumnField field, Object column) {
    if (column.getClass() != field.type().arrayType() || Array.getLength(column) != rows) {
      throw new IllegalArgumentException(
          "column "
              + field
              + " is "
              + column.getClass().getSimpleName()
              + " of "
              + Array.getLength(column)
              + " elements; it takes "
              + field.type().arrayType().getSimpleName()
              + " of "
              + rows);
    }
  }

  /** The rows of several tables of one schema, in order. */
  static HostTable join(Schema schema, List<HostTable> parts) {
    int rows = parts.stream().mapToInt(HostTable::rows).reduce(0, Math::addExact);
    Object[] columns = new Object[schema.columnCount()];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = Array.newInstance(schema.field(i).type().arrayType().getComponentType(), rows);
      int next = 0;
      for (HostTable part : parts) {
        System.arraycopy(part.columns[i], 0, columns[i], next, part.rows);
        next += part.rows;
      }
    }
    return new HostTable(schema, columns);
  }

  /** The names and types of its columns. */
  Schema schema() {
    return schema;
  }

  /** How many rows there are. */
  int rows() {
    return rows;
  }

  /** The array of a column, by position. */
  Object column(int index) {
    return columns[index];
  }

  /** The values of a column of 64-bit integers or decimals. */
  long[] longs(String name) {
    return (long[]) columns[schema.indexOf(name)];
  }

  /** The values of a column of dates, in days since 1970-01-01. */
  int[] days(String name) {
    return (int[]) columns[schema.indexOf(name)];
  }

  /** The values of a column with a dictionary. */
  byte[] codes(String name) {
    return (byte[]) columns[schema.indexOf(name)];
  }
}
