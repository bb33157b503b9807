/**
 * Implements the handles that users hold: runtimes, streams, memory and arrays. It ties order and
 * memory together. Not here: completions, and kernels and their launches.
 */
@NullMarked
package dev.streamfence.internal.device;

import org.jspecify.annotations.NullMarked;
