package dev.streamfence.examples.queries;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.Temporaries;
import dev.streamfence.examples.tpch.TableUpload;
import java.util.EnumMap;
import java.util.Map;

/** The eight tables on the device, which it closes. The queries only read them. Thread-safe. */
public final class DeviceTables implements AutoCloseable {
  private final DeviceStream stream;
  private final Map<TpchTable, DeviceTable> tables;

  private DeviceTables(DeviceStream stream, Map<TpchTable, DeviceTable> tables) {
    this.stream = stream;
    this.tables = tables;
  }

  /** Uploads every table on one stream. If it fails, nothing stays allocated. */
  public static DeviceTables upload(DeviceStream stream, HostTables host) {
    Map<TpchTable, DeviceTable> uploaded = new EnumMap<>(TpchTable.class);
    try (Temporaries temporaries = new Temporaries(stream)) {
      for (TpchTable table : TpchTable.values()) {
        uploaded.put(table, temporaries.add(TableUpload.upload(stream, host.table(table))));
      }
      uploaded.values().forEach(temporaries::handOver);
      return new DeviceTables(stream, uploaded);
    }
  }

  /** One of them. */
  public DeviceTable table(TpchTable table) {
    DeviceTable rows = tables.get(table);
    if (rows == null) {
      throw new IllegalArgumentException("there are no rows of " + table.tableName());
    }
    return rows;
  }

  /** The bytes of all columns, dictionaries included. */
  public long sizeInBytes() {
    return tables.values().stream().mapToLong(DeviceTable::sizeInBytes).sum();
  }

  /** Closes all tables; continues after a failure and throws the first one. */
  @Override
  public void close() {
    try (Temporaries all = new Temporaries(stream)) {
      tables.values().forEach(all::add);
    }
  }
}
