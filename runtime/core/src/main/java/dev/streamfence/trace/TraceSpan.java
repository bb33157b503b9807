package dev.streamfence.trace;

/**
 * A stretch of time. Immutable.
 *
 * @param startNanos nanoseconds from the beginning of the trace; negative if it began before
 * @param durationNanos nanoseconds, at least 0
 */
public record TraceSpan(long startNanos, long durationNanos) {
  /** Its end, in nanoseconds from the beginning of the trace. */
  public long endNanos() {
    return startNanos + durationNanos;
  }
}
