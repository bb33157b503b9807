package dev.streamfence.processor.parse;

import dev.streamfence.internal.ptx.check.Passing;
import dev.streamfence.launch.Access;
import java.util.List;
import java.util.Optional;

/** Tells what the code of a kernel does with its parameters, as far as the code is available. */
@FunctionalInterface
public interface AccessHints {
  /**
   * Returns the certain accesses.
   *
   * @param passing how the kernel receives each of its parameters
   * @return one for each parameter, or an empty list if nothing is known about such a kernel
   */
  List<Optional<Access>> of(String entry, List<Passing> passing);
}
