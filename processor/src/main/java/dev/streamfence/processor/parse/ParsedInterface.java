package dev.streamfence.processor.parse;

import dev.streamfence.processor.model.KernelInterface;
import java.util.List;
import javax.lang.model.element.ExecutableElement;

/**
 * An interface as a value, and where its kernels stand in the source. Invariant: there is a method
 * for each kernel, in the same order. Immutable.
 */
public record ParsedInterface(KernelInterface source, List<ExecutableElement> methods) {
  public ParsedInterface {
    methods = List.copyOf(methods);
    if (methods.size() != source.kernels().size()) {
      throw new IllegalArgumentException(
          methods.size() + " methods for " + source.kernels().size() + " kernels");
    }
  }
}
