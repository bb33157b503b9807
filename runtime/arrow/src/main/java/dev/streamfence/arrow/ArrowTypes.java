package dev.streamfence.arrow;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DecimalType;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.PlainType;
import dev.streamfence.column.TimestampType;
import dev.streamfence.column.TimestampUnit;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.jspecify.annotations.Nullable;

/** The types of Arrow Java and those of columns. */
final class ArrowTypes {
  private static final String EXTENSION = ArrowType.ExtensionType.EXTENSION_METADATA_KEY_NAME;
  private static final String BOOL8 = "arrow.bool8";
  private static final String SUPPORTED =
      "bool, arrow.bool8, integers of 8 to 64 bits, float32, float64, date32, timestamps,"
          + " decimals of 128 bits and at most 18 digits, utf8, and dictionaries of utf8";

  private ArrowTypes() {}

  /** The field of a column for a vector. */
  static ColumnField column(Field field, DictionaryProvider dictionaries) {
    String name = orEmpty(field.getName());
    DictionaryEncoding encoding = field.getDictionary();
    ColumnType type =
        encoding != null
            ? encoded(name, encoding, dictionaries)
            : plain(field)
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            "field '"
                                + name
                                + "' has the type "
                                + field.getType()
                                + "; supported are "
                                + SUPPORTED));
    return new ColumnField(name, type, field.isNullable());
  }

  /** The field of a vector for a column; a dictionary gets the id. */
  static Field field(ColumnField column, long id) {
    return new Field(column.name(), fieldType(column, id), null);
  }

  static void requireNoDictionary(ColumnField column) {
    if (column.type() instanceof DictionaryType) {
      throw new IllegalArgumentException(
          "column '"
              + column.name()
              + "' ("
              + column.type()
              + ") has a dictionary; pass a provider that gets it");
    }
  }

  private static Optional<ColumnType> plain(Field field) {
    ArrowType type = field.getType();
    if (type instanceof ArrowType.Bool) {
      return Optional.of(ColumnType.BOOL);
    }
    if (type instanceof ArrowType.Int integer) {
      return BOOL8.equals(field.getMetadata().get(EXTENSION))
          ? Optional.of(ColumnType.BOOL8)
          : Optional.of(integer(integer));
    }
    if (type instanceof ArrowType.FloatingPoint number) {
      return switch (number.getPrecision()) {
        case SINGLE -> Optional.of(ColumnType.FLOAT32);
        case DOUBLE -> Optional.of(ColumnType.FLOAT64);
        case HALF -> Optional.empty();
      };
    }
    if (type instanceof ArrowType.Date date && date.getUnit() == DateUnit.DAY) {
      return Optional.of(ColumnType.DATE32);
    }
    if (type instanceof ArrowType.Timestamp time) {
      return Optional.of(ColumnType.timestamp(unit(time.getUnit()), orEmpty(time.getTimezone())));
    }
    if (type instanceof ArrowType.Decimal decimal
        && decimal.getBitWidth() == 128
        && decimal.getPrecision() <= DecimalType.MAX_PRECISION) {
      return Optional.of(ColumnType.decimal(decimal.getPrecision(), decimal.getScale()));
    }
    return type instanceof ArrowType.Utf8 ? Optional.of(ColumnType.UTF8) : Optional.empty();
  }

  private static ColumnType encoded(
      String name, DictionaryEncoding encoding, DictionaryProvider dictionaries) {
    Dictionary dictionary = dictionaries.lookup(encoding.getId());
    if (dictionary == null) {
      throw new IllegalArgumentException(
          "field '"
              + name
              + "' refers to dictionary "
              + encoding.getId()
              + ", which the provider does not have");
    }
    if (!(dictionary.getVectorType() instanceof ArrowType.Utf8)) {
      throw new IllegalArgumentException(
          "field '"
              + name
              + "' is encoded by dictionary "
              + encoding.getId()
              + " of "
              + dictionary.getVectorType()
              + "; dictionaries of utf8 are supported");
    }
    return new DictionaryType(
        integer(encoding.getIndexType()), ColumnType.UTF8, encoding.isOrdered());
  }

  private static PlainType integer(ArrowType.Int type) {
    return PlainType.integer(type.getBitWidth(), type.getIsSigned());
  }

  private static FieldType fieldType(ColumnField column, long id) {
    boolean nullable = column.isNullable();
    if (column.type() instanceof DictionaryType dictionary) {
      ArrowType.Int index = (ArrowType.Int) arrow(dictionary.index());
      return new FieldType(
          nullable, index, new DictionaryEncoding(id, dictionary.isOrdered(), index));
    }
    Map<String, String> metadata =
        column.type() == ColumnType.BOOL8
            ? Map.of(EXTENSION, BOOL8, ArrowType.ExtensionType.EXTENSION_METADATA_KEY_METADATA, "")
            : Map.of();
    return new FieldType(nullable, arrow(column.type()), null, metadata);
  }

  private static ArrowType arrow(ColumnType type) {
    if (type instanceof TimestampType time) {
      String timezone = time.timezone();
      return new ArrowType.Timestamp(unit(time.unit()), timezone.isEmpty() ? null : timezone);
    }
    if (type instanceof DecimalType decimal) {
      return new ArrowType.Decimal(decimal.precision(), decimal.scale(), 128);
    }
    PlainType plain = (PlainType) type;
    int bits = plain.bitWidth();
    return switch (plain.kind()) {
      case BIT -> ArrowType.Bool.INSTANCE;
      case FLAG, SIGNED -> new ArrowType.Int(bits, true);
      case UNSIGNED -> new ArrowType.Int(bits, false);
      case FLOATING ->
          new ArrowType.FloatingPoint(
              bits == 32 ? FloatingPointPrecision.SINGLE : FloatingPointPrecision.DOUBLE);
      case DATE -> new ArrowType.Date(DateUnit.DAY);
      case TEXT -> ArrowType.Utf8.INSTANCE;
    };
  }

  private static TimestampUnit unit(TimeUnit unit) {
    return switch (unit) {
      case SECOND -> TimestampUnit.SECOND;
      case MILLISECOND -> TimestampUnit.MILLISECOND;
      case MICROSECOND -> TimestampUnit.MICROSECOND;
      case NANOSECOND -> TimestampUnit.NANOSECOND;
    };
  }

  private static TimeUnit unit(TimestampUnit unit) {
    return switch (unit) {
      case SECOND -> TimeUnit.SECOND;
      case MILLISECOND -> TimeUnit.MILLISECOND;
      case MICROSECOND -> TimeUnit.MICROSECOND;
      case NANOSECOND -> TimeUnit.NANOSECOND;
    };
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
