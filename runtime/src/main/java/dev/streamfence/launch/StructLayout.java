package dev.streamfence.launch;

import dev.streamfence.ElementType;
import java.util.List;

/**
 * Where the fields of a structure lie, by the rules of C as CUDA compilers keep them: each at the
 * next multiple of its own size, and padding at the end up to a multiple of the largest one (System
 * V ABI, AMD64, 3.1.2). Immutable.
 */
final class StructLayout {
  /** So that what is given fits the bits of a {@code long}. */
  static final int MAX_FIELDS = 64;

  private final ElementType[] types;
  private final int[] offsets;
  private final int alignment;
  private final int sizeInBytes;

  StructLayout(List<ElementType> fields) {
    if (fields.isEmpty() || fields.size() > MAX_FIELDS) {
      throw new IllegalArgumentException(
          "a structure of " + fields.size() + " fields; it has from 1 to " + MAX_FIELDS);
    }
    types = fields.toArray(new ElementType[0]);
    offsets = new int[types.length];
    int end = 0;
    int widest = 1;
    for (int i = 0; i < types.length; i++) {
      int size = types[i].sizeInBytes();
      offsets[i] = roundUp(end, size);
      end = offsets[i] + size;
      widest = Math.max(widest, size);
    }
    alignment = widest;
    sizeInBytes = roundUp(end, widest);
  }

  int fields() {
    return types.length;
  }

  ElementType type(int field) {
    return types[field];
  }

  /** Bytes from the start of the structure. */
  int offset(int field) {
    return offsets[field];
  }

  int alignment() {
    return alignment;
  }

  int sizeInBytes() {
    return sizeInBytes;
  }

  private static int roundUp(int value, int multiple) {
    return (value + multiple - 1) / multiple * multiple;
  }
}
