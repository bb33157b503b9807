package dev.streamfence.assertj;

import dev.streamfence.trace.Trace;

/**
 * The entry to the assertions on traces; can be imported beside AssertJ's own {@code assertThat}.
 *
 * <pre>{@code
 * assertThat(gpu.trace()).launch("probe").waitedFor("build").because("slots: written by build, read by probe");
 * }</pre>
 */
public final class TraceAssertions {
  private TraceAssertions() {}

  /** Begins assertions on what a trace contains at this moment. */
  public static TraceAssert assertThat(Trace trace) {
    return new TraceAssert(trace);
  }
}
