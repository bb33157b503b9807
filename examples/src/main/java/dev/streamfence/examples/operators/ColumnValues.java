package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DecimalType;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.PlainType;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.TimestampType;
import org.jspecify.annotations.Nullable;

/** Columns as vectors. Confined to one thread. */
final class ColumnValues {
  private static final long ALL_BITS = -1;

  private final DeviceStream stream;
  private final Temporaries temporaries;
  private final int rows;

  /**
   * Columns of one table.
   *
   * @param temporaries owns the vectors
   * @param rows of the table
   */
  ColumnValues(DeviceStream stream, Temporaries temporaries, int rows) {
    this.stream = stream;
    this.temporaries = temporaries;
    this.rows = rows;
  }

  /**
   * The numbers of a column.
   *
   * @throws IllegalArgumentException if it holds text
   */
  Value numbers(ReadableColumn<?> column) {
    ColumnType type = column.type();
    if (Types.isText(type)) {
      throw new IllegalArgumentException(
          "column '"
              + column.name()
              + "' is "
              + type
              + "; an expression compares text with isText or isLike");
    }
    return Value.of(typeOf(type), widened(column, type), known(column));
  }

  /**
   * The numbers of the dictionary's rows that a column refers to.
   *
   * @param ofEntries a number for each row of the dictionary
   */
  Value ofDictionary(ReadableColumn<?> column, DictionaryType type, Value ofEntries) {
    Vector codes = new Vector(widened(column, type.index()), known(column));
    int entries = Rows.require(column.dictionary().length(), "a dictionary");
    DeviceArray<long[]> numbers = temporaries.array(long[].class, rows);
    DeviceArray<byte[]> known =
        codes.known() == null && ofEntries.known() == null
            ? null
            : temporaries.array(byte[].class, rows);
    ExpressionKernelsLauncher.on(stream)
        .lookUp(codes, ofEntries.vector(), entries, numbers, known, rows);
    return Value.of(ofEntries.type(), numbers, known);
  }

  /** A byte per row that is 0 for null, or null if no row is null. */
  @Nullable ReadableArray<byte[]> known(ReadableColumn<?> column) {
    ReadableArray<byte[]> validity = column.validity();
    if (validity.length() == 0) {
      return null;
    }
    DeviceArray<byte[]> known = temporaries.array(byte[].class, rows);
    ExpressionKernelsLauncher.on(stream)
        .unpackValidity(validity, column.validityOffset(), known, rows);
    return known;
  }

  /** The type of a column in an expression. */
  static ColumnType typeOf(ColumnType type) {
    if (type instanceof PlainType plain) {
      return switch (plain.kind()) {
        case BIT, FLAG -> ColumnType.BOOL8;
        case SIGNED, UNSIGNED -> ColumnType.INT64;
        case FLOATING -> ColumnType.FLOAT64;
        case DATE, TEXT -> plain;
      };
    }
    return type instanceof DecimalType decimal ? ColumnType.decimal(18, decimal.scale()) : type;
  }

  private ReadableArray<long[]> widened(ReadableColumn<?> column, ColumnType type) {
    ReadableArray<?> values = column.values();
    if (type instanceof DecimalType || type instanceof TimestampType) {
      return Columns.view(values, long[].class);
    }
    PlainType plain = (PlainType) type;
    if (plain.equals(ColumnType.UINT64)) {
      throw new IllegalArgumentException(
          "column '" + column.name() + "' is uint64, which signed 64-bit integers cannot hold");
    }
    if (plain.bitWidth() == Long.SIZE) {
      return Columns.view(values, long[].class);
    }
    DeviceArray<long[]> numbers = temporaries.array(long[].class, rows);
    ExpressionKernels kernels = ExpressionKernelsLauncher.on(stream);
    boolean isUnsigned = plain.kind() == PlainType.Kind.UNSIGNED;
    if (plain.kind() == PlainType.Kind.BIT) {
      kernels.widenBits(Columns.view(values, byte[].class), column.bitOffset(), numbers, rows);
    } else if (plain.kind() == PlainType.Kind.FLAG) {
      kernels.widenFlags(Columns.view(values, boolean[].class), numbers, rows);
    } else if (plain.kind() == PlainType.Kind.FLOATING) {
      kernels.widenFloats(Columns.view(values, float[].class), numbers, rows);
    } else if (plain.bitWidth() == Byte.SIZE) {
      kernels.widenBytes(
          Columns.view(values, byte[].class), isUnsigned ? 0xff : ALL_BITS, numbers, rows);
    } else if (plain.bitWidth() == Integer.SIZE) {
      kernels.widenInts(
          Columns.view(values, int[].class), isUnsigned ? 0xffff_ffffL : ALL_BITS, numbers, rows);
    } else if (isUnsigned) {
      kernels.widenChars(Columns.view(values, char[].class), numbers, rows);
    } else {
      kernels.widenShorts(Columns.view(values, short[].class), numbers, rows);
    }
    return numbers;
  }
}
