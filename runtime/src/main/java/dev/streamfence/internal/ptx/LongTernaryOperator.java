package dev.streamfence.internal.ptx;

/** A function of three register values. */
@FunctionalInterface
interface LongTernaryOperator {
  long applyAsLong(long a, long b, long c);
}
