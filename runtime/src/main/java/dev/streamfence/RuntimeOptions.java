package dev.streamfence;

/**
 * How a runtime is opened. Immutable.
 *
 * @param streams how many streams may be acquired at the same time, at least 1
 * @param traceAllocations whether arrays remember where they were allocated and closed, for errors
 *     and leak reports; a stack trace each
 */
public record RuntimeOptions(int streams, boolean traceAllocations) {
  /** Checks the number of streams. */
  public RuntimeOptions {
    if (streams < 1) {
      throw new IllegalArgumentException(streams + " streams; a runtime has at least 1");
    }
  }

  /** 16 streams, no tracing. */
  public static RuntimeOptions defaults() {
    return new RuntimeOptions(16, false);
  }

  /** The same with another number of streams. */
  public RuntimeOptions withStreams(int streams) {
    return new RuntimeOptions(streams, traceAllocations);
  }

  /** The same with tracing on or off. */
  public RuntimeOptions withTraceAllocations(boolean traceAllocations) {
    return new RuntimeOptions(streams, traceAllocations);
  }
}
