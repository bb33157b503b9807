/**
 * Device memory: allocations, the resource interface with its backends (stream-ordered, direct) and
 * decorators (guard, log, budget), and staging for host copies. Internal except for {@link
 * dev.streamfence.RecordedAllocations}, which a user gets from {@link
 * dev.streamfence.AllocationLog#inMemory}. Not here: launches, and element types.
 */
@NullMarked
package dev.streamfence.internal.memory;

import org.jspecify.annotations.NullMarked;
