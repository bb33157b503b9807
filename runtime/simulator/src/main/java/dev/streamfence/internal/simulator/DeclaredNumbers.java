package dev.streamfence.internal.simulator;

import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Compares the elements that a launch has loaded from an array with what it declares of them: that
 * they are distinct, and that they lie in a range. An element that is loaded only in part does not
 * count. Confined to one thread.
 */
final class DeclaredNumbers {
  private final SimulatedAllocation allocation;
  private final Runs runs;

  /** Where the array begins and ends in its allocation. */
  private final long begin;

  private final long end;
  private final int size;

  private DeclaredNumbers(Use use, SimulatedAllocation allocation, Runs runs) {
    this.allocation = allocation;
    this.runs = runs;
    begin = use.address() - allocation.address();
    end = begin + use.bytes();
    size = use.elementBytes();
  }

  /**
   * Reports an element that is not as declared, in each such array of an allocation.
   *
   * @param runs the bytes that the launch has loaded
   */
  static void check(Submitted op, Shadow shadow, SimulatedAllocation allocation, Runs runs) {
    for (Use use : op.uses()) {
      if (use.declaresNumbers() && shadow.contains(use.address())) {
        DeclaredNumbers numbers = new DeclaredNumbers(use, allocation, runs);
        long repeated = use.distinct() ? numbers.repeated() : -1;
        if (repeated >= 0) {
          numbers.report(Kind.EQUAL_NUMBERS, repeated, "", op, shadow);
        }
        long outside = use.isLimited() ? numbers.outside(use.least(), use.most()) : -1;
        if (outside >= 0) {
          String range = ", declared from " + use.least() + " to " + use.most();
          numbers.report(Kind.UNDECLARED_NUMBER, outside, range, op, shadow);
        }
      }
    }
  }

  /**
   * Reports an element.
   *
   * @param at where it is
   * @param declared what its number is compared with
   */
  private void report(Kind kind, long at, String declared, Submitted op, Shadow shadow) {
    String detail = number(at) + declared;
    shadow.report(kind, shadow.allocation(), op, at, at + size, detail);
  }

  /** The number of an element, with its sign. */
  private long number(long at) {
    int unused = Long.SIZE - size * Byte.SIZE;
    return load(at) << unused >> unused;
  }

  /** Where the first element is that is not from one number to another; negative if all are. */
  private long outside(long least, long most) {
    long[] first = {-1};
    forEachLoaded(
        at -> {
          boolean isOutside = number(at) < least || number(at) > most;
          first[0] = first[0] < 0 && isOutside ? at : first[0];
        });
    return first[0];
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
