package dev.streamfence.column;

import java.util.Objects;

/**
 * Values that are looked up: each is the number of a row of the column's dictionary. Immutable.
 *
 * @param index the type of the numbers, an integer of any width
 * @param value the type of the dictionary, {@link ColumnType#UTF8}
 * @param isOrdered whether the numbers compare like the values that they stand for
 */
public record DictionaryType(PlainType index, PlainType value, boolean isOrdered)
    implements ColumnType {
  /** Refuses other types. */
  public DictionaryType {
    Objects.requireNonNull(index, "index");
    Objects.requireNonNull(value, "value");
    if (!index.isInteger()) {
      throw new IllegalArgumentException(
          "a dictionary with indices of type " + index + "; int8 to int64 and uint8 to uint64 fit");
    }
    if (value != UTF8) {
      throw new IllegalArgumentException("a dictionary of " + value + "; only utf8 is supported");
    }
  }

  @Override
  public int bitWidth() {
    return index.bitWidth();
  }

  @Override
  public Class<?> arrayType() {
    return index.arrayType();
  }

  @Override
  public String toString() {
    return "dictionary<values="
        + value
        + ", indices="
        + index
        + (isOrdered ? ", ordered" : "")
        + ">";
  }
}
