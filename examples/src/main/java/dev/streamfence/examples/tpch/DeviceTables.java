package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;

/**
 * The tables of {@link TpchData} on the device, which it closes. The queries only read them.
 *
 * @param orders with the columns of {@link TpchSchema#ORDERS}
 * @param lineItems with the columns of {@link TpchSchema#LINE_ITEMS}
 */
record DeviceTables(DeviceTable orders, DeviceTable lineItems) implements AutoCloseable {

  /** Uploads every column on one stream. */
  static DeviceTables upload(DeviceStream stream, TpchData data) {
    DeviceTable orders = TableUpload.upload(stream, data.orders());
    try {
      return new DeviceTables(orders, TableUpload.upload(stream, data.lineItems()));
    } catch (RuntimeException | Error e) {
      orders.close();
      throw e;
    }
  }

  @Override
  public void close() {
    try (orders) {
      lineItems.close();
    }
  }
}
