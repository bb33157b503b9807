/**
 * The driver of a device without a GPU: streams, events, stream-ordered memory and kernels on the
 * CPU, and the race checker. Not here: the meaning of PTX, which is in {@code
 * dev.streamfence.internal.ptx}, and what a test author calls, which is in {@code
 * dev.streamfence.simulation}.
 */
@NullMarked
package dev.streamfence.internal.simulator;

import org.jspecify.annotations.NullMarked;
