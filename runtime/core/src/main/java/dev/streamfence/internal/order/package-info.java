/**
 * Ordering between streams: stream pool, timelines, event rings, the hazard state of allocations,
 * and the life of a runtime ({@link dev.streamfence.internal.order.Life}). Internal. Not here:
 * launches, graphs, and bytes.
 */
@NullMarked
package dev.streamfence.internal.order;

import org.jspecify.annotations.NullMarked;
