package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.PlainType;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Rows on the host, to compare tables with. A value is a {@link Long}, also for a date and a
 * decimal without its point, a {@link Double}, a {@link Boolean}, a {@link String}, or null.
 */
final class HostRows {
  private static final List<String> WORDS =
      List.of("", "a", "a\0", "ab", "abcdefg", "abcdefgh", "abcdefgi", "zürich", "日本", "b");

  private static final int DICTIONARY_ENTRIES = 6;

  /** A column of each type, all with nulls, by the name of the type. */
  static final Schema EVERY_TYPE =
      Schema.of(
          ColumnField.nullable("bool", ColumnType.BOOL),
          ColumnField.nullable("bool8", ColumnType.BOOL8),
          ColumnField.nullable("int8", ColumnType.INT8),
          ColumnField.nullable("int16", ColumnType.INT16),
          ColumnField.nullable("int32", ColumnType.INT32),
          ColumnField.nullable("int64", ColumnType.INT64),
          ColumnField.nullable("uint8", ColumnType.UINT8),
          ColumnField.nullable("uint16", ColumnType.UINT16),
          ColumnField.nullable("uint32", ColumnType.UINT32),
          ColumnField.nullable("float32", ColumnType.FLOAT32),
          ColumnField.nullable("float64", ColumnType.FLOAT64),
          ColumnField.nullable("date", ColumnType.DATE32),
          ColumnField.nullable("decimal", ColumnType.decimal(15, 2)),
          ColumnField.nullable("text", ColumnType.UTF8),
          ColumnField.nullable("dictionary", ColumnType.dictionary(ColumnType.INT8)));

  private HostRows() {}

