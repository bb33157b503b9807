package dev.streamfence.internal.column.foreign;

import dev.streamfence.column.ColumnField;
import dev.streamfence.column.DecimalType;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.PlainType;
import dev.streamfence.column.TimestampType;
import dev.streamfence.internal.exchange.TensorElement;

/** The elements of tensors that stand for columns. */
final class TensorTypes {
  private TensorTypes() {}

  /**
   * The elements of a column's values; the numbers of a dictionary are its values.
   *
   * @throws IllegalArgumentException if a tensor cannot express the type
   */
  static TensorElement of(ColumnField field) {
    if (field.type() instanceof PlainType plain) {
      return of(field, plain);
    }
    if (field.type() instanceof DictionaryType dictionary) {
      return of(field, dictionary.index());
    }
    if (field.type() instanceof TimestampType || field.type() instanceof DecimalType) {
      return TensorElement.integer(64);
    }
    throw refused(field);
  }

  private static TensorElement of(ColumnField field, PlainType type) {
    return switch (type.kind()) {
      case FLAG -> TensorElement.bool();
      case SIGNED, DATE -> TensorElement.integer(type.bitWidth());
      case UNSIGNED -> TensorElement.unsigned(type.bitWidth());
      case FLOATING -> TensorElement.floating(type.bitWidth());
      case BIT, TEXT -> throw refused(field);
    };
  }

  private static IllegalArgumentException refused(ColumnField field) {
    return new IllegalArgumentException(
        "column '"
            + field.name()
            + "' ("
            + field.type()
            + ") cannot be a tensor, whose elements are whole bytes of one width");
  }
}
