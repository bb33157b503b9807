package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.Work;
import java.nio.ByteBuffer;

/**
 * Page-locked memory through which a guard reads device memory. Thread-safe; holds no lock while it
 * waits for a stream, since the holder of that stream may be about to free memory too.
 */
final class GuardWindow {
  /** Receives a piece of an allocation; returns whether it wants more. */
  interface Viewer {
    boolean view(long offset, HostMemory bytes, int count);
  }

  private static final int BYTES = 256 << 10;

  /** 1 in each byte. */
  private static final long EACH_BYTE = 0x0101010101010101L;

  private final HostMemoryPool memory;

  GuardWindow(StreamPool streams) {
    this.memory = streams.hostMemory();
  }

  HostMemory take() {
    try {
      return memory.take(BYTES);
    } catch (CudaDriverException e) {
      throw e.during("allocating memory to check arrays");
    }
  }

  /**
   * Gives back a window that no queued copy uses. One whose copy has failed is not given back: the
   * device may still write it, so it is freed at the end.
   */
  void giveBack(HostMemory window) {
    memory.giveBack(window);
  }

  /** Reads an allocation piece by piece, ordered like any other use. Waits for each piece. */
  void read(Allocation allocation, Viewer viewer) {
    HostMemory window = take();
    boolean more = true;
    for (long offset = 0; more && offset < allocation.sizeInBytes(); offset += BYTES) {
      int count = (int) Math.min(BYTES, allocation.sizeInBytes() - offset);
      try {
        copy(allocation, offset, window, count);
      } catch (StreamMisuseException nothingQueued) {
        giveBack(window);
        throw nothingQueued;
      }
      more = viewer.view(offset, window, count);
    }
    giveBack(window);
  }

  /**
   * The index, from {@code from} on, of the first byte that is not as expected; -1 if there is
   * none.
   */
  int mismatch(HostMemory window, int from, int count, byte expected) {
    // Once: where the host's accesses are watched, each of these calls is one.
    ByteBuffer bytes = window.readOnlyBuffer();
    long eight = (expected & 0xFF) * EACH_BYTE;
    int i = 0;
    while (i + Long.BYTES <= count && bytes.getLong(from + i) == eight) {
      i += Long.BYTES;
    }
    while (i < count && bytes.get(from + i) == expected) {
      i++;
    }
    return i < count ? i : -1;
  }

  private void copy(Allocation allocation, long offset, HostMemory window, int count) {
    Timeline timeline = allocation.hazards().lastUser();
    Purpose purpose =
        new Purpose(Purpose.Act.CHECK, allocation.sizeInBytes(), allocation.tag(), timeline);
    timeline.submit(
        Work.of(
            purpose,
            uses -> uses.use(allocation.hazards(), true, false, 0),
            submission ->
                submission
                    .sink()
                    .copyToHostAsync(
                        window, 0, allocation.address() + offset, count, submission.stream()),
            Work.Coverage.ON_DEMAND));
    timeline.synchronize(purpose.purpose());
  }
}