  /** Rows of {@link #EVERY_TYPE}: few different values in each column, and null in one of four. */
  static List<List<@Nullable Object>> random(int count, long seed) {
    Random random = new Random(seed);
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      List<@Nullable Object> row = new ArrayList<>();
      for (int column = 0; column < EVERY_TYPE.columnCount(); column++) {
        row.add(random.nextInt(4) == 0 ? null : value(EVERY_TYPE.field(column).type(), random));
      }
      rows.add(row);
    }
    return rows;
  }

  private static Object value(ColumnType type, Random random) {
    int small = random.nextInt(-5, 6);
    if (type instanceof DictionaryType) {
      return WORDS.get(random.nextInt(DICTIONARY_ENTRIES));
    }
    if (!(type instanceof PlainType plain)) {
      return small * 101L;
    }
    long edge = plain.isInteger() && random.nextInt(8) == 0 ? 1L << (plain.bitWidth() - 1) : 0;
    return switch (plain.kind()) {
      case BIT, FLAG -> small > 0;
      case SIGNED -> edge == 0 ? small : (random.nextBoolean() ? -edge : edge - 1);
      case UNSIGNED -> edge == 0 ? Math.abs(small) : 2 * edge - 1;
      case FLOATING -> small * 0.5;
      case DATE -> small * 1000L;
      case TEXT -> WORDS.get(random.nextInt(WORDS.size()));
    };
  }

  /** Uploads rows of a schema, with a row before and after them that the table does not have. */
  static DeviceTable upload(DeviceStream stream, Schema schema, List<? extends List<?>> rows) {
    List<ReadableColumn<?>> columns = new ArrayList<>();
    for (int i = 0; i < schema.columnCount(); i++) {
      int column = i;
      List<@Nullable Object> values = new ArrayList<>();
      rows.forEach(row -> values.add(row.get(column)));
      values.add(null);
      columns.add(column(stream, schema.field(i), values));
    }
    return DeviceTable.of(stream, schema, columns, rows.size());
  }

  private static DeviceColumn<?> column(
      DeviceStream stream, ColumnField field, List<@Nullable Object> values) {
    DeviceArray<byte[]> validity =
        array(
            stream,
            field.isNullable()
                ? bits(values.stream().map(value -> value != null).toList())
                : new byte[0]);
    int n = values.size();
    if (field.type().equals(ColumnType.UTF8)) {
      return text(stream, field, values, validity);
    }
    if (field.type().equals(ColumnType.BOOL)) {
      List<Boolean> flags = new ArrayList<>();
      for (int i = 0; i < n; i++) {
        Object value = values.get(i);
        flags.add(value == null ? i % 2 == 0 : (Boolean) value);
      }
      byte[] bits = bits(flags);
      return DeviceColumn.ofBits(field, n, array(stream, bits), validity);
    }
    if (field.type() instanceof DictionaryType) {
      byte[] codes = new byte[n];
      for (int i = 0; i < n; i++) {
        Object word = values.get(i);
        codes[i] = word == null ? (byte) (70 + i % 50) : (byte) WORDS.indexOf(word);
      }
      ColumnField entries = ColumnField.of(field.name(), ColumnType.UTF8);
      List<@Nullable Object> words = new ArrayList<>(WORDS.subList(0, DICTIONARY_ENTRIES));
      return DeviceColumn.ofDictionary(
          field,
          array(stream, codes),
          validity,
          text(stream, entries, words, array(stream, new byte[0])));
    }
    Object array = Array.newInstance(field.type().arrayType().getComponentType(), n);
    for (int i = 0; i < n; i++) {
      Object value = values.get(i);
      set(array, i, value == null ? garbage(field.type(), i) : value);
    }
    return DeviceColumn.of(field, array(stream, array), validity);
  }

  /** What lies in a null row, which nothing may depend on. */
  private static Object garbage(ColumnType type, int row) {
    if (type.equals(ColumnType.BOOL8)) {
      return row % 2 == 0;
    }
    return type.arrayType() == double[].class || type.arrayType() == float[].class
        ? row * 1.5
        : (Object) (row * 37L);
  }

  private static void set(Object array, int index, Object value) {
    if (array instanceof boolean[] flags) {
      flags[index] = (Boolean) value;
    } else if (array instanceof char[] chars) {
      chars[index] = (char) ((Long) value).intValue();
    } else if (array instanceof byte[] bytes) {
      bytes[index] = ((Number) value).byteValue();
    } else if (array instanceof short[] shorts) {
      shorts[index] = ((Number) value).shortValue();
    } else if (array instanceof int[] ints) {
      ints[index] = ((Number) value).intValue();
    } else if (array instanceof float[] floats) {
      floats[index] = ((Number) value).floatValue();
    } else if (array instanceof double[] doubles) {
      doubles[index] = ((Number) value).doubleValue();
    } else {
      ((long[]) array)[index] = ((Number) value).longValue();
    }
  }

  private static DeviceColumn<byte[]> text(
      DeviceStream stream,
      ColumnField field,
      List<@Nullable Object> values,
      DeviceArray<byte[]> validity) {
    StringBuilder all = new StringBuilder("before");
    int[] offsets = new int[values.size() + 1];
    offsets[0] = "before".length();
    for (int i = 0; i < values.size(); i++) {
      Object value = values.get(i);
      all.append(value == null ? "?".repeat(i % 3) + i : value);
      offsets[i + 1] = all.toString().getBytes(StandardCharsets.UTF_8).length;
    }
    byte[] bytes = all.toString().getBytes(StandardCharsets.UTF_8);
    return DeviceColumn.ofText(field, array(stream, offsets), array(stream, bytes), validity);
  }

  private static byte[] bits(List<Boolean> flags) {
    byte[] bits = new byte[(flags.size() + 7) / 8];
    for (int i = 0; i < flags.size(); i++) {
      if (flags.get(i)) {
        bits[i / 8] |= (byte) (1 << i % 8);
      }
    }
    return bits;
  }

  private static <A> DeviceArray<A> array(DeviceStream stream, A values) {
    return stream.runtime().memory().upload(stream, values);
  }

  /** Downloads the logical rows of a table. */
  static List<List<@Nullable Object>> download(DeviceStream stream, DeviceTable table) {
    Object[] arrays = table.download(stream);
    int rows = (int) table.rows(stream);
    List<List<@Nullable Object>> result = new ArrayList<>();
    IntStream.range(0, rows).forEach(row -> result.add(new ArrayList<>()));
    for (int i = 0; i < arrays.length; i++) {
      DeviceTable one = table.select(table.column(i).name());
      boolean[] valid = one.downloadValidity(stream, table.column(i).name());
      for (int row = 0; row < rows; row++) {
        result
            .get(row)
            .add(valid[row] ? value(table.column(i).type(), Array.get(arrays[i], row)) : null);
      }
    }
    return result;
  }

  private static Object value(ColumnType type, Object value) {
    if (value instanceof Float || value instanceof Double) {
      return ((Number) value).doubleValue();
    }
    if (value instanceof Character character) {
      return (long) character;
    }
    if (value instanceof Number number) {
      boolean isUnsigned =
          type instanceof PlainType plain && plain.kind() == PlainType.Kind.UNSIGNED;
      return isUnsigned
          ? number.longValue() & (1L << ((PlainType) type).bitWidth()) - 1
          : number.longValue();
    }
    return value;
  }

  /** The place of a column in {@link #EVERY_TYPE}. */
  static int at(String column) {
    return EVERY_TYPE.indexOf(column);
  }

  /** The names of the columns of {@link #EVERY_TYPE}. */
  static List<String> names() {
    return IntStream.range(0, EVERY_TYPE.columnCount())
        .mapToObj(i -> EVERY_TYPE.field(i).name())
        .toList();
  }

  /** The values of some columns of a row. */
  static List<@Nullable Object> key(List<@Nullable Object> row, String... columns) {
    return Arrays.stream(columns)
        .map(column -> row.get(at(column)))
        .collect(ArrayList::new, ArrayList::add, ArrayList::addAll);
  }
}
