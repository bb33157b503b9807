package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.util.ArrayDeque;
import java.util.Deque;

/** Owns the columns of {@link TpchData} on the device. The queries only read them. */
final class DeviceTables implements AutoCloseable {
  private final Deque<DeviceArray<?>> owned = new ArrayDeque<>();
  private final int orders;
  private final int lineItems;

  final DeviceArray<long[]> keys;
  final DeviceArray<byte[]> highPriority;

  final DeviceArray<long[]> orderKeys;
  final DeviceArray<byte[]> quantities;
  final DeviceArray<int[]> prices;
  final DeviceArray<byte[]> discounts;
  final DeviceArray<int[]> shipDates;
  final DeviceArray<int[]> commitDates;
  final DeviceArray<int[]> receiptDates;
  final DeviceArray<byte[]> shipModes;

  /** Uploads every column on one stream. */
  DeviceTables(DeviceRuntime device, DeviceStream stream, TpchData data) {
    DeviceMemory memory = device.memory();
    this.orders = data.orders().rows();
    this.lineItems = data.lineItems().rows();
    try {
      this.keys = own(memory.upload(stream, data.orders().keys()));
      this.highPriority = own(memory.upload(stream, data.orders().highPriority()));
      this.orderKeys = own(memory.upload(stream, data.lineItems().orderKeys()));
      this.quantities = own(memory.upload(stream, data.lineItems().quantities()));
      this.prices = own(memory.upload(stream, data.lineItems().prices()));
      this.discounts = own(memory.upload(stream, data.lineItems().discounts()));
      this.shipDates = own(memory.upload(stream, data.lineItems().shipDates()));
      this.commitDates = own(memory.upload(stream, data.lineItems().commitDates()));
      this.receiptDates = own(memory.upload(stream, data.lineItems().receiptDates()));
      this.shipModes = own(memory.upload(stream, data.lineItems().shipModes()));
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** How many orders there are. */
  int orders() {
    return orders;
  }

  /** How many line items there are. */
  int lineItems() {
    return lineItems;
  }

  private <A> DeviceArray<A> own(DeviceArray<A> array) {
    owned.push(array);
    return array;
  }

  @Override
  public void close() {
    while (!owned.isEmpty()) {
      owned.pop().close();
    }
  }
}
