package dev.streamfence.internal.column;

import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.WritableArray;
import dev.streamfence.launch.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a column before they are checked. {@link #build} takes ownership of them, unless it
 * refuses them. Confined to one thread.
 *
 * @param <A> the Java array type of the values
 */
public final class ColumnDraft<A> {
  private final ColumnField field;
  private final long length;
  private final TrackedArray<A> values;
  private final TrackedRuntime runtime;
  private long bitOffset;
  private @Nullable TrackedArray<byte[]> validity;
  private long validityOffset;
  private @Nullable TrackedArray<int[]> offsets;
  private @Nullable TrackedColumn<byte[]> dictionary;
  private ColumnOrigin origin = ColumnOrigin.OWNED;
  private boolean isReadOnly;
  private long nullCount = -1;

  /**
   * Begins with the values.
   *
   * @param length how many rows the column has
   * @param values at least as many as these rows take
   */
  public ColumnDraft(ColumnField field, long length, ReadableArray<A> values) {
    this.field = Objects.requireNonNull(field, "field");
    this.length = length;
    this.values = TrackedArray.of(Objects.requireNonNull(values, "values"));
    this.runtime = this.values.runtime();
  }

  /** Where row 0 is in the bits of the values; any number from 0 on. */
  public ColumnDraft<A> bitOffset(long bits) {
    bitOffset = bits;
    return this;
  }

  /**
   * Sets the validity bitmap; an empty one says that no row is null.
   *
   * @param bits where row 0 is in the bitmap; any number from 0 on
   */
  public ColumnDraft<A> validity(ReadableArray<byte[]> bitmap, long bits) {
    validity = TrackedArray.of(Objects.requireNonNull(bitmap, "validity"));
    validityOffset = bits;
    return this;
  }

  /** Sets the offsets of text. */
  public ColumnDraft<A> offsets(ReadableArray<int[]> array) {
    offsets = TrackedArray.of(Objects.requireNonNull(array, "offsets"));
    return this;
  }

  /** Sets the dictionary. */
  public ColumnDraft<A> dictionary(ReadableColumn<byte[]> column) {
    dictionary = (TrackedColumn<byte[]>) Objects.requireNonNull(column, "dictionary");
    return this;
  }

  /** Sets the origin; at first, the runtime owns the memory. */
  public ColumnDraft<A> origin(ColumnOrigin from) {
    origin = from;
    return this;
  }

  /** Declares that the arrays are only read. */
  public ColumnDraft<A> readOnly() {
    isReadOnly = true;
    return this;
  }

  /** Sets the number of nulls, which is unknown at first. */
  public ColumnDraft<A> nullCount(long nulls) {
    nullCount = nulls;
    return this;
  }

  /**
   * Checks the parts and makes the column, which owns them from then on.
   *
   * @throws IllegalArgumentException if they do not fit each other or the field
   * @throws StreamMisuseException if they belong to two runtimes
   */
  public TrackedColumn<A> build() {
    if (length < 0) {
      throw refused("has " + length + " rows; a column has at least 0");
    }
    checkValues();
    checkText();
    checkDictionary();
    TrackedArray<byte[]> bitmap = checkedValidity();
    List<Runnable> closes = new ArrayList<>();
    closes.add(values::close);
    closes.add(bitmap::close);
    if (offsets != null) {
      closes.add(offsets::close);
    }
    if (dictionary != null) {
      closes.add(dictionary::close);
    }
    boolean isText = field.type() == ColumnType.UTF8;
    TrackedColumn.Parts<A> parts =
        new TrackedColumn.Parts<>(
            field,
            runtime,
            length,
            isText ? values : window(values, bitOffset / 8, valuesNeeded() - bitOffset / 8),
            (int) (bitOffset % 8),
            bitmap.length() == 0
                ? bitmap
                : window(bitmap, validityOffset / 8, bytes(validityOffset % 8, length)),
            bitmap.length() == 0 ? 0 : (int) (validityOffset % 8),
            offsets == null || offsets.length() == 0 ? offsets : window(offsets, 0, length + 1),
            dictionary,
            origin,
            TrackedColumn.KnownNulls.of(nullCount, bitmap));
    return WritableColumn.of(parts, isReadOnly, Owned.by(closes));
  }

  /** Makes a column of arrays that can be written, like {@link #build}. */
  public WritableColumn<A> buildWritable() {
    return (WritableColumn<A>) build();
  }

  /** The bytes that some bits take, from a bit of the first byte on. */
  public static long bytes(long bitOffset, long bits) {
    return Math.addExact(Math.addExact(bitOffset, bits), 7) / 8;
  }

  private void checkValues() {
    if (!(values.elementType() instanceof ElementType element)
        || element.array() != field.type().arrayType()) {
      throw refused(
          "takes values of "
              + field.type().arrayType().getSimpleName()
              + "; the array has "
              + values.elementType().typeName()
              + "[]");
    }
    if (bitOffset < 0 || (bitOffset > 0 && field.type() != ColumnType.BOOL)) {
      throw refused("begins at bit " + bitOffset + " of its values; only bool has such offsets");
    }
    long needed = valuesNeeded();
    if (values.length() < needed) {
      throw refused("needs " + needed + " values; " + values + " has " + values.length());
    }
  }

  /** The elements that the values need; none for text, whose bytes only the offsets tell. */
  private long valuesNeeded() {
    return switch (field.type().bitWidth()) {
      case 0 -> 0;
      case 1 -> counted(bitOffset);
      default -> length;
    };
  }

  private long counted(long bits) {
    try {
      return bytes(bits, length);
    } catch (ArithmeticException e) {
      IllegalArgumentException refusal =
          refused("begins at bit " + bits + ", and a long does not count the bits from there");
      refusal.initCause(e);
      throw refusal;
    }
  }

  private TrackedArray<byte[]> checkedValidity() {
    TrackedArray<byte[]> bitmap = validity;
    if (bitmap == null) {
      return WritableArray.empty(runtime, byte[].class);
    }
    requireSameRuntime(bitmap);
    if (bitmap.length() == 0) {
      return bitmap;
    }
    if (!field.isNullable()) {
      throw refused("is not nullable and has a validity bitmap; pass an empty one");
    }
    if (validityOffset < 0) {
      throw refused("begins at bit " + validityOffset + " of its validity bitmap");
    }
    long needed = counted(validityOffset);
    if (bitmap.length() < needed) {
      throw refused(
          "needs a validity bitmap of " + needed + " bytes; " + bitmap + " has " + bitmap.length());
    }
    return bitmap;
  }

  private void checkText() {
    boolean isText = field.type() == ColumnType.UTF8;
    if (offsets == null) {
      if (isText) {
        throw refused("needs offsets, which say where the text of each row begins");
      }
      return;
    }
    requireSameRuntime(offsets);
    if (!isText) {
      throw refused("has offsets, which only utf8 takes");
    }
    // Arrow lets the offsets of no rows be empty.
    if (offsets.length() <= length && (length > 0 || offsets.length() > 0)) {
      throw refused(
          "needs one offset more than it has rows; " + offsets + " has " + offsets.length());
    }
  }

  private void checkDictionary() {
    if (!(field.type() instanceof DictionaryType type)) {
      if (dictionary != null) {
        throw refused("has a dictionary, which its type does not take");
      }
      return;
    }
    if (dictionary == null) {
      throw refused("needs a dictionary");
    }
    if (!dictionary.type().equals(type.value())) {
      throw refused("takes a dictionary of " + type.value() + ", not of " + dictionary.type());
    }
    if (dictionary.runtime() != runtime) {
      throw ofTwoRuntimes(dictionary);
    }
  }

  private void requireSameRuntime(ReadableArray<?> other) {
    if (other.runtime() != runtime) {
      throw ofTwoRuntimes(other);
    }
  }

  private StreamMisuseException ofTwoRuntimes(Object other) {
    return new StreamMisuseException(
        StreamMisuseException.Misuse.OTHER_RUNTIME,
        "column '"
            + field.name()
            + "' of "
            + values
            + " and "
            + other
            + ": they belong to two runtimes");
  }

  private IllegalArgumentException refused(String why) {
    return new IllegalArgumentException(
        "column '" + field.name() + "' (" + field.type() + ", " + length + " rows) " + why);
  }

  /** Some elements of an array: the array itself if they are all. */
  private static <T> TrackedArray<T> window(TrackedArray<T> array, long from, long count) {
    return from == 0 && count == array.length() ? array : array.view(from, count);
  }
}
