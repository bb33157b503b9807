package dev.streamfence.internal.exchange;

import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ArrowFormat.ValueKind;
import dev.streamfence.internal.exchange.ArrowLayout.OfSchema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One field as an {@code ArrowSchema} describes it. A copy: the structure is not read again.
 * Immutable.
 *
 * @param flags {@link #NULLABLE}, {@link #ORDERED}
 * @param children the fields of a structure
 * @param dictionary what the values are the indices of; null if they are values themselves
 */
public record SchemaNode(
    String name,
    ArrowFormat format,
    long flags,
    Map<String, String> metadata,
    List<SchemaNode> children,
    @Nullable SchemaNode dictionary) {
  /** The flag of a dictionary whose indices compare like its values. */
  public static final long ORDERED = 1;

  /** The flag of a field that may have nulls. */
  public static final long NULLABLE = 2;

  /** More columns than any table has; a number beyond is a sign that this is no schema. */
  static final int MAX_CHILDREN = 1 << 16;

  /** Copies the collections. The metadata keep their order. */
  public SchemaNode {
    metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    children = List.copyOf(children);
  }

  /**
   * Reads a schema.
   *
   * @throws IllegalArgumentException if it is released, cannot be read, or has a type that is not
   *     supported
   */
  public static SchemaNode read(long address) {
    NativeAddress.load();
    Pointer at = NativeAddress.of(address, Long.BYTES, "the pointer to an ArrowSchema");
    return read(at, "the schema at " + NativeAddress.hex(address), true);
  }

  private static SchemaNode read(Pointer at, String what, boolean isTop) {
    if (at.getLong(OfSchema.RELEASE) == 0) {
      throw new IllegalArgumentException(what + " has been released or moved already");
    }
    ArrowFormat format =
        ArrowFormat.parse(
            text(at.getLong(OfSchema.FORMAT), what + ": the pointer to its format"), what);
    if (format.kind() == ValueKind.STRUCT && !isTop) {
      throw new IllegalArgumentException(what + " is a structure within a structure");
    }
    long flags = at.getLong(OfSchema.FLAGS);
    Map<String, String> metadata = SchemaMetadata.read(at.getLong(OfSchema.METADATA), what);
    return new SchemaNode(
        name(at, what),
        format,
        flags,
        metadata,
        children(at, format, what),
        dictionary(at, format, what));
  }

  private static String name(Pointer at, String what) {
    long name = at.getLong(OfSchema.NAME);
    return name == 0 ? "" : text(name, what + ": the pointer to its name");
  }

  private static List<SchemaNode> children(Pointer at, ArrowFormat format, String what) {
    long count = at.getLong(OfSchema.CHILD_COUNT);
    if (count < 0 || count > (format.kind() == ValueKind.STRUCT ? MAX_CHILDREN : 0)) {
      throw new IllegalArgumentException(
          what
              + " of format '"
              + format
              + "' has "
              + count
              + " children; it has "
              + (format.kind() == ValueKind.STRUCT ? "0 to " + MAX_CHILDREN : "none"));
    }
    List<SchemaNode> children = new ArrayList<>();
    for (Pointer child : pointers(at.getLong(OfSchema.CHILDREN), count, what)) {
      children.add(read(child, field(child, children.size()), false));
    }
    return children;
  }

  private static @Nullable SchemaNode dictionary(Pointer at, ArrowFormat format, String what) {
    long dictionary = at.getLong(OfSchema.DICTIONARY);
    if (dictionary == 0) {
      return null;
    }
    if (format.kind() != ValueKind.INT && format.kind() != ValueKind.UINT) {
      throw new IllegalArgumentException(
          what + " has a dictionary and the format '" + format + "'; indices are integers");
    }
    String ofThis = "the dictionary of " + what;
    Pointer to = NativeAddress.of(dictionary, Long.BYTES, "the pointer to " + ofThis);
    if (to.getLong(OfSchema.DICTIONARY) != 0) {
      throw new IllegalArgumentException(ofThis + " has a dictionary itself");
    }
    return read(to, ofThis, false);
  }

  /** How errors name a field: by its name if it has one. */
  private static String field(Pointer at, int index) {
    String name = name(at, "field " + index);
    return describe(name, index);
  }

  static String describe(String name, int index) {
    return name.isEmpty() ? "field " + index : "field '" + name + "'";
  }

  /** The structures that an array of pointers names. */
  static List<Pointer> pointers(long address, long count, String what) {
    List<Pointer> pointers = new ArrayList<>();
    if (count > 0) {
      Pointer at = NativeAddress.of(address, Long.BYTES, what + ": the pointer to its children");
      for (long i = 0; i < count; i++) {
        pointers.add(
            NativeAddress.of(
                at.getLong(i * Long.BYTES), Long.BYTES, what + ": the pointer to its child " + i));
      }
    }
    return pointers;
  }

  private static String text(long address, String what) {
    return NativeAddress.of(address, 1, what).getString(0, "UTF-8");
  }

  /** Whether the field may have nulls. */
  public boolean isNullable() {
    return (flags & NULLABLE) != 0;
  }
}
