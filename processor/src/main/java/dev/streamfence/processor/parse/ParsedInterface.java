package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.model.KernelInterface;
import dev.streamfence.processor.model.ResourceName;
import java.util.List;
import java.util.Optional;

/**
 * The correct parts of an interface, to be compared with its code. Immutable.
 *
 * @param resource the name of the code's file
 * @param place the place in the source that names the resource
 * @param kernels the kernels without mistakes, in order
 * @param symbols the methods without mistakes that give variables, in order
 * @param source the interface, if it has no mistakes
 */
public record ParsedInterface(
    ResourceName resource,
    Culprit place,
    List<ParsedKernel> kernels,
    List<ParsedSymbol> symbols,
    Optional<KernelInterface> source) {
  public ParsedInterface {
    kernels = List.copyOf(kernels);
    symbols = List.copyOf(symbols);
  }

  /** The entries of its kernels. */
  public List<String> entries() {
    return kernels.stream().map(parsed -> parsed.kernel().signature().entry()).toList();
  }
}
