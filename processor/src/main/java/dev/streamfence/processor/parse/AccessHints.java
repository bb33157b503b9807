package dev.streamfence.processor.parse;

import dev.streamfence.Access;
import java.util.List;
import java.util.Optional;

/** What the code of kernels does with their parameters, as far as it is at hand. */
@FunctionalInterface
public interface AccessHints {
  /**
   * The accesses that are certain.
   *
   * @param areBuffers for each parameter that the kernel is passed, whether it is an array
   * @return one for each of them, or none at all if nothing is known of such a kernel
   */
  List<Optional<Access>> of(String entry, List<Boolean> areBuffers);
}
