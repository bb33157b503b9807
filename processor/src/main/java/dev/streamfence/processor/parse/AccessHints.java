package dev.streamfence.processor.parse;

import dev.streamfence.Access;
import java.util.Optional;

/** What the code of kernels does with their parameters, as far as it is at hand. */
@FunctionalInterface
public interface AccessHints {
  /** No code is at hand. */
  AccessHints NONE = (entry, parameter) -> Optional.empty();

  /**
   * The access that is certain.
   *
   * @param parameter the kernel's, counted from 0
   */
  Optional<Access> access(String entry, int parameter);
}
