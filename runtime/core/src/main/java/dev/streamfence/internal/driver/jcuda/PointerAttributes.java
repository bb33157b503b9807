package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.driver.PointerInfo;
import dev.streamfence.internal.driver.PointerInfo.MemoryPlace;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.IntStream;
import jcuda.Pointer;
import jcuda.driver.CUmemorytype;
import jcuda.driver.CUpointer_attribute;
import jcuda.driver.JCudaDriver;

/**
 * What {@code cuPointerGetAttributes} answers for one address: the driver writes each attribute to
 * a place of its own, in native memory. An address that it does not know is no error there.
 * Confined to one thread.
 */
final class PointerAttributes {
  private static final int[] ATTRIBUTES = {
    CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
    CUpointer_attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED,
    CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
    CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
    CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_SIZE
  };

  /** One value of at most eight bytes per attribute; zero at first. */
  private final ByteBuffer values =
      ByteBuffer.allocateDirect(Long.BYTES * ATTRIBUTES.length).order(ByteOrder.nativeOrder());

  private final Pointer places =
      Pointer.to(
          IntStream.range(0, ATTRIBUTES.length)
              .mapToObj(i -> Pointer.to(values).withByteOffset((long) Long.BYTES * i))
              .toArray(Pointer[]::new));

  /** Asks the driver; returns its code. */
  int read(long address) {
    return JCudaDriver.cuPointerGetAttributes(
        ATTRIBUTES.length, ATTRIBUTES, places, new DevicePointer(address));
  }

  PointerInfo info() {
    MemoryPlace place = place(values.getInt(0), values.getInt(Long.BYTES) != 0);
    return new PointerInfo(
        place,
        place == MemoryPlace.UNKNOWN ? -1 : values.getInt(2 * Long.BYTES),
        values.getLong(3 * Long.BYTES),
        values.getLong(4 * Long.BYTES));
  }

  private static MemoryPlace place(int type, boolean managed) {
    if (managed) {
      return MemoryPlace.MANAGED;
    }
    return switch (type) {
      case CUmemorytype.CU_MEMORYTYPE_HOST -> MemoryPlace.HOST;
      case CUmemorytype.CU_MEMORYTYPE_DEVICE -> MemoryPlace.DEVICE;
      default -> MemoryPlace.UNKNOWN;
    };
  }
}
