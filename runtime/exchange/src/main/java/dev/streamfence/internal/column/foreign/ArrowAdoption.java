package dev.streamfence.internal.column.foreign;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.column.ColumnDraft;
import dev.streamfence.internal.column.TrackedColumn;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.device.WritableArray;
import dev.streamfence.internal.exchange.ArrayExport;
import dev.streamfence.internal.exchange.ArrayNode;
import dev.streamfence.internal.exchange.ArrowFormat.ValueKind;
import dev.streamfence.internal.exchange.ArrowImport;
import dev.streamfence.internal.exchange.DeviceArrayNode;
import dev.streamfence.internal.exchange.SchemaNode;
import dev.streamfence.internal.exchange.SharedRelease;
import dev.streamfence.internal.order.Teardown;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes over a table of Arrow's C device structures: moves the array out of its structure and makes
 * columns of it, or leaves it to its owner. Confined to one thread.
 */
public final class ArrowAdoption {
  private static final int VALIDITY = 0;
  private static final int VALUES = 1;
  private static final int TEXT = 2;

  private final TrackedRuntime runtime;
  private final DeviceStream stream;
  private final ColumnOrigin origin;
  private final ArrowImport moved;
  private final SharedRelease release;
  private final List<TrackedArray<?>> adopted = new ArrayList<>();
  private long event;

  private ArrowAdoption(
      TrackedRuntime runtime,
      DeviceStream stream,
      ColumnOrigin origin,
      ArrowImport moved,
      long event) {
    this.runtime = runtime;
    this.stream = stream;
    this.origin = origin;
    this.moved = moved;
    this.release = new SharedRelease(moved, moved::release);
    this.event = event;
  }

  /** Takes a table over, and releases its schema. */
  public static DeviceTable adopt(DeviceStream stream, long deviceArray, long schema) {
    TrackedRuntime runtime = TrackedStream.of(stream).runtime();
    SchemaNode node = SchemaNode.read(schema);
    String what = "the array at 0x" + Long.toHexString(deviceArray);
    if (node.format().kind() != ValueKind.STRUCT) {
      throw new IllegalArgumentException(
          what + " has the format '" + node.format() + "'; a table is a structure, '+s'");
    }
    node.children().forEach(ArrowFields::type);
    DeviceArrayNode array = DeviceArrayNode.read(deviceArray, node);
    array.device().requireOn(runtime.info().ordinal(), what);
    ColumnOrigin origin = origin(deviceArray, array, runtime);
    TrackedStream.timelineOf(stream);
    ArrowImport moved = ArrowImport.move(deviceArray);
    DeviceTable table =
        new ArrowAdoption(runtime, stream, origin, moved, array.event()).table(node, array);
    return releasing(() -> ArrowImport.releaseSchema(schema), table);
  }

  private static ColumnOrigin origin(
      long deviceArray, DeviceArrayNode array, TrackedRuntime runtime) {
    ArrayExport export = ArrayExport.of(deviceArray, array);
    // The export of another runtime is that of another library.
    return export != null && export.source() == runtime
        ? ColumnOrigin.ARROW_EXPORT
        : ColumnOrigin.ARROW;
  }

  /** Releases what a table was made of; if that fails, closes the table, which no caller gets. */
  static DeviceTable releasing(Runnable release, DeviceTable table) {
    try {
      release.run();
      return table;
    } catch (Throwable e) {
      Teardown unused = new Teardown();
      unused.step(table::close);
      unused.suppressIn(e);
      throw e;
    }
  }

  /** The rows of an array's columns. */
  private record Rows(long offset, long length) {
    /** Those of a child. */
    Rows of(ArrayNode child) {
      return new Rows(offset + child.offset(), length);
    }
  }

  private DeviceTable table(SchemaNode schema, DeviceArrayNode array) {
    try {
      Rows rows = new Rows(array.array().offset(), array.array().length());
      List<ReadableColumn<?>> columns = new ArrayList<>();
      List<ColumnField> fields = new ArrayList<>();
      for (int i = 0; i < schema.children().size(); i++) {
        ArrayNode child = array.array().children().get(i);
        TrackedColumn<?> column = column(schema.children().get(i), child, rows.of(child));
        columns.add(column);
        fields.add(column.field());
      }
      DeviceTable table = DeviceTable.of(stream, new Schema(fields), columns, rows.length());
      release.complete();
      return table;
    } catch (Throwable e) {
      // First, so that closing the parts releases nothing.
      moved.giveBack();
      Teardown parts = new Teardown();
      adopted.forEach(one -> parts.step(one::close));
      parts.suppressIn(e);
      throw e;
    }
  }

