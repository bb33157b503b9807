package dev.streamfence.internal.driver.jcuda;

import com.sun.jna.Memory;
import dev.streamfence.internal.driver.PointerInfo;

/**
 * What {@code cuPointerGetAttributes} answers for one address: the driver writes each attribute to
 * a place of its own. An address that it does not know is no error there. Confined to one thread.
 */
final class PointerAttributes {
  /** {@code CU_POINTER_ATTRIBUTE_}: MEMORY_TYPE, IS_MANAGED, DEVICE_ORDINAL, RANGE_START, _SIZE. */
  private static final int[] ATTRIBUTES = {2, 8, 9, 11, 12};

  private static final int MEMORY_TYPE = 0;
  private static final int IS_MANAGED = 1;
  private static final int DEVICE_ORDINAL = 2;
  private static final int RANGE_START = 3;
  private static final int RANGE_BYTES = 4;

  /** {@code CU_MEMORYTYPE_HOST} and {@code CU_MEMORYTYPE_DEVICE}. */
  private static final int HOST = 1;

  private static final int DEVICE = 2;

  private final Memory values = new Memory((long) Long.BYTES * ATTRIBUTES.length);
  private final Memory places = new Memory((long) Long.BYTES * ATTRIBUTES.length);

  /** Asks the driver; returns its code. */
  int read(long address) {
    values.clear();
    for (int i = 0; i < ATTRIBUTES.length; i++) {
      places.setPointer((long) Long.BYTES * i, values.share((long) Long.BYTES * i));
    }
    return UnboundFunctions.cuPointerGetAttributes(ATTRIBUTES, places, address);
  }

  PointerInfo info() {
    int type = values.getInt((long) Long.BYTES * MEMORY_TYPE);
    // A CUDA boolean attribute takes four bytes; the other three are zero.
    boolean managed = values.getInt((long) Long.BYTES * IS_MANAGED) != 0;
    PointerInfo.MemoryPlace kind = PointerInfo.MemoryPlace.UNKNOWN;
    if (managed) {
      kind = PointerInfo.MemoryPlace.MANAGED;
    } else if (type == HOST) {
      kind = PointerInfo.MemoryPlace.HOST;
    } else if (type == DEVICE) {
      kind = PointerInfo.MemoryPlace.DEVICE;
    }
    return new PointerInfo(
        kind,
        kind == PointerInfo.MemoryPlace.UNKNOWN
            ? -1
            : values.getInt((long) Long.BYTES * DEVICE_ORDINAL),
        values.getLong((long) Long.BYTES * RANGE_START),
        values.getLong((long) Long.BYTES * RANGE_BYTES));
  }
}
