package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.syntax.Variable;
import org.jspecify.annotations.Nullable;

/** Finds the values that a launch passes. */
interface ArgumentLookup {
  /**
   * Returns the value that a kernel loads from its parameters.
   *
   * @param bits the width of the load
   * @return a number or the address of an array, of that width; null if it is neither
   */
  @Nullable Node value(Variable parameter, long offset, int bits);
}
