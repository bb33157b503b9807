/**
 * Ordering between streams: stream pool, timelines, event rings, the hazard state of allocations,
 * and the life of a runtime ({@link dev.streamfence.stream.Life}). Internal. Not here: launches,
 * and bytes.
 */
@NullMarked
package dev.streamfence.stream;

import org.jspecify.annotations.NullMarked;
