/**
 * Assertions on the trace of a runtime: {@link
 * dev.streamfence.assertj.TraceAssertions#assertThat(dev.streamfence.trace.Trace)} is the entry.
 * Not here: the trace itself.
 */
@NullMarked
package dev.streamfence.assertj;

import org.jspecify.annotations.NullMarked;