  private TrackedColumn<?> column(SchemaNode node, ArrayNode array, Rows rows) {
    ColumnType type = ArrowFields.type(node);
    ColumnField field = field(node, type, array);
    return type == ColumnType.UTF8
        ? text(field, array, rows)
        : values(field, node, array, rows, type.arrayType());
  }

  /** A field that may have nulls, although its schema says no, is nullable. */
  private static ColumnField field(SchemaNode node, ColumnType type, ArrayNode array) {
    return new ColumnField(node.name(), type, node.isNullable() || hasNulls(array));
  }

  private static boolean hasNulls(ArrayNode array) {
    return array.buffers().get(VALIDITY) != 0 && array.nullCount() != 0;
  }

  private <A> TrackedColumn<A> values(
      ColumnField field, SchemaNode node, ArrayNode array, Rows rows, Class<A> arrayType) {
    long address = array.buffers().get(VALUES);
    int bits = field.type().bitWidth();
    long first = bits == 1 ? rows.offset() / Byte.SIZE : rows.offset() * (bits / Byte.SIZE);
    long bytes =
        bits == 1
            ? ColumnDraft.bytes(rows.offset() % Byte.SIZE, rows.length())
            : rows.length() * (bits / Byte.SIZE);
    ColumnDraft<A> draft =
        new ColumnDraft<>(
            field,
            rows.length(),
            adopt(address, first, bytes, arrayType, "values of '" + field.name() + "'"));
    if (bits == 1) {
      draft.bitOffset(rows.offset() % Byte.SIZE);
    }
    SchemaNode dictionaryNode = node.dictionary();
    ArrayNode dictionary = array.dictionary();
    if (field.type() instanceof DictionaryType && dictionaryNode != null && dictionary != null) {
      draft.dictionary(
          text(
              field(dictionaryNode, ColumnType.UTF8, dictionary),
              dictionary,
              new Rows(dictionary.offset(), dictionary.length())));
    }
    return build(draft, field, array, rows);
  }

  private TrackedColumn<byte[]> text(ColumnField field, ArrayNode array, Rows rows) {
    TrackedArray<int[]> offsets =
        rows.length() == 0
            ? WritableArray.empty(runtime, int[].class).readable()
            : adopt(
                array.buffers().get(VALUES),
                rows.offset() * Integer.BYTES,
                (rows.length() + 1) * Integer.BYTES,
                int[].class,
                "offsets of '" + field.name() + "'");
    // Arrow does not say how many bytes the text has, but for the offset behind the last row.
    int bytes = rows.length() == 0 ? 0 : offsets.readMetadata(stream, rows.length(), 1)[0];
    long address = array.buffers().get(TEXT);
    if (bytes < 0 || (bytes > 0 && address == 0)) {
      throw new IllegalArgumentException(
          "field '"
              + field.name()
              + "' has text up to byte "
              + bytes
              + (bytes < 0 ? "" : " and no memory for it"));
    }
    ColumnDraft<byte[]> draft =
        new ColumnDraft<>(
                field,
                rows.length(),
                adopt(address, 0, bytes, byte[].class, "text of '" + field.name() + "'"))
            .offsets(offsets);
    return build(draft, field, array, rows);
  }

  private <A> TrackedColumn<A> build(
      ColumnDraft<A> draft, ColumnField field, ArrayNode array, Rows rows) {
    draft.origin(origin).readOnly();
    if (!hasNulls(array)) {
      return draft.nullCount(0).build();
    }
    // The number of nulls is that of all rows of the array, of which the table may take some.
    boolean takesAll = rows.offset() == array.offset() && rows.length() == array.length();
    long bit = rows.offset() % Byte.SIZE;
    return draft
        .validity(
            adopt(
                array.buffers().get(VALIDITY),
                rows.offset() / Byte.SIZE,
                ColumnDraft.bytes(bit, rows.length()),
                byte[].class,
                "validity of '" + field.name() + "'"),
            bit)
        .nullCount(takesAll ? array.nullCount() : ArrayNode.UNKNOWN)
        .build();
  }

  private <A> TrackedArray<A> adopt(
      long buffer, long first, long bytes, Class<A> arrayType, String name) {
    if (bytes == 0) {
      return WritableArray.empty(runtime, arrayType).readable();
    }
    ForeignMemory memory = ForeignMemory.at(buffer + first, bytes).named(name);
    // The stream waits once.
    memory = event == 0 ? memory.alreadyReady() : memory.readyAfterEvent(event);
    release.begin();
    TrackedArray<A> array;
    try {
      array =
          TrackedArray.of(
              runtime.memory().adoptReadable(stream, memory.releasedBy(release::end), arrayType));
    } catch (Throwable e) {
      release.end();
      throw e;
    }
    event = 0;
    adopted.add(array);
    return array;
  }
}
