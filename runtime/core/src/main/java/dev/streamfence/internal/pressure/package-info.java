/**
 * Tasks that wait for device memory: their order, and who gives way when none can go on. Not here:
 * the figures of a budget, and what makes memory free.
 */
@NullMarked
package dev.streamfence.internal.pressure;

import org.jspecify.annotations.NullMarked;
