package dev.streamfence.column.arrow;

import static java.util.Objects.requireNonNull;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.internal.column.foreign.ArrowAdoption;
import dev.streamfence.internal.column.foreign.TableExport;
import dev.streamfence.internal.exchange.ArrowImport;

/**
 * Passes tables to other libraries of this process, and takes theirs, as the structures {@code
 * ArrowDeviceArray} and {@code ArrowSchema} of Arrow's C device data interface. Only the types of
 * {@link dev.streamfence.column.ColumnType} pass. Nothing is copied. Stateless and thread-safe.
 */
public final class ArrowDevice {
  private ArrowDevice() {}

  /**
   * Adopts a table: moves both structures, as Arrow demands, so that they count as released for
   * their owner. The stream waits for the array's {@code sync_event}. Closing the table calls the
   * array's release function, once, after the last use. If the table is refused, both structures
   * still belong to their owner.
   *
   * <p>The columns are read-only, since Arrow's arrays are immutable. Offsets and nulls are kept;
   * metadata is not. Synchronises only if a column is text: the length of the text is a number of
   * four bytes on the device. {@link dev.streamfence.memory.MemoryStatistics#metadataReads()}
   * counts the copies of such numbers.
   *
   * <p>If {@link #export} of the same runtime made the structures, the adopted table has the
   * exported table's memory, uses of both are ordered with each other, and its origin is {@link
   * ColumnOrigin#ARROW_EXPORT}.
   *
   * @param deviceArray the address of an {@code ArrowDeviceArray}, a structure array of the fields
   * @param schema the address of its {@code ArrowSchema}, which is released at once
   * @throws IllegalArgumentException if a structure is released already; is memory of another
   *     device, or of the host; has a type that is not supported, or impossible numbers or
   *     addresses; or was exported by this process and changed since
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory for the number
   *     of rows, four bytes
   * @throws dev.streamfence.StreamMisuseException if the stream is closed, or this thread has a
   *     launch open
   * @throws dev.streamfence.CudaDriverException if the device is lost, or the driver refuses the
   *     event or the memory
   */
  public static DeviceTable adopt(DeviceStream stream, long deviceArray, long schema) {
    return ArrowAdoption.adopt(requireNonNull(stream, "stream"), deviceArray, schema);
  }

  /**
   * Exports a table with its logical rows. The array's {@code sync_event} comes after the earlier
   * writes of the columns. The table may be closed at once: its memory is freed after the array's
   * release function was called, which any thread may do. Waits for a copy of four bytes if the
   * number of rows is not known.
   *
   * <p>Until then, the columns must not be written, since the consumer reads them on streams that
   * the runtime does not know. The consumer releases the array after its last use is done.
   *
   * @param stream records the event
   * @param deviceArray the address of an {@code ArrowDeviceArray}, 128 bytes that are overwritten
   * @param schema the address of an {@code ArrowSchema}, 72 bytes that are overwritten
   * @throws IllegalArgumentException if a column is not device memory, or an address is impossible
   * @throws IllegalStateException if the device has counted more rows than the table has room for
   * @throws dev.streamfence.UseAfterFreeException if the table or a column is closed
   * @throws dev.streamfence.StreamMisuseException if the stream is closed or belongs to another
   *     runtime, or this thread has a launch open
   * @throws dev.streamfence.CudaDriverException if the device is lost or a driver call fails.
   *     Nothing is exported then
   */
  public static void export(DeviceStream stream, DeviceTable table, long deviceArray, long schema) {
    requireNonNull(stream, "stream");
    requireNonNull(table, "table");
    TableExport.export(stream, table, deviceArray, schema);
  }

  /**
   * Calls the release function of an array, unless it is released or moved.
   *
   * @param deviceArray the address of an {@code ArrowDeviceArray} or {@code ArrowArray}
   * @throws IllegalArgumentException if no structure can lie there
   */
  public static void releaseArray(long deviceArray) {
    ArrowImport.releaseArray(deviceArray);
  }

  /**
   * Calls the release function of a schema, unless it is released or moved.
   *
   * @param schema the address of an {@code ArrowSchema}
   * @throws IllegalArgumentException if no structure can lie there
   */
  public static void releaseSchema(long schema) {
    ArrowImport.releaseSchema(schema);
  }
}
