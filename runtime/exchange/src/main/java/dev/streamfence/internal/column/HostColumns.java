package dev.streamfence.internal.column;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.PlainType;
import dev.streamfence.column.Schema;
import dev.streamfence.memory.ArrayAllocator;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Columns as Java arrays: those of fixed width as the array of their type, flags as a {@code
 * boolean[]}, text and dictionaries as a {@code String[]} with {@code null} for null. Stateless and
 * thread-safe.
 */
final class HostColumns {
  private HostColumns() {}

  /** The Java array type that a column is uploaded from and downloaded to. */
  static Class<?> hostType(ColumnType type) {
    if (type == ColumnType.BOOL) {
      return boolean[].class;
    }
    return isText(type) ? String[].class : type.arrayType();
  }

  private static boolean isText(ColumnType type) {
    return type == ColumnType.UTF8 || type instanceof DictionaryType;
  }

  /**
   * The length of the Java arrays of a table; 0 without columns.
   *
   * @throws IllegalArgumentException if they do not fit the schema, or differ in length
   */
  static int requireRows(Schema schema, Object[] columns) {
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(columns, "columns");
    if (columns.length != schema.columnCount()) {
      throw new IllegalArgumentException(
          columns.length + " arrays for " + schema.columnCount() + " columns: " + schema);
    }
    int rows = -1;
    for (int i = 0; i < columns.length; i++) {
      ColumnField field = schema.field(i);
      Object host = Objects.requireNonNull(columns[i], () -> inWords(field));
      if (field.type() instanceof DictionaryType) {
        throw new IllegalArgumentException(
            inWords(field) + " cannot be uploaded from Java; make it by DeviceColumn.ofDictionary");
      }
      if (host.getClass() != hostType(field.type())) {
        throw new IllegalArgumentException(
            inWords(field)
                + " is uploaded from "
                + hostType(field.type()).getSimpleName()
                + ", not from "
                + host.getClass().getSimpleName());
      }
      if (rows >= 0 && Array.getLength(host) != rows) {
        throw new IllegalArgumentException(
            inWords(field)
                + " has "
                + Array.getLength(host)
                + " rows, but "
                + inWords(schema.field(0))
                + " has "
                + rows);
      }
      rows = Array.getLength(host);
    }
    return Math.max(0, rows);
  }

  /** Uploads a column. Closes what it has uploaded if something fails. */
  static TrackedColumn<?> upload(
      DeviceStream stream, ArrayAllocator memory, ColumnField field, Object host, String table) {
    Uploads uploads =
        new Uploads(stream, memory, TrackedColumns.of("column '" + field.name() + "'", table));
    try {
      int rows = Array.getLength(host);
      if (host instanceof String[] texts) {
        return text(uploads, field, texts);
      }
      DeviceArray<?> values =
          uploads.add(host instanceof boolean[] flags && isBits(field) ? packed(flags) : host, "");
      ColumnDraft<?> draft = new ColumnDraft<>(field, rows, values);
      if (field.isNullable()) {
        byte[] allValid = new byte[bytes(rows)];
        Arrays.fill(allValid, (byte) -1);
        draft.validity(uploads.add(allValid, "validity of "), 0).nullCount(0);
      }
      return draft.build();
    } catch (Throwable e) {
      Owned.by(uploads.closes).closeAfter(e);
      throw e;
    }
  }

  private static TrackedColumn<byte[]> text(Uploads uploads, ColumnField field, String[] texts) {
    requireFewCharacters(field, texts);
    int[] offsets = new int[texts.length + 1];
    byte[] validity = new byte[bytes(texts.length)];
    byte[][] encoded = new byte[texts.length][];
    CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
    int nulls = 0;
    for (int row = 0; row < texts.length; row++) {
      String text = texts[row];
      if (text == null) {
        if (!field.isNullable()) {
          throw new IllegalArgumentException("row " + row + " of " + inWords(field) + " is null");
        }
        nulls++;
        encoded[row] = new byte[0];
      } else {
        validity[row / 8] |= (byte) (1 << row % 8);
        encoded[row] = bytes(encoder, text, row, field);
      }
      offsets[row + 1] = end((long) offsets[row] + encoded[row].length, row, field);
    }
    byte[] bytes = new byte[offsets[texts.length]];
    for (int row = 0; row < texts.length; row++) {
      System.arraycopy(encoded[row], 0, bytes, offsets[row], encoded[row].length);
    }
    ColumnDraft<byte[]> draft =
        new ColumnDraft<>(field, texts.length, uploads.add(bytes, ""))
            .offsets(uploads.add(offsets, "offsets of "));
    if (field.isNullable()) {
      draft.validity(uploads.add(validity, "validity of "), 0).nullCount(nulls);
    }
    return draft.build();
  }

  /** Refuses what is certainly too much before it is encoded: no character is less than a byte. */
  private static void requireFewCharacters(ColumnField field, String[] texts) {
    int characters = 0;
    for (int row = 0; row < texts.length; row++) {
      String text = texts[row];
      characters = end((long) characters + (text == null ? 0 : text.length()), row, field);
    }
  }

