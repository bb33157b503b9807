package dev.streamfence.memory;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Freed memory that nobody gets yet, oldest first. Thread-safe. */
final class Quarantine {
  /**
   * What is kept.
   *
   * @param block what was freed; null for memory that never became a block
   * @param raw the memory with its margins
   * @param reported whether something was found already, so that it is not found again
   */
  record Range(@Nullable Block block, Block raw, boolean reported) {}

  /** Long enough for a late write to come, short enough to be looked through at once. */
  private static final int MAX_RANGES = 64;

  /** Large blocks are fewer: a debugging run should fit where the real one does. */
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

  /** Takes the oldest if there is more than may be kept. */
  synchronized @Nullable Range pollExcess() {
    return ranges.size() > MAX_RANGES || bytes > MAX_BYTES ? poll() : null;
  }

  synchronized int size() {
    return ranges.size();
  }
}
