package dev.streamfence.processor.verify;

import dev.streamfence.ElementType;
import dev.streamfence.internal.ptx.check.KernelDeclaration;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.Parameter;

/** Converts an interface's kernels to the declarations that are compared with code. Stateless. */
final class Declarations {
  private Declarations() {}

  static KernelDeclaration of(KernelMethod kernel) {
    return new KernelDeclaration(
        kernel.entry().value(),
        kernel.parameters().stream().filter(Parameter::isPassed).map(Declarations::of).toList(),
        kernel.has(Parameter.ThreadCount.class) ? kernel.blockSize() : 0);
  }

  /** Converts a parameter that the kernel receives. */
  static KernelDeclaration.Parameter of(Parameter parameter) {
    if (parameter instanceof Parameter.Buffer buffer) {
      return new KernelDeclaration.Buffer(buffer.access().reads(), buffer.access().writes());
    }
    if (parameter instanceof Parameter.Struct struct) {
      return KernelDeclaration.Struct.of(
          struct.fields().stream().mapToInt(field -> field.type().sizeInBytes()).toArray());
    }
    ElementType type =
        parameter instanceof Parameter.Value value
            ? value.type()
            : ((Parameter.ThreadCount) parameter).type();
    return new KernelDeclaration.Scalar(type.sizeInBytes(), type.isFloatingPoint());
  }
}
