package dev.streamfence.examples.tpch;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DecimalType;
import dev.streamfence.column.DictionaryType;
import java.nio.file.Path;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;

/**
 * A column of an Arrow file, batch by batch as the Java array that a {@link HostTable} takes. Rows
 * in messages are counted from 0.
 */
abstract sealed class ArrowColumn permits ArrowNumbers, ArrowDates, ArrowTexts {
  private static final int DECIMAL_BITS = 128;

  private final Path file;
  private final ColumnField field;
  private final FieldVector vector;

  ArrowColumn(Path file, ColumnField field, FieldVector vector) {
    this.file = file;
    this.field = field;
    this.vector = vector;
  }

  /**
   * The column of a vector.
   *
   * @param vector gets the values of each batch
   * @throws DataFileException if the vector has another type than the field
   */
  static ArrowColumn of(
      Path file, ColumnField field, FieldVector vector, DictionaryProvider dictionaries) {
    ArrowType expected = arrowType(field);
    ArrowType found = typeOf(vector, dictionaries);
    boolean isEncoded = vector.getField().getDictionary() != null;
    if (!matches(expected, found) || (isEncoded && !(expected instanceof ArrowType.Utf8))) {
      throw new DataFileException(
          "column "
              + field.name()
              + " of "
              + file
              + " has the type "
              + found
              + (isEncoded ? " with a dictionary" : "")
              + "; it must be "
              + expected
              + (expected instanceof ArrowType.Utf8 ? ", with or without a dictionary" : ""));
    }
    if (field.type() instanceof DictionaryType) {
      return new ArrowTexts(file, field, vector, dictionaries);
    }
    if (vector instanceof DateDayVector days) {
      return new ArrowDates(file, field, days);
    }
    return new ArrowNumbers(file, field, (BaseFixedWidthVector) vector);
  }

  /** The type that a field of the schema has in Arrow Java. */
  static ArrowType arrowType(ColumnField field) {
    if (field.type() instanceof DictionaryType) {
      return ArrowType.Utf8.INSTANCE;
    }
    if (field.type() instanceof DecimalType decimal) {
      return new ArrowType.Decimal(decimal.precision(), decimal.scale(), DECIMAL_BITS);
    }
    return field.type() == ColumnType.DATE32
        ? new ArrowType.Date(DateUnit.DAY)
        : new ArrowType.Int(Long.SIZE, true);
  }

  private static ArrowType typeOf(FieldVector vector, DictionaryProvider dictionaries) {
    return vector.getField().getDictionary() == null
        ? vector.getField().getType()
        : dictionaries.lookup(vector.getField().getDictionary().getId()).getVectorType();
  }

  /** Decimals may have more or fewer digits, since each value is checked. */
  private static boolean matches(ArrowType expected, ArrowType found) {
    if (expected instanceof ArrowType.Decimal some && found instanceof ArrowType.Decimal other) {
      return some.getScale() == other.getScale() && other.getBitWidth() == DECIMAL_BITS;
    }
    return expected.equals(found);
  }

  /**
   * The values of the batch that the vector has now.
   *
   * @param firstRow how many rows the batches before it had, for messages
   * @throws DataFileException if a row is null or has a value that TPC-H does not have
   */
  final Object values(long firstRow) {
    requireWhole();
    for (int row = 0; vector.getNullCount() > 0 && row < vector.getValueCount(); row++) {
      if (vector.isNull(row)) {
        throw wrong(firstRow + row, "null; TPC-H has no nulls");
      }
    }
    return valuesWithoutNulls(firstRow);
  }

  /** In a damaged file, there can be fewer values than rows. */
  private void requireWhole() {
    long rows = vector.getValueCount();
    boolean isWhole =
        vector instanceof BaseFixedWidthVector fixed
            ? fixed.getDataBuffer().capacity() >= rows * fixed.getTypeWidth()
            : vector.getOffsetBuffer().capacity() >= (rows + 1) * Integer.BYTES;
    if (!isWhole) {
      throw new DataFileException(
          file + " is damaged: column " + field.name() + " has fewer values than " + rows);
    }
  }

  /** The values of a batch in which no row is null. */
  abstract Object valuesWithoutNulls(long firstRow);

  /** The failure of a row. */
  final DataFileException wrong(long row, String value) {
    return new DataFileException(
        "row " + row + " of column " + field.name() + " of " + file + " is " + value);
  }
}
