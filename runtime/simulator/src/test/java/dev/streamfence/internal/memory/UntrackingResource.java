package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Timeline;

/** A minimal resource: it does not track the uses of its memory. */
public final class UntrackingResource implements AllocationResource {
  private final StreamPool streams;
  private final Account account = new Account();

  public UntrackingResource(StreamPool streams) {
    this.streams = streams;
  }

  @Override
  public Allocation allocate(long sizeInBytes, Timeline timeline, String tag, Account payer) {
    long address = streams.driver().allocate(sizeInBytes);
    payer.opened(sizeInBytes);
    return new Allocation(
        address, sizeInBytes, tag, timeline, 0, release -> {}, false, payer, null, null);
  }

  @Override
  public void deallocate(Allocation allocation) {
    allocation.close(null);
    streams.driver().free(allocation.address());
    allocation.returned();
  }

  @Override
  public Account account() {
    return account;
  }

  @Override
  public int deviceOrdinal() {
    return streams.driver().properties().ordinal();
  }
}
