package dev.streamfence.column;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The fields of a table, in order. As in Arrow, two fields may have the same name; such fields can
 * be used by position only. Immutable.
 */
public record Schema(List<ColumnField> fields) {
  /** Messages contain schemas. */
  private static final int MAX_NAMED = 10;

  /** Copies the list. */
  public Schema {
    Objects.requireNonNull(fields, "fields");
    fields = List.copyOf(fields);
  }

  /** A schema of these fields. */
  public static Schema of(ColumnField... fields) {
    Objects.requireNonNull(fields, "fields");
    return new Schema(List.of(fields));
  }

  /** How many fields there are. */
  public int columnCount() {
    return fields.size();
  }

  /**
   * A field by position.
   *
   * @throws IllegalArgumentException if the schema has no such field
   */
  public ColumnField field(int index) {
    return fields.get(requireIndex(index));
  }

  /**
   * A field by name.
   *
   * @throws IllegalArgumentException if none or several have the name
   */
  public ColumnField field(String name) {
    return fields.get(indexOf(name));
  }

  /** Whether a field has the name. */
  public boolean contains(String name) {
    Objects.requireNonNull(name, "name");
    return fields.stream().anyMatch(field -> field.name().equals(name));
  }

  /**
   * The position of a field.
   *
   * @throws IllegalArgumentException if none or several have the name
   */
  public int indexOf(String name) {
    Objects.requireNonNull(name, "name");
    int[] found =
        IntStream.range(0, fields.size())
            .filter(i -> fields.get(i).name().equals(name))
            .limit(2)
            .toArray();
    if (found.length == 0) {
      throw new IllegalArgumentException("no field is named '" + name + "'; the schema is " + this);
    }
    if (found.length > 1) {
      throw new IllegalArgumentException(
          "fields "
              + found[0]
              + " and "
              + found[1]
              + " are both named '"
              + name
              + "'; use a position");
    }
    return found[0];
  }

  /**
   * Some of the fields, in the given order.
   *
   * @throws IllegalArgumentException if none or several have one of the names
   */
  public Schema select(String... names) {
    Objects.requireNonNull(names, "names");
    Map<String, ColumnField> unique = new HashMap<>();
    Set<String> seen = new HashSet<>();
    for (ColumnField field : fields) {
      if (seen.add(field.name())) {
        unique.put(field.name(), field);
      } else {
        unique.remove(field.name());
      }
    }
    List<ColumnField> selected = new ArrayList<>(names.length);
    for (String name : names) {
      ColumnField field = unique.get(name);
      selected.add(field == null ? field(name) : field);
    }
    return new Schema(selected);
  }

  /**
   * The same fields, one of them under another name.
   *
   * @throws IllegalArgumentException if none or several have the name
   */
  public Schema rename(String name, String newName) {
    int index = indexOf(name);
    List<ColumnField> renamed = new ArrayList<>(fields);
    renamed.set(index, fields.get(index).renamed(newName));
    return new Schema(renamed);
  }

  /** The same fields, and one more at the end. */
  public Schema append(ColumnField field) {
    Objects.requireNonNull(field, "field");
    List<ColumnField> more = new ArrayList<>(fields);
    more.add(field);
    return new Schema(more);
  }

  /**
   * The bytes that columns of this schema take on the device: values, validity bitmaps of nullable
   * fields, and offsets. The size of text and dictionaries does not follow from a schema.
   *
   * @param rows at least 0
   * @throws IllegalArgumentException if {@code rows} is negative, or the bytes exceed a {@code
   *     long}
   */
  public long sizeInBytes(long rows) {
    if (rows < 0) {
      throw new IllegalArgumentException(rows + " rows of a schema; there are at least 0");
    }
    try {
      long bytes = 0;
      for (ColumnField field : fields) {
        bytes = Math.addExact(bytes, sizeInBytes(field, rows));
      }
      return bytes;
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          rows + " rows of " + this + " have more bytes than a long counts", e);
    }
  }

  private static long sizeInBytes(ColumnField field, long rows) {
    long bits = rows / 8 + (rows % 8 == 0 ? 0 : 1);
    long values =
        switch (field.type().bitWidth()) {
          case 0 -> Math.multiplyExact(Math.addExact(rows, 1), Integer.BYTES);
          case 1 -> bits;
          default -> Math.multiplyExact(rows, field.type().bitWidth() / 8);
        };
    return field.isNullable() ? Math.addExact(values, bits) : values;
  }

  private int requireIndex(int index) {
    if (index < 0 || index >= fields.size()) {
      throw new IllegalArgumentException(
          "field " + index + " of a schema of " + fields.size() + ": " + this);
    }
    return index;
  }

  /** For example {@code (key: int32 not null, name: utf8)}; of many fields, the first ten. */
  @Override
  public String toString() {
    int more = fields.size() - MAX_NAMED;
    String end = more > 0 ? " and " + more + " more)" : ")";
    return fields.stream()
        .limit(MAX_NAMED)
        .map(ColumnField::toString)
        .collect(Collectors.joining(", ", "(", end));
  }
}
