package dev.streamfence.internal.exchange;

import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ArrowLayout.OfDeviceArray;

/**
 * What an {@code ArrowDeviceArray} describes. Immutable.
 *
 * @param event the driver's handle of the event after which the memory can be read; 0 if it can be
 *     read at once
 */
public record DeviceArrayNode(ArrayNode array, DeviceTag device, long event) {
  /**
   * Reads an array.
   *
   * @throws IllegalArgumentException if it is released, cannot be read, or does not fit the schema
   */
  public static DeviceArrayNode read(long address, SchemaNode schema) {
    NativeAddress.load();
    Pointer at = NativeAddress.of(address, Long.BYTES, "the pointer to an ArrowDeviceArray");
    String what = "the array at " + NativeAddress.hex(address);
    ArrayNode array = ArrayNode.read(address, schema);
    for (int i = 0; i < 3; i++) {
      long reserved = at.getLong(OfDeviceArray.RESERVED + (long) i * Long.BYTES);
      if (reserved != 0) {
        throw new IllegalArgumentException(
            what + " has " + reserved + " in its reserved field " + i + ", which must be 0");
      }
    }
    long id = at.getLong(OfDeviceArray.DEVICE_ID);
    if (id != (int) id) {
      throw new IllegalArgumentException(what + " is memory of device " + id + ", which cannot be");
    }
    return new DeviceArrayNode(
        array,
        new DeviceTag(at.getInt(OfDeviceArray.DEVICE_TYPE), (int) id),
        event(at.getLong(OfDeviceArray.SYNC_EVENT), what));
  }

  private static long event(long pointer, String what) {
    if (pointer == 0) {
      return 0;
    }
    // The structure has no event, but a pointer to one.
    String field = what + ": the pointer to its event";
    long event = NativeAddress.of(pointer, Long.BYTES, field).getLong(0);
    if (event == 0) {
      throw new IllegalArgumentException(field + " points to null");
    }
    return event;
  }
}
