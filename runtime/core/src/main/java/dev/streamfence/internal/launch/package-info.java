/**
 * Implements loading and launching of kernels: argument frames, modules, the checks at load and the
 * recorder. Not here: order and memory.
 */
@NullMarked
package dev.streamfence.internal.launch;

import org.jspecify.annotations.NullMarked;
