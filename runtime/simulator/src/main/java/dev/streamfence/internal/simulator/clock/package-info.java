/**
 * The time on a simulated device: the host's clock, and how long work takes. Internal. Not here:
 * the order of the work.
 */
@NullMarked
package dev.streamfence.internal.simulator.clock;

import org.jspecify.annotations.NullMarked;
