/**
 * What a runtime did: watches its work, measures it on the device, keeps it in a trace, and writes
 * that for readers and tools. Internal. Not here: how work is ordered, which this only hears of.
 */
@NullMarked
package dev.streamfence.internal.trace;

import org.jspecify.annotations.NullMarked;
