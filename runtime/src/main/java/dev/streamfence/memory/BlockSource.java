package dev.streamfence.memory;

import dev.streamfence.stream.Timeline;

/** What blocks are allocated from: a resource, or bytes that are set aside. Thread-safe. */
@FunctionalInterface
public interface BlockSource {
  /** Allocates a block, see {@link MemoryResource#allocate}. */
  Block allocate(long sizeInBytes, Timeline timeline, String tag);
}
