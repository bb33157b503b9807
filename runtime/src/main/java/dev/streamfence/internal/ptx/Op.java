package dev.streamfence.internal.ptx;

/** One executable step of one thread. Immutable; all state is in the lane. */
@FunctionalInterface
interface Op {
  void execute(Lane lane);
}
