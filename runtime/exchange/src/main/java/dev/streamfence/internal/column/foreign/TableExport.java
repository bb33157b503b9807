package dev.streamfence.internal.column.foreign;

import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.DictionaryType;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.exchange.ArrayExport;
import dev.streamfence.internal.exchange.ArrayNode;
import dev.streamfence.internal.exchange.ArrowImport;
import dev.streamfence.internal.exchange.DeviceArrayNode;
import dev.streamfence.internal.exchange.DeviceTag;
import dev.streamfence.internal.exchange.SchemaExport;
import dev.streamfence.internal.order.Life;
import dev.streamfence.internal.order.Teardown;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A table that another library gets in Arrow's C device structures. Confined to one thread until it
 * is handed over.
 */
public final class TableExport {
  private final TrackedRuntime runtime;
  private final OpenExports open;
  private final List<TrackedArray<?>> arrays = new ArrayList<>();
  private final List<Runnable> ends = new ArrayList<>();

  private TableExport(TrackedRuntime runtime) {
    this.runtime = runtime;
    this.open = OpenExports.of(runtime);
  }

  /** Exports the logical rows of a table; if that fails, nothing. */
  public static void export(DeviceStream stream, DeviceTable table, long deviceArray, long schema) {
    TrackedStream tracked = TrackedStream.of(Objects.requireNonNull(stream, "stream"));
    TrackedRuntime runtime = tracked.runtime();
    if (table.runtime() != runtime) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          "exporting " + table + " on " + stream + ": they belong to two runtimes");
    }
    Life life = runtime.life();
    life.enter();
    try {
      long rows = table.rows(stream);
      SchemaExport.write(ArrowFields.describe(table.schema()), schema);
      TableExport export = new TableExport(runtime);
      try {
        ArrayExport.write(export.describe(table, rows, tracked), deviceArray, runtime, export::end);
      } catch (Throwable e) {
        Teardown half = new Teardown();
        half.step(() -> ArrowImport.releaseSchema(schema));
        half.step(export::end);
        half.suppressIn(e);
        throw e;
      }
    } finally {
      life.leave();
    }
  }

  /** Describes a table's first rows, and holds their memory until {@link #end}. */
  private DeviceArrayNode describe(DeviceTable table, long rows, TrackedStream stream) {
    List<ArrayNode> columns = new ArrayList<>();
    for (ReadableColumn<?> column : table.columns()) {
      columns.add(describe(column, rows));
    }
    for (TrackedArray<?> array : arrays) {
      ends.add(open.add(array, "exporting " + table, false, OptionalLong.empty()));
    }
    EventHandle ready = open.createEvent();
    ends.add(() -> open.destroyEvent(ready));
    stream.submit(
        "exporting " + table,
        uses -> arrays.forEach(uses::reads),
        call -> runtime.driver().recordEvent(ready, TrackedStream.timelineOf(stream).stream()));
    return new DeviceArrayNode(
        new ArrayNode(rows, 0, 0, List.of(0L), columns, null),
        new DeviceTag(DeviceTag.CUDA, runtime.info().ordinal()),
        runtime.driver().rawHandle(ready));
  }

  /** Gives the memory back. Any thread may call it, one of another library too. */
  private void end() {
    Teardown all = new Teardown();
    ends.forEach(all::step);
    all.finish();
  }

  private ArrayNode describe(ReadableColumn<?> column, long rows) {
    boolean hasBitmap = column.validity().length() > 0;
    boolean isBits = column.type() == ColumnType.BOOL;
    // Arrow has one offset for all buffers of a column. They have the same one here as well, as
    // slices of one column have.
    int offset = isBits ? column.bitOffset() : column.validityOffset();
    if (hasBitmap && column.validityOffset() != offset) {
      throw new IllegalArgumentException(
          column
              + " begins at bit "
              + column.bitOffset()
              + " of its values and bit "
              + column.validityOffset()
              + " of its validity bitmap; Arrow has one offset for both");
    }
    List<Long> buffers = new ArrayList<>();
    buffers.add(address(column.validity(), 0));
    if (column.type() == ColumnType.UTF8) {
      buffers.add(address(column.offsets(), (long) offset * Integer.BYTES));
    }
    long before = column.type() == ColumnType.UTF8 || isBits ? 0 : elementBytes(column) * offset;
    buffers.add(address(column.values(), before));
    ArrayNode dictionary = null;
    if (column.type() instanceof DictionaryType) {
      ReadableColumn<byte[]> values = column.dictionary();
      dictionary = describe(values, values.length());
    }
    return new ArrayNode(
        rows, nulls(column, rows, hasBitmap), offset, buffers, List.of(), dictionary);
  }

  private static long elementBytes(ReadableColumn<?> column) {
    return column.values().elementType().sizeInBytes();
  }

  private static long nulls(ReadableColumn<?> column, long rows, boolean hasBitmap) {
    if (!hasBitmap) {
      return 0;
    }
    return rows == column.length()
        ? column.nullCount().orElse(ArrayNode.UNKNOWN)
        : ArrayNode.UNKNOWN;
  }

  /**
   * The address of a buffer, whose rows begin where the array does.
   *
   * @param before bytes of the rows that the offset skips, which lie before the array
   */
  private long address(ReadableArray<?> readable, long before) {
    TrackedArray<?> array = TrackedArray.of(readable);
    if (array.runtime() != runtime) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          array + " in a table of " + runtime + ": they belong to two runtimes");
    }
    if (array.region() == null || array.length() == 0) {
      return 0;
    }
    if (array.region().allocation().isOnHost()) {
      throw new IllegalArgumentException(
          array + " is page-locked host memory; an array of a device is memory of the device");
    }
    arrays.add(array);
    return array.region().address() - before;
  }
}
