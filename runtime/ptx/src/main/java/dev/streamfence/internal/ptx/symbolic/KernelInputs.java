package dev.streamfence.internal.ptx.symbolic;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What decides the values of a kernel, besides its code. Immutable.
 *
 * @param arrays where it receives arrays
 * @param tables where it receives tables of arrays
 * @param limits those of the numbers in an array, by its index
 * @param stored the arrays whose limits do not count, since the kernel may store there
 * @param dimensions how many dimensions of its blocks may have several threads, 1 for x to 3 for z
 *     as well, which decides what the number of a thread in its warp is
 */
record KernelInputs(
    List<ArrayPlace> arrays,
    List<ArrayPlace> tables,
    Map<Integer, NumberLimits> limits,
    Set<Integer> stored,
    int dimensions) {
  /** The same, without the limits of some arrays. */
  KernelInputs withoutLimitsOf(Set<Integer> some) {
    Map<Integer, NumberLimits> kept = new HashMap<>(limits);
    kept.keySet().removeAll(some);
    return new KernelInputs(arrays, tables, Map.copyOf(kept), Set.copyOf(some), dimensions);
  }
}
