package dev.streamfence.column;

import java.util.Objects;

/**
 * The name and the type of a column. Immutable.
 *
 * @param name any text, which may be empty
 * @param isNullable whether rows may be null
 */
public record ColumnField(String name, ColumnType type, boolean isNullable) {
  /** Refuses null. */
  public ColumnField {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(type, "type");
  }

  /** A field with a value in every row. */
  public static ColumnField of(String name, ColumnType type) {
    return new ColumnField(name, type, false);
  }

  /** A field whose rows may be null. */
  public static ColumnField nullable(String name, ColumnType type) {
    return new ColumnField(name, type, true);
  }

  /** The same under another name. */
  public ColumnField renamed(String newName) {
    return new ColumnField(newName, type, isNullable);
  }

  /** For example {@code price: decimal64(12, 2) not null}. */
  @Override
  public String toString() {
    return name + ": " + type + (isNullable ? "" : " not null");
  }
}
