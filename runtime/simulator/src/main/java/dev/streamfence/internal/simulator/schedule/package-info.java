/**
 * When the operations of a simulated device run: its streams, the schedule that picks the next one,
 * which operations are ordered, and how long they take. Internal. Not here: what the operations do.
 */
@NullMarked
package dev.streamfence.internal.simulator.schedule;

import org.jspecify.annotations.NullMarked;
