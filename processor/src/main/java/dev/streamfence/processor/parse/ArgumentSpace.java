package dev.streamfence.processor.parse;

import dev.streamfence.ElementType;
import dev.streamfence.internal.ptx.check.KernelDeclaration;
import dev.streamfence.processor.model.Parameter;
import java.util.List;

/** Computes how much space the arguments of a launch take. Stateless. */
final class ArgumentSpace {
  /**
   * The most that any device takes. Source: CUDA C++ Programming Guide, "Function Parameters":
   * 32,764 bytes from compute capability 7.0 on, 4,096 before.
   */
  static final int MAX_BYTES = 32_764;

  private ArgumentSpace() {}

  /** The size of the arguments laid out in order, each at a multiple of its alignment. */
  static long sizeInBytes(List<Parameter> parameters) {
    long end = 0;
    for (Parameter parameter : parameters) {
      if (parameter instanceof Parameter.Struct struct) {
        KernelDeclaration.Struct layout =
            KernelDeclaration.Struct.of(
                struct.fields().stream().mapToInt(field -> field.type().sizeInBytes()).toArray());
        end = aligned(end, layout.alignment()) + layout.sizeInBytes();
      } else if (parameter.isPassed()) {
        int size = sizeInBytes(parameter);
        end = aligned(end, size) + size;
      }
    }
    return end;
  }

  private static int sizeInBytes(Parameter parameter) {
    if (parameter instanceof Parameter.Value value) {
      return value.type().sizeInBytes();
    }
    return parameter instanceof Parameter.ThreadCount count
        ? count.type().sizeInBytes()
        : ElementType.LONG.sizeInBytes();
  }

  private static long aligned(long offset, int alignment) {
    return (offset + alignment - 1) / alignment * alignment;
  }
}
