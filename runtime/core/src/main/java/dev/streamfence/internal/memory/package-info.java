/**
 * Device memory: allocations, the resource interface with its backends (stream-ordered, direct) and
 * decorators (guard, log, budget). Not here: copies, launches, and element types.
 */
@NullMarked
package dev.streamfence.internal.memory;

import org.jspecify.annotations.NullMarked;
