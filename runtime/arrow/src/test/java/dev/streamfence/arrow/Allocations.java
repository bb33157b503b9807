package dev.streamfence.arrow;

import org.apache.arrow.memory.AllocationListener;

/** Counts what an allocator allocates. Confined to one thread. */
final class Allocations implements AllocationListener {
  private int count;

  int count() {
    return count;
  }

  @Override
  public void onAllocation(long size) {
    count++;
  }
}
