package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Timeline;
import java.util.concurrent.atomic.AtomicLong;

/** The least that a resource can do: memory without any idea of who uses it. */
public final class UntrackingResource implements MemoryResource {
  private final StreamPool streams;
  private final AtomicLong outstanding = new AtomicLong();

  public UntrackingResource(StreamPool streams) {
    this.streams = streams;
  }

  @Override
  public Allocation allocate(long sizeInBytes, Timeline timeline, String tag) {
    long address = streams.driver().allocate(sizeInBytes);
    outstanding.addAndGet(sizeInBytes);
    return new Allocation(address, sizeInBytes, tag, timeline, 0, block -> {}, false, null);
  }

  @Override
  public long deallocate(Allocation block) {
    block.hazards().close(null);
    streams.driver().free(block.address());
    outstanding.addAndGet(-block.sizeInBytes());
    return block.sizeInBytes();
  }

  @Override
  public long bytesOutstanding() {
    return outstanding.get();
  }

  @Override
  public int deviceOrdinal() {
    return streams.driver().properties().ordinal();
  }
}
