package dev.streamfence.it;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.column.arrow.ArrowDevice;

/**
 * What the Python program in {@code src/bundle/peers} calls: tables, by numbers, with the
 * structures of Arrow's C device interface. Thread-safe.
 */
final class PeerTables {
  private PeerTables() {}

  private static DeviceStream stream(long number) {
    return Peers.object(number, DeviceStream.class);
  }

  private static DeviceTable table(long number) {
    return Peers.object(number, DeviceTable.class);
  }

  /** Allocates a table of one column of floats, {@code x}, with as many rows as it has room for. */
  static long allocate(long stream, long rows) {
    Schema schema = Schema.of(ColumnField.of("x", ColumnType.FLOAT32));
    DeviceTable table = DeviceTable.allocate(stream(stream), schema, rows);
    table.setRows(stream(stream), rows);
    return Peers.number(table);
  }

  /** The values of a column, to be read. The table closes them. */
  static long values(long table, long column) {
    return Peers.number(table(table).column(Math.toIntExact(column)).values());
  }

  /** The values of a column of floats, to be written. The table closes them. */
  static long writableValues(long table, long column) {
    DeviceArray<float[]> values =
        table(table).column(Math.toIntExact(column), float[].class).values();
    return Peers.number(values);
  }

  static long adopt(long stream, long deviceArray, long schema) {
    return Peers.number(ArrowDevice.adopt(stream(stream), deviceArray, schema));
  }

  static long export(long stream, long table, long deviceArray, long schema) {
    ArrowDevice.export(stream(stream), table(table), deviceArray, schema);
    return 0;
  }

  static long releaseArray(long deviceArray) {
    ArrowDevice.releaseArray(deviceArray);
    return 0;
  }

  static long releaseSchema(long schema) {
    ArrowDevice.releaseSchema(schema);
    return 0;
  }
}
