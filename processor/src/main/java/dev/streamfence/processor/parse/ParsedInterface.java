package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.model.KernelInterface;
import dev.streamfence.processor.model.ResourceName;
import java.util.List;
import java.util.Optional;

/**
 * What is right in an interface, to be compared with its code. Immutable.
 *
 * @param resource where the code is
 * @param place what names the resource in the source
 * @param kernels those in which nothing is wrong, in order
 * @param source the interface, if nothing at all is wrong
 */
public record ParsedInterface(
    ResourceName resource,
    Culprit place,
    List<ParsedKernel> kernels,
    Optional<KernelInterface> source) {
  public ParsedInterface {
    kernels = List.copyOf(kernels);
  }
}
