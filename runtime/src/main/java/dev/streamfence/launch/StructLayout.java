package dev.streamfence.launch;

import dev.streamfence.ElementType;
import dev.streamfence.internal.ptx.check.KernelDeclaration;
import java.util.List;

/** The fields of a structure that is passed by value, and their offsets. Immutable. */
final class StructLayout {
  /** The most fields; a launch passes each by a call of its own. */
  private static final int MAX_FIELDS = 64;

  private final ElementType[] types;
  private final int[] offsets;
  private final KernelDeclaration.Struct struct;

  StructLayout(List<ElementType> fields) {
    if (fields.isEmpty() || fields.size() > MAX_FIELDS) {
      throw new IllegalArgumentException(
          "a structure of " + fields.size() + " fields; it has from 1 to " + MAX_FIELDS);
    }
    types = fields.toArray(new ElementType[0]);
    struct =
        KernelDeclaration.Struct.of(fields.stream().mapToInt(ElementType::sizeInBytes).toArray());
    offsets = struct.offsets().stream().mapToInt(Integer::intValue).toArray();
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

  int sizeInBytes() {
    return struct.sizeInBytes();
  }

  /** The declaration to compare with the kernel's code. */
  KernelDeclaration.Struct declaration() {
    return struct;
  }
}
