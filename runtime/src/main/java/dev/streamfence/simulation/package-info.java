/**
 * A device without a GPU: streams, events, stream-ordered memory and kernels on the CPU, behind the
 * driver interface. Not here: the meaning of PTX, which is in {@code dev.streamfence.internal.ptx}.
 */
@NullMarked
package dev.streamfence.simulation;

import org.jspecify.annotations.NullMarked;
