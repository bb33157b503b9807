package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.KernelPlaces;
import dev.streamfence.processor.model.KernelInterface;
import java.util.List;

/**
 * An interface as a value, and where it stands in the source. Invariant: there is a place for each
 * kernel, in the same order. Immutable.
 *
 * @param resource what names the resource
 */
public record ParsedInterface(
    KernelInterface source, Culprit resource, List<KernelPlaces> kernels) {
  public ParsedInterface {
    kernels = List.copyOf(kernels);
    if (kernels.size() != source.kernels().size()) {
      throw new IllegalArgumentException(
          kernels.size() + " places for " + source.kernels().size() + " kernels");
    }
  }
}
