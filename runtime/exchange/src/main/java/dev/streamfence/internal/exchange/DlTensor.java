package dev.streamfence.internal.exchange;

import dev.streamfence.launch.ElementType;
import java.util.List;

/**
 * A tensor as DLPack's {@code DLTensor} describes it. Nothing of it has been checked but what is
 * needed to read it. Immutable.
 *
 * @param data the address of its memory, to which {@code byteOffset} is added; null for 0
 * @param shape the length of each dimension, none negative; empty for a single element
 * @param strides how many elements apart the neighbours in each dimension are; empty if the
 *     structure has none, which means compact
 * @param byteOffset unsigned
 */
public record DlTensor(
    long data,
    DeviceTag device,
    TensorElement element,
    List<Long> shape,
    List<Long> strides,
    long byteOffset) {

  /** Creates a description. */
  public DlTensor {
    shape = List.copyOf(shape);
    strides = List.copyOf(strides);
  }

  /**
   * A compact tensor that begins where its memory begins. Without elements its strides are 1: they
   * lead nowhere, and the products of its lengths may be more than a long counts.
   */
  public static DlTensor compact(
      long data, DeviceTag device, TensorElement element, List<Long> shape) {
    Long[] strides = new Long[shape.size()];
    boolean isEmpty = shape.contains(0L);
    long next = 1;
    for (int i = strides.length - 1; i >= 0; i--) {
      strides[i] = next;
      next = isEmpty ? 1 : Math.multiplyExact(next, shape.get(i));
    }
    return new DlTensor(data, device, element, shape, List.of(strides), 0);
  }

  /**
   * The memory of all its elements, in the order of their indices.
   *
   * @param type the elements of the array that will stand for it
   * @param what describes it in errors
   * @throws IllegalArgumentException if it is no array of that type without gaps
   */
  public ElementMemory elements(ElementType type, String what) {
    element.requireHeldBy(type, what);
    long count = count(what);
    long size = type.sizeInBytes();
    long bytes = multiply(count, size, what);
    if (count == 0) {
      return new ElementMemory(0, 0, 0);
    }
    requireCompact(what);
    if (byteOffset % size != 0) {
      throw new IllegalArgumentException(
          what
              + " has a byte offset of "
              + Long.toUnsignedString(byteOffset)
              + ", which is not a multiple of the "
              + size
              + " bytes of its elements");
    }
    if (data == 0) {
      throw new IllegalArgumentException(what + " has " + count + " elements and no memory");
    }
    long first = data + byteOffset;
    if (Long.compareUnsigned(first, data) < 0
        || Long.compareUnsigned(first + bytes - 1, first) < 0) {
      throw new IllegalArgumentException(
          what
              + " has "
              + bytes
              + " bytes from byte "
              + Long.toUnsignedString(byteOffset)
              + " of its memory at "
              + NativeAddress.hex(data)
              + ", which is beyond all addresses");
    }
    if (first % size != 0) {
      throw new IllegalArgumentException(
          what
              + " begins at "
              + NativeAddress.hex(first)
              + ", which is not aligned for the "
              + size
              + " bytes of its elements");
    }
    return new ElementMemory(first, count, bytes);
  }

  /** How many elements it has. */
  private long count(String what) {
    if (shape.contains(0L)) {
      return 0;
    }
    long count = 1;
    for (long length : shape) {
      count = multiply(count, length, what);
    }
    return count;
  }

  private long multiply(long a, long b, String what) {
    try {
      return Math.multiplyExact(a, b);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          what
              + " has the shape "
              + shape
              + " of elements of type "
              + element
              + ", which is more bytes than a long counts",
          e);
    }
  }

  /** Requires that the elements lie side by side; a dimension of one element has no neighbours. */
  private void requireCompact(String what) {
    long next = 1;
    for (int i = strides.size() - 1; i >= 0; i--) {
      long length = shape.get(i);
      long stride = strides.get(i);
      if (length != 1 && stride != next) {
        throw new IllegalArgumentException(
            what
                + " has the strides "
                + strides
                + " for the shape "
                + shape
                + "; the stride of dimension "
                + i
                + (overflows(stride, length - 1)
                    ? " reaches further than a long counts"
                    : " is " + stride + ", and " + next + " without gaps"));
      }
      next *= length;
    }
  }

  private static boolean overflows(long stride, long steps) {
    long high = Math.multiplyHigh(stride, steps);
    return high != (stride * steps) >> (Long.SIZE - 1);
  }
}
