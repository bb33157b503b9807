/**
 * Implements the handles that users hold: runtimes, streams, memory, arrays and completions. It
 * ties order and memory together. Not here: kernels and their launches.
 */
@NullMarked
package dev.streamfence.internal.device;

import org.jspecify.annotations.NullMarked;
