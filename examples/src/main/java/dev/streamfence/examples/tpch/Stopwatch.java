package dev.streamfence.examples.tpch;

import dev.streamfence.trace.Trace;
import dev.streamfence.trace.TraceSpan;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;

/** Times one run of a query after the other. Confined to one thread at a time. */
public interface Stopwatch {
  /** A run begins. */
  void start();

  /** How long the run took that has ended now, in nanoseconds. */
  long stop();

  /** Times what the caller sees: from the call to the answer. */
  static Stopwatch ofHost() {
    return new Stopwatch() {
      private long start;

      @Override
      public void start() {
        start = System.nanoTime();
      }

      @Override
      public long stop() {
        return System.nanoTime() - start;
      }
    };
  }

  /**
   * Times what the device does: from the start of a run's first kernel to the end of its last,
   * which may be on another stream.
   *
   * @param trace of a runtime with device times; the stopwatch clears it
   */
  static Stopwatch ofKernels(Trace trace) {
    return new Stopwatch() {
      @Override
      public void start() {
        trace.clear();
      }

      @Override
      public long stop() {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (TracedWork work : trace.works()) {
          if (work.kind() == WorkKind.LAUNCH) {
            TraceSpan execution = work.execution();
            if (execution == null) {
              throw new IllegalStateException(work + " has no device time");
            }
            first = Math.min(first, execution.startNanos());
            last = Math.max(last, execution.endNanos());
          }
        }
        return last < first ? 0 : last - first;
      }
    };
  }
}
