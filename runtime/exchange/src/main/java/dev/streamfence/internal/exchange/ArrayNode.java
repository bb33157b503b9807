package dev.streamfence.internal.exchange;

import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ArrowFormat.ValueKind;
import dev.streamfence.internal.exchange.ArrowLayout.OfArray;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One column, or all columns of a table, as an {@code ArrowArray} describes them. A copy: the
 * structure is not read again. Immutable.
 *
 * @param length how many rows it has
 * @param nullCount how many of them are null; -1 if that is not known
 * @param offset where its rows begin in the buffers, in rows
 * @param buffers their addresses: validity, then the values, or the offsets and bytes of a text; 0
 *     for one that is not there
 */
public record ArrayNode(
    long length,
    long nullCount,
    long offset,
    List<Long> buffers,
    List<ArrayNode> children,
    @Nullable ArrayNode dictionary) {
  /** The number of nulls that a library has not counted. */
  public static final long UNKNOWN = -1;

  /** Copies the lists. */
  public ArrayNode {
    buffers = List.copyOf(buffers);
    children = List.copyOf(children);
  }

  /**
   * Reads an array.
   *
   * @throws IllegalArgumentException if it is released, cannot be read, or does not fit the schema
   */
  static ArrayNode read(long address, SchemaNode schema) {
    NativeAddress.load();
    Pointer at = NativeAddress.of(address, Long.BYTES, "the pointer to an ArrowArray");
    return read(at, schema, "the array at " + NativeAddress.hex(address));
  }

  private static ArrayNode read(Pointer at, SchemaNode schema, String what) {
    if (at.getLong(OfArray.RELEASE) == 0) {
      throw new IllegalArgumentException(what + " has been released or moved already");
    }
    ArrayNode node =
        new ArrayNode(
            at.getLong(OfArray.LENGTH),
            at.getLong(OfArray.NULL_COUNT),
            at.getLong(OfArray.OFFSET),
            buffers(at, schema.format(), what),
            children(at, schema, what),
            dictionary(at, schema, what));
    node.require(schema.format(), what);
    for (int i = 0; i < node.children.size(); i++) {
      ArrayNode child = node.children.get(i);
      if (child.length < node.offset + node.length) {
        throw new IllegalArgumentException(
            SchemaNode.describe(schema.children().get(i).name(), i)
                + " has "
                + child.length
                + " rows; "
                + what
                + " takes "
                + node.length
                + " from row "
                + node.offset);
      }
    }
    return node;
  }

  private static List<Long> buffers(Pointer at, ArrowFormat format, String what) {
    long count = at.getLong(OfArray.BUFFER_COUNT);
    if (count != format.buffers()) {
      throw new IllegalArgumentException(
          what
              + " has "
              + count
              + " buffers; one of format '"
              + format
              + "' has "
              + format.buffers());
    }
    Pointer from =
        NativeAddress.of(
            at.getLong(OfArray.BUFFERS), Long.BYTES, what + ": the pointer to its buffers");
    List<Long> buffers = new ArrayList<>();
    for (long i = 0; i < count; i++) {
      buffers.add(from.getLong(i * Long.BYTES));
    }
    return buffers;
  }

  private static List<ArrayNode> children(Pointer at, SchemaNode schema, String what) {
    long count = at.getLong(OfArray.CHILD_COUNT);
    int expected = schema.children().size();
    if (count != expected) {
      throw new IllegalArgumentException(
          what + " has " + count + " children; its schema has " + expected);
    }
    List<ArrayNode> children = new ArrayList<>();
    for (Pointer child : SchemaNode.pointers(at.getLong(OfArray.CHILDREN), count, what)) {
      SchemaNode field = schema.children().get(children.size());
      children.add(read(child, field, SchemaNode.describe(field.name(), children.size())));
    }
    return children;
  }

  private static @Nullable ArrayNode dictionary(Pointer at, SchemaNode schema, String what) {
    long dictionary = at.getLong(OfArray.DICTIONARY);
    SchemaNode type = schema.dictionary();
    if (type == null || dictionary == 0) {
      if (type != null || dictionary != 0) {
        throw new IllegalArgumentException(
            what
                + (type == null
                    ? " has a dictionary; its schema has none"
                    : " has no dictionary; its schema has one"));
      }
      return null;
    }
    String ofThis = "the dictionary of " + what;
    return read(NativeAddress.of(dictionary, Long.BYTES, "the pointer to " + ofThis), type, ofThis);
  }

  /** Refuses numbers and buffers that contradict each other. */
  private void require(ArrowFormat format, String what) {
    if (length < 0) {
      throw new IllegalArgumentException(what + " has " + length + " rows");
    }
    if (offset < 0) {
      throw new IllegalArgumentException(what + " begins at row " + offset + " of its buffers");
    }
    if (nullCount < UNKNOWN || nullCount > length) {
      throw new IllegalArgumentException(
          what + " has " + nullCount + " nulls in " + length + " rows; -1 says that it is unknown");
    }
    requireCountable(format, what);
    long validity = buffers.get(0);
    if (validity == 0 && nullCount > 0) {
      throw new IllegalArgumentException(
          what + " has " + nullCount + " nulls and no validity bitmap");
    }
    if (format.kind() == ValueKind.STRUCT) {
      if (validity != 0 && nullCount != 0) {
        throw new IllegalArgumentException(
            what
                + " has a validity bitmap of its own, with "
                + (nullCount == UNKNOWN ? "an unknown number of" : nullCount)
                + " nulls; nulls of the fields can be adopted");
      }
      return;
    }
    if (length > 0) {
      requireBuffer(1, format, what);
    }
  }

  private void requireCountable(ArrowFormat format, String what) {
    try {
      // A text has one offset more than it has rows.
      long rows = Math.addExact(Math.addExact(length, offset), 1);
      Math.multiplyExact(rows, Math.max(Integer.BYTES, format.bits() / Byte.SIZE));
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          what
              + " has "
              + length
              + " rows from row "
              + offset
              + " of its buffers, which is more bytes than a long counts",
          e);
    }
  }

  private void requireBuffer(int index, ArrowFormat format, String what) {
    String name = format.kind() == ValueKind.UTF8 ? "offsets" : "values";
    long address = buffers.get(index);
    if (address == 0) {
      throw new IllegalArgumentException(what + " has " + length + " rows and no " + name);
    }
    // Wider values are pairs of 64 bits.
    int alignment =
        format.kind() == ValueKind.UTF8
            ? Integer.BYTES
            : Math.min(Long.BYTES, Math.max(1, format.bits() / Byte.SIZE));
    NativeAddress.require(address, alignment, what + ": the pointer to its " + name);
  }
}
