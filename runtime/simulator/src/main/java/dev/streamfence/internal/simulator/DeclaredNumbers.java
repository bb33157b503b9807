package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Compares the elements that a launch has loaded from an array with each other, where it declares
 * that they are distinct. An element that is loaded only in part does not count. Confined to one
 * thread.
 */
final class DistinctNumbers {
  private final SimulatedAllocation allocation;
  private final Runs runs;

  /** Where the array begins and ends in its allocation. */
  private final long begin;

  private final long end;
  private final int size;

  private DistinctNumbers(Use use, SimulatedAllocation allocation, Runs runs) {
    this.allocation = allocation;
    this.runs = runs;
    begin = use.address() - allocation.address();
    end = begin + use.bytes();
    size = use.elementBytes();
  }

  /**
   * Reports an element that is equal to one before it, in each such array of an allocation.
   *
   * @param runs the bytes that the launch has loaded
   */
  static void check(Submitted op, Shadow shadow, SimulatedAllocation allocation, Runs runs) {
    for (Use use : op.uses()) {
      if (use.distinct() && shadow.contains(use.address())) {
        long repeated = new DistinctNumbers(use, allocation, runs).repeated();
        if (repeated >= 0) {
          shadow.report(
              Kind.EQUAL_NUMBERS, shadow.allocation(), op, repeated, repeated + use.elementBytes());
        }
      }
    }
  }

  /** Where an element is that is equal to one before it; negative if all are distinct. */
  private long repeated() {
    int[] count = new int[1];
    forEachLoaded(at -> count[0]++);
    long[] values = new long[count[0]];
    forEachLoaded(at -> values[--count[0]] = load(at));
    Arrays.sort(values);
    for (int i = 1; i < values.length; i++) {
      if (values[i] == values[i - 1]) {
        long value = values[i];
        long[] last = {-1};
        forEachLoaded(at -> last[0] = load(at) == value ? at : last[0]);
        return last[0];
      }
    }
    return -1;
  }

  private long load(long at) {
    return allocation.bytes().load(at, size);
  }

  private void forEachLoaded(LongConsumer action) {
    for (int i = 0; i < runs.count(); i++) {
      long from = Math.max(runs.start(i), begin);
      long until = Math.min(runs.end(i), end);
      boolean isLoaded = (runs.access(i) & Runs.READS) != 0;
      long at = begin + (from - begin + size - 1) / size * size;
      for (; isLoaded && at + size <= until; at += size) {
        action.accept(at);
      }
    }
  }
}
