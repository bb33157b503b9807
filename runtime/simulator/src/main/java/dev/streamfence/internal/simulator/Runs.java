package dev.streamfence.internal.simulator;

import java.util.Arrays;

/**
 * The ranges of one allocation that one operation accesses, and how: ascending, disjoint, and as
 * long as possible. Confined to one thread.
 */
final class Runs {
  static final int READS = 1;
  static final int WRITES = 2;

  private long[] starts = new long[4];
  private long[] ends = new long[4];
  private byte[] access = new byte[4];
  private int count;

  /** One range. */
  static Runs of(long start, long length, int access) {
    Runs runs = new Runs();
    runs.add(start, start + length, access);
    return runs;
  }

  /** Adds a range that begins at or after the end of the last one. */
  void add(long start, long end, int what) {
    if (start >= end || what == 0) {
      return;
    }
    if (count > 0 && ends[count - 1] == start && access[count - 1] == what) {
      ends[count - 1] = end;
      return;
    }
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
      access = Arrays.copyOf(access, 2 * count);
    }
    starts[count] = start;
    ends[count] = end;
    access[count++] = (byte) what;
  }

  int count() {
    return count;
  }

  long start(int index) {
    return starts[index];
  }

  long end(int index) {
    return ends[index];
  }

  /** {@link #READS}, {@link #WRITES} or both. */
  int access(int index) {
    return access[index];
  }
}
