/**
 * The bytes behind simulated memory, and how much of the Java heap they may take. Not here: their
 * addresses and who uses them, which are in {@code dev.streamfence.internal.simulator}.
 */
@NullMarked
package dev.streamfence.internal.simulator.bytes;

import org.jspecify.annotations.NullMarked;
