package dev.streamfence.launch;

import java.util.List;

/**
 * The fields of a structure that is passed by value, and their offsets. CUDA compilers lay it out
 * by the rules of C: each field at the next multiple of its own size, and padding at the end up to
 * a multiple of the largest field (System V ABI, AMD64, 3.1.2). Immutable.
 */
public final class StructLayout {
  /** The most fields; a launch passes each by a separate call. */
  public static final int MAX_FIELDS = 64;

  private final int[] offsets;
  private final int sizeInBytes;
  private final int alignment;

  /** Lays out fields of these sizes. */
  StructLayout(int... sizes) {
    offsets = new int[sizes.length];
    int end = 0;
    int widest = 1;
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = (int) aligned(end, sizes[i]);
      end = offsets[i] + sizes[i];
      widest = Math.max(widest, sizes[i]);
    }
    sizeInBytes = (int) aligned(end, widest);
    alignment = widest;
  }

  /**
   * Lays out these fields.
   *
   * @throws IllegalArgumentException if there are none, or more than {@value #MAX_FIELDS}
   */
  public static StructLayout of(List<? extends KernelParameter.Field> fields) {
    if (!canHold(fields.size())) {
      throw new IllegalArgumentException(
          "a structure of " + fields.size() + " fields; it has from 1 to " + MAX_FIELDS);
    }
    return new StructLayout(fields.stream().mapToInt(KernelParameter.Field::sizeInBytes).toArray());
  }

  /** Whether a structure can have this number of fields. */
  public static boolean canHold(int fields) {
    return fields >= 1 && fields <= MAX_FIELDS;
  }

  /** The next multiple of an alignment from an offset on. */
  public static long aligned(long offset, int alignment) {
    return (offset + alignment - 1) / alignment * alignment;
  }

  /** Bytes from the start of the structure to a field. */
  public int offset(int field) {
    return offsets[field];
  }

  /** The last field that begins at a byte of the structure, or before it. */
  public int fieldAt(int offset) {
    int field = 0;
    while (field + 1 < offsets.length && offsets[field + 1] <= offset) {
      field++;
    }
    return field;
  }

  /** Its size, with the padding at the end. */
  public int sizeInBytes() {
    return sizeInBytes;
  }

  /** Its alignment in bytes: the size of its largest field. */
  public int alignment() {
    return alignment;
  }
}
