package dev.streamfence.internal.ptx.run.arithmetic;

/** A function of three register values. */
@FunctionalInterface
public interface LongTernaryOperator {
  long applyAsLong(long a, long b, long c);
}
