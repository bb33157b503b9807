package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Term;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known at a place in the code: one guard more than at another place. Confined to one
 * thread.
 */
final class Context {
  final @Nullable Context before;
  final @Nullable Polynomial difference;

  /** The step with the values that the guard leaves of the difference. */
  final int guarded;

  /** Whether a guard compares what a division gives. */
  final boolean divides;

  /**
   * Whether this guard compares numbers of which each has limits of its own: loaded ones with a
   * declared limit, or those that a loop carries.
   */
  final boolean hasOwnLimits;

  /** Whether this guard or one before does. */
  final boolean anyHasOwnLimits;

  /** The first and the last term of the difference that differ between threads; null if none. */
  final @Nullable Term firstVarying;

  final @Nullable Term lastVarying;

  final Map<Polynomial, Integer> ranges = new HashMap<>();
  final Map<Node, Integer> values = new HashMap<>();

  Context(
      @Nullable Context before,
      @Nullable Polynomial difference,
      int guarded,
      boolean divides,
      boolean hasOwnLimits,
      List<Term> varying) {
    this.before = before;
    this.difference = difference;
    this.guarded = guarded;
    this.divides = divides;
    this.hasOwnLimits = hasOwnLimits;
    this.firstVarying = varying.isEmpty() ? null : varying.get(0);
    this.lastVarying = varying.isEmpty() ? null : varying.get(varying.size() - 1);
    this.anyHasOwnLimits = hasOwnLimits || (before != null && before.anyHasOwnLimits);
  }
}
