package dev.streamfence.internal.memory;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Freed memory that is not reused yet, oldest first. Thread-safe. */
final class Quarantine {
  /**
   * One piece of kept memory.
   *
   * @param allocation the freed allocation; null for memory that was never handed out
   * @param raw the memory with its margins
   * @param reported whether a violation was reported already, so that none is reported again
   */
  record Range(@Nullable Allocation allocation, Allocation raw, boolean reported) {}

  /** Enough to catch a late write, and few enough to check at once. */
  private static final int MAX_RANGES = 64;

  /** Keeps fewer large allocations: a debugging run should fit where the real one does. */
  private static final long MAX_BYTES = 64L << 20;

  private final Deque<Range> ranges = new ArrayDeque<>();
  private long bytes;

  synchronized void add(Range range) {
    ranges.addLast(range);
    bytes += range.raw().sizeInBytes();
  }

  synchronized @Nullable Range poll() {
    Range oldest = ranges.pollFirst();
    if (oldest != null) {
      bytes -= oldest.raw().sizeInBytes();
    }
    return oldest;
  }

  /** Takes the oldest if a limit is exceeded. */
  synchronized @Nullable Range pollExcess() {
    return ranges.size() > MAX_RANGES || bytes > MAX_BYTES ? poll() : null;
  }

  synchronized int size() {
    return ranges.size();
  }
}
