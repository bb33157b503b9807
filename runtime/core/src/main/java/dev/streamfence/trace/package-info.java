/**
 * What a runtime did, to look at: the {@linkplain dev.streamfence.trace.Trace trace} of its work,
 * with what each piece waited for and why. Not here: counters ({@link
 * dev.streamfence.RuntimeStatistics}), and the events for JDK Flight Recorder, which need no class.
 */
@NullMarked
package dev.streamfence.trace;

import org.jspecify.annotations.NullMarked;