  private static int end(long end, int row, ColumnField field) {
    if (end > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "the text of " + inWords(field) + " reaches 2 GiB by row " + row + "; split the table");
    }
    return (int) end;
  }

  private static byte[] bytes(CharsetEncoder encoder, String text, int row, ColumnField field) {
    try {
      ByteBuffer encoded = encoder.encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "row " + row + " of " + inWords(field) + " has half of a character", e);
    }
  }

  /** Downloads the first rows of a column. */
  static Object download(DeviceStream stream, TrackedColumn<?> column, int rows) {
    ColumnType type = column.type();
    if (type == ColumnType.BOOL) {
      byte[] bits = (byte[]) column.values().download(stream, 0, bytes(column.bitOffset() + rows));
      return flags(bits, column.bitOffset(), rows);
    }
    return isText(type) ? texts(stream, column, rows) : column.values().download(stream, 0, rows);
  }

  /** Whether each of the first rows of a column has a value. */
  static boolean[] valid(DeviceStream stream, TrackedColumn<?> column, int rows) {
    if (column.validity().length() == 0) {
      boolean[] all = new boolean[rows];
      Arrays.fill(all, true);
      return all;
    }
    int bits = column.validityOffset() + rows;
    return flags(column.validity().download(stream, 0, bytes(bits)), column.validityOffset(), rows);
  }

  private static @Nullable String[] texts(DeviceStream stream, TrackedColumn<?> column, int rows) {
    boolean[] valid = valid(stream, column, rows);
    @Nullable String[] texts = new @Nullable String[rows];
    if (column.type() instanceof DictionaryType type) {
      TrackedColumn<byte[]> dictionary = column.dictionary();
      int count = requireJavaRows(dictionary.length(), dictionary);
      @Nullable String[] entries = texts(stream, dictionary, count);
      Object numbers = column.values().download(stream, 0, rows);
      for (int row = 0; row < rows; row++) {
        if (valid[row]) {
          texts[row] = entry(column, row, number(type.index(), numbers, row), entries);
        }
      }
      return texts;
    }
    int[] offsets = rows == 0 ? new int[1] : column.offsets().download(stream, 0, rows + 1L);
    requireOffsets(column, offsets);
    int begin = offsets[0];
    byte[] bytes = (byte[]) column.values().download(stream, begin, offsets[rows] - begin);
    for (int row = 0; row < rows; row++) {
      int length = offsets[row + 1] - offsets[row];
      texts[row] =
          valid[row]
              ? new String(bytes, offsets[row] - begin, length, StandardCharsets.UTF_8)
              : null;
    }
    return texts;
  }

  private static @Nullable String entry(
      TrackedColumn<?> column, int row, long number, @Nullable String[] entries) {
    if (number < 0 || number >= entries.length) {
      throw new IllegalStateException(
          "row "
              + row
              + " of "
              + column
              + " is row "
              + number
              + " of a dictionary of "
              + entries.length
              + " rows");
    }
    return entries[(int) number];
  }

  /** A number of an integer type; a negative one if it is unsigned and too large for a long. */
  private static long number(PlainType type, Object numbers, int row) {
    long number = Array.getLong(numbers, row);
    // The others are as Java reads them: a char is unsigned, and a long holds no more than 64 bits.
    return type == ColumnType.UINT8
        ? number & 0xFF
        : type == ColumnType.UINT32 ? number & 0xFFFF_FFFFL : number;
  }

  /**
   * A number of rows as a Java array has elements. The bits of a slice begin up to seven after the
   * first, and offsets are one more than rows.
   */
  static int requireJavaRows(long rows, Object of) {
    if (rows > Integer.MAX_VALUE - 16) {
      throw new IllegalArgumentException(
          rows + " rows of " + of + " are more than a Java array holds; download slices");
    }
    return (int) rows;
  }

  /** Refuses offsets that are no places in the text, in order: a kernel may have written them. */
  private static void requireOffsets(TrackedColumn<?> column, int[] offsets) {
    int last = 0;
    for (int row = 0; row < offsets.length; row++) {
      if (offsets[row] < last || offsets[row] > column.values().length()) {
        throw new IllegalStateException(
            "offset "
                + row
                + " of "
                + column
                + " is "
                + offsets[row]
                + ", after "
                + last
                + " and in text of "
                + column.values().length()
                + " bytes");
      }
      last = offsets[row];
    }
  }

  private static boolean isBits(ColumnField field) {
    return field.type() == ColumnType.BOOL;
  }

  private static byte[] packed(boolean[] flags) {
    byte[] bits = new byte[bytes(flags.length)];
    for (int row = 0; row < flags.length; row++) {
      bits[row / 8] |= (byte) ((flags[row] ? 1 : 0) << row % 8);
    }
    return bits;
  }

  private static boolean[] flags(byte[] bits, int offset, int rows) {
    boolean[] flags = new boolean[rows];
    for (int row = 0; row < rows; row++) {
      int bit = offset + row;
      flags[row] = (bits[bit / 8] >> bit % 8 & 1) != 0;
    }
    return flags;
  }

  private static int bytes(int bits) {
    return bits / 8 + (bits % 8 == 0 ? 0 : 1);
  }

  private static String inWords(ColumnField field) {
    return "column '" + field.name() + "' (" + field.type() + ")";
  }

  /** The arrays of one column that is being uploaded. */
  private static final class Uploads {
    private final DeviceStream stream;
    private final ArrayAllocator memory;
    private final String tag;
    private final List<Runnable> closes = new ArrayList<>();

    Uploads(DeviceStream stream, ArrayAllocator memory, String tag) {
      this.stream = stream;
      this.memory = memory;
      this.tag = tag;
    }

    <A> DeviceArray<A> add(A host, String role) {
      DeviceArray<A> array = memory.upload(stream, host, role + tag);
      closes.add(array::close);
      return array;
    }
  }
}
