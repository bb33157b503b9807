package dev.streamfence.internal.ptx.run.machine;

/** One executable step of one thread. Immutable; all state is in the lane. */
@FunctionalInterface
public interface Op {
  void execute(Lane lane);
}
