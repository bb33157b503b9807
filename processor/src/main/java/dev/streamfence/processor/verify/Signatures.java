package dev.streamfence.processor.verify;

import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.Parameter;

/** Converts an interface's kernels to the signatures that are compared with code. Stateless. */
final class Signatures {
  private Signatures() {}

  static KernelSignature of(KernelMethod kernel) {
    KernelSignature signature = KernelSignature.entry(kernel.entry().value());
    for (Parameter parameter : kernel.parameters()) {
      signature = signature.with(parameter.declaration(kernel.blockSize()));
    }
    return signature;
  }

  /** Bytes that the kernel receives for a parameter. */
  static int sizeInBytes(Parameter parameter) {
    return parameter.declaration(1) instanceof KernelParameter.Passed passed
        ? passed.sizeInBytes()
        : 0;
  }
}
