package dev.streamfence.examples.tpch;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.Schema;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Rows on the host: a Java array for each column, of the type that its values have on the device,
 * and a {@code String[]} for text. A column with a dictionary holds positions in {@link
 * TpchSchema#textsOf}. A column with nulls also has a bitmap, and any values where it says null.
 * The arrays do not change once they are here, unless the table was {@linkplain #allocate made to
 * be filled}.
 */
public final class HostTable {
  private static final byte[] NO_NULLS = new byte[0];

  private final Schema schema;
  private final Object[] columns;
  private final byte[][] validity;
  private final int rows;

  /**
   * A table of these arrays, without nulls.
   *
   * @param columns in the order of the schema, all of the same length
   * @throws IllegalArgumentException if an array has another type or length
   */
  HostTable(Schema schema, Object... columns) {
    this(schema, columns.clone(), withoutNulls(columns.length));
  }

  private HostTable(Schema schema, Object[] columns, byte[][] validity) {
    if (columns.length != schema.columnCount()) {
      throw new IllegalArgumentException(columns.length + " arrays for " + schema);
    }
    this.schema = schema;
    this.columns = columns;
    this.validity = validity;
    this.rows = Array.getLength(columns[0]);
    for (int i = 0; i < columns.length; i++) {
      require(schema.field(i), columns[i]);
    }
  }

  private static byte[][] withoutNulls(int columns) {
    byte[][] validity = new byte[columns][];
    Arrays.fill(validity, NO_NULLS);
    return validity;
  }

  private void require(ColumnField field, Object column) {
    Class<?> arrayType = arrayTypeOf(field);
    if (column.getClass() != arrayType || Array.getLength(column) != rows) {
      throw new IllegalArgumentException(
          "column "
              + field
              + " is "
              + column.getClass().getSimpleName()
              + " of "
              + Array.getLength(column)
              + " elements; it takes "
              + arrayType.getSimpleName()
              + " of "
              + rows);
    }
  }

  private static Class<?> arrayTypeOf(ColumnField field) {
    return field.type() == ColumnType.UTF8 ? String[].class : field.type().arrayType();
  }

  /** A table of zeros and missing texts; fill its arrays before anything else reads them. */
  public static HostTable allocate(Schema schema, int rows) {
    return new HostTable(
        schema,
        schema.fields().stream()
            .map(field -> Array.newInstance(arrayTypeOf(field).getComponentType(), rows))
            .toArray());
  }

  /** The rows of several tables of one schema without nulls, in order. */
  static HostTable join(Schema schema, List<HostTable> parts) {
    HostTable joined =
        allocate(schema, parts.stream().mapToInt(HostTable::rows).reduce(0, Math::addExact));
    for (int i = 0; i < joined.columns.length; i++) {
      int next = 0;
      for (HostTable part : parts) {
        System.arraycopy(part.columns[i], 0, joined.columns[i], next, part.rows);
        next += part.rows;
      }
    }
    return joined;
  }

  /**
   * The same arrays with nulls in some columns, which become nullable.
   *
   * @param bitmaps of these columns, by name: a bit for each row from the lowest bit of the first
   *     byte on, 1 for a value and 0 for null
   * @throws IllegalArgumentException if there is no such column, or a bitmap has another length
   */
  public HostTable withValidity(Map<String, byte[]> bitmaps) {
    List<ColumnField> fields = new ArrayList<>(schema.fields());
    byte[][] merged = validity.clone();
    bitmaps.forEach(
        (name, bitmap) -> {
          int index = schema.indexOf(name);
          if (bitmap.length != (rows + 7) / 8) {
            throw new IllegalArgumentException(
                "the bitmap of " + name + " has " + bitmap.length + " bytes for " + rows + " rows");
          }
          fields.set(index, ColumnField.nullable(name, fields.get(index).type()));
          merged[index] = bitmap;
        });
    return new HostTable(new Schema(fields), columns, merged);
  }

  /** The names and types of its columns. */
  public Schema schema() {
    return schema;
  }

  /** How many rows there are. */
  public int rows() {
    return rows;
  }

  /** The array of a column, by position. */
  public Object column(int index) {
    return columns[index];
  }

  /** The bitmap of a column by position, see {@link #withValidity}; empty if no row is null. */
  public byte[] validity(int index) {
    return validity[index];
  }

  /** Whether a row of a column, by position, is null. */
  public boolean isNull(int index, int row) {
    byte[] bitmap = validity[index];
    return bitmap.length > 0 && (bitmap[row >> 3] >> (row & 7) & 1) == 0;
  }

  /** The values of a column of 64-bit integers or decimals. */
  public long[] longs(String name) {
    return (long[]) columns[schema.indexOf(name)];
  }

  /** The values of a column of 32-bit integers. */
  public int[] ints(String name) {
    return (int[]) columns[schema.indexOf(name)];
  }

  /** The values of a column of dates, in days since 1970-01-01. */
  public int[] days(String name) {
    return ints(name);
  }

  /** The values of a column with a dictionary. */
  public byte[] codes(String name) {
    return (byte[]) columns[schema.indexOf(name)];
  }

  /** The values of a column of text. */
  public String[] texts(String name) {
    return (String[]) columns[schema.indexOf(name)];
  }
}
