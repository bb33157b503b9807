package dev.streamfence.internal.column.foreign;

import dev.streamfence.DeviceStream;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.exchange.ArrayExport;
import dev.streamfence.internal.exchange.ArrowFormat.ValueKind;
import dev.streamfence.internal.exchange.ArrowImport;
import dev.streamfence.internal.exchange.DeviceArrayNode;
import dev.streamfence.internal.exchange.SchemaExport;
import dev.streamfence.internal.exchange.SchemaNode;
import dev.streamfence.internal.order.Life;
import dev.streamfence.internal.order.Teardown;
import java.util.Objects;

/** Adopts and exports tables of Arrow's C device structures. Stateless and thread-safe. */
public final class ArrowTables {
  private ArrowTables() {}

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
    SharedRelease release = new SharedRelease(ArrowImport.move(deviceArray));
    DeviceTable table =
        new ArrowAdoption(runtime, stream, origin, release, array.event()).table(node, array);
    return releasing(() -> ArrowImport.releaseSchema(schema), table);
  }

  /** Releases what a table was made of; if that fails, closes the table, which no caller gets. */
  static DeviceTable releasing(Runnable release, DeviceTable table) {
    try {
      release.run();
      return table;
    } catch (RuntimeException | Error e) {
      Teardown unused = new Teardown();
      unused.step(table::close);
      unused.suppressIn(e);
      throw e;
    }
  }

  private static ColumnOrigin origin(
      long deviceArray, DeviceArrayNode array, TrackedRuntime runtime) {
    ArrayExport export = ArrayExport.of(deviceArray, array);
    // The export of another runtime is that of another library.
    return export != null && export.source() == runtime
        ? ColumnOrigin.ARROW_EXPORT
        : ColumnOrigin.ARROW;
  }

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
      } catch (RuntimeException | Error e) {
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

  public static void releaseArray(long deviceArray) {
    ArrowImport.releaseArray(deviceArray);
  }

  public static void releaseSchema(long schema) {
    ArrowImport.releaseSchema(schema);
  }
}
