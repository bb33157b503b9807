package dev.streamfence.internal.column.foreign;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DecimalType;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.PlainType;
import dev.streamfence.column.Schema;
import dev.streamfence.column.TimestampType;
import dev.streamfence.column.TimestampUnit;
import dev.streamfence.internal.exchange.ArrowFormat;
import dev.streamfence.internal.exchange.ArrowFormat.ValueKind;
import dev.streamfence.internal.exchange.SchemaNode;
import java.util.List;
import java.util.Map;

/** The fields of a table, as the schemas of Arrow's C interface describe them. */
final class ArrowFields {
  private static final String EXTENSION_NAME = "ARROW:extension:name";
  private static final String EXTENSION_METADATA = "ARROW:extension:metadata";
  private static final String BOOL8 = "arrow.bool8";
  private static final int DECIMAL_BITS = 64;

  private ArrowFields() {}

  /** The schema of a table. */
  static SchemaNode describe(Schema schema) {
    return new SchemaNode(
        "",
        ArrowFormat.of(ValueKind.STRUCT, 0),
        0,
        Map.of(),
        schema.fields().stream().map(ArrowFields::describe).toList(),
        null);
  }

  private static SchemaNode describe(ColumnField field) {
    long flags = field.isNullable() ? SchemaNode.NULLABLE : 0;
    if (field.type() instanceof DictionaryType dictionary) {
      SchemaNode values = plain("", ArrowFormat.of(ValueKind.UTF8, 0), 0, Map.of());
      return new SchemaNode(
          field.name(),
          format(dictionary.index()),
          dictionary.isOrdered() ? flags | SchemaNode.ORDERED : flags,
          Map.of(),
          List.of(),
          values);
    }
    Map<String, String> metadata =
        field.type() == ColumnType.BOOL8
            ? Map.of(EXTENSION_NAME, BOOL8, EXTENSION_METADATA, "")
            : Map.of();
    return plain(field.name(), format(field.type()), flags, metadata);
  }

  private static SchemaNode plain(
      String name, ArrowFormat format, long flags, Map<String, String> metadata) {
    return new SchemaNode(name, format, flags, metadata, List.of(), null);
  }

  private static ArrowFormat format(ColumnType type) {
    if (type instanceof TimestampType timestamp) {
      return ArrowFormat.timestamp(unit(timestamp.unit()), timestamp.timezone());
    }
    if (type instanceof DecimalType decimal) {
      return ArrowFormat.decimal(decimal.precision(), decimal.scale(), DECIMAL_BITS);
    }
    if (type instanceof DictionaryType dictionary) {
      return format(dictionary.index());
    }
    PlainType plain = (PlainType) type;
    return switch (plain.kind()) {
      case BIT -> ArrowFormat.of(ValueKind.BOOL, 1);
      case FLAG, SIGNED -> ArrowFormat.of(ValueKind.INT, plain.bitWidth());
      case UNSIGNED -> ArrowFormat.of(ValueKind.UINT, plain.bitWidth());
      case FLOATING -> ArrowFormat.of(ValueKind.FLOAT, plain.bitWidth());
      case DATE -> ArrowFormat.of(ValueKind.DATE, plain.bitWidth());
      case TEXT -> ArrowFormat.of(ValueKind.UTF8, 0);
    };
  }

  private static char unit(TimestampUnit unit) {
    return switch (unit) {
      case SECOND -> 's';
      case MILLISECOND -> 'm';
      case MICROSECOND -> 'u';
      case NANOSECOND -> 'n';
    };
  }

  private static TimestampUnit unit(char unit) {
    return switch (unit) {
      case 's' -> TimestampUnit.SECOND;
      case 'm' -> TimestampUnit.MILLISECOND;
      case 'u' -> TimestampUnit.MICROSECOND;
      default -> TimestampUnit.NANOSECOND;
    };
  }

  /**
   * The type of a column.
   *
   * @throws IllegalArgumentException if columns cannot have it
   */
  static ColumnType type(SchemaNode node) {
    SchemaNode dictionary = node.dictionary();
    if (dictionary != null) {
      if (dictionary.format().kind() != ValueKind.UTF8) {
        throw refused(node, "a dictionary of '" + dictionary.format() + "'; one of text");
      }
      boolean isOrdered = (node.flags() & SchemaNode.ORDERED) != 0;
      return new DictionaryType(integer(node.format()), ColumnType.UTF8, isOrdered);
    }
    ArrowFormat format = node.format();
    return switch (format.kind()) {
      case BOOL -> ColumnType.BOOL;
      case INT, UINT -> isBool8(node) ? ColumnType.BOOL8 : integer(format);
      case FLOAT -> format.bits() == 32 ? ColumnType.FLOAT32 : ColumnType.FLOAT64;
      case DATE -> ColumnType.DATE32;
      case TIMESTAMP -> ColumnType.timestamp(unit(format.unit()), format.timezone());
      case DECIMAL -> decimal(node);
      case UTF8 -> ColumnType.UTF8;
      case STRUCT -> throw refused(node, "structures; a column of values");
    };
  }

  private static boolean isBool8(SchemaNode node) {
    return node.format().kind() == ValueKind.INT
        && node.format().bits() == Byte.SIZE
        && BOOL8.equals(node.metadata().get(EXTENSION_NAME));
  }

  private static PlainType integer(ArrowFormat format) {
    return PlainType.integer(format.bits(), format.kind() == ValueKind.INT);
  }

  private static ColumnType decimal(SchemaNode node) {
    ArrowFormat format = node.format();
    if (format.bits() != DECIMAL_BITS || format.precision() > DecimalType.MAX_PRECISION) {
      throw refused(
          node,
          "decimals of "
              + format.precision()
              + " digits in "
              + format.bits()
              + " bits; at most "
              + DecimalType.MAX_PRECISION
              + " digits in "
              + DECIMAL_BITS
              + " bits");
    }
    return ColumnType.decimal(format.precision(), format.scale());
  }

  private static IllegalArgumentException refused(SchemaNode node, String has) {
    return new IllegalArgumentException(
        "field '" + node.name() + "' has " + has + " can be adopted");
  }
}
