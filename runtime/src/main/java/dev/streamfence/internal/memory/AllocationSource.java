package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.Timeline;

/** A source of allocations: a resource, or bytes that are set aside. Thread-safe. */
@FunctionalInterface
public interface AllocationSource {
  /** Allocates memory, see {@link MemoryResource#allocate}. */
  Allocation allocate(long sizeInBytes, Timeline timeline, String tag);
}
