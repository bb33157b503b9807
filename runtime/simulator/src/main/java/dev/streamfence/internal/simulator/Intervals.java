package dev.streamfence.internal.simulator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The state of each byte of an allocation, as ordered intervals whose bytes share a state. The cost
 * of a change does not depend on the number of intervals elsewhere. Confined to the driver's lock.
 */
final class Intervals {
  private static final int MOST_IN_CHUNK = 128;

  /** Neighbouring intervals, at least 1; each ends where the next one begins. Immutable. */
  private static final class IntervalChunk {
    private final long[] starts;
    private final ByteState[] states;

    private IntervalChunk(long[] starts, ByteState[] states) {
      this.starts = starts;
      this.states = states;
    }

    private int count() {
      return starts.length;
    }

    private ByteState last() {
      return states[states.length - 1];
    }
  }

  /** Receives intervals in order. */
  @FunctionalInterface
  interface Visitor {
    void visit(long start, long end, ByteState state);
  }

  private final List<IntervalChunk> chunks = new ArrayList<>(1);

  /** One interval. */
  Intervals(ByteState state) {
    reset(state);
  }

  void reset(ByteState state) {
    chunks.clear();
    chunks.add(new IntervalChunk(new long[] {0}, new ByteState[] {state}));
  }

  /**
   * Visits all intervals.
   *
   * @param size where the last one ends
   */
  void forEach(long size, Visitor visitor) {
    forEach(0, chunks.size(), size, visitor);
  }

  /** Begins to replace the intervals that contain these bytes, and some around them. */
  Part part(long from, long to) {
    int first = find(from);
    int last = find(to - 1) + 1;
    // Small chunks join their neighbours, which keeps the number of chunks low.
    if (first > 0 && chunks.get(first - 1).count() < MOST_IN_CHUNK / 4) {
      first--;
    }
    if (last < chunks.size() && chunks.get(last).count() < MOST_IN_CHUNK / 4) {
      last++;
    }
    return new Part(first, last);
  }

  /** The index of the chunk that contains a byte. */
  private int find(long offset) {
    int low = 0;
    int high = chunks.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (chunks.get(middle).starts[0] <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private void forEach(int from, int to, long size, Visitor visitor) {
    for (int i = from; i < to; i++) {
      IntervalChunk chunk = chunks.get(i);
      long chunkEnd = i + 1 < chunks.size() ? chunks.get(i + 1).starts[0] : size;
      for (int k = 0; k < chunk.count(); k++) {
        long end = k + 1 < chunk.count() ? chunk.starts[k + 1] : chunkEnd;
        visitor.visit(chunk.starts[k], end, chunk.states[k]);
      }
    }
  }

  /** The replacement for some of the intervals; empty at first. */
  final class Part {
    private final int from;
    private final int to;
    private long[] starts = new long[16];
    private ByteState[] states = new ByteState[16];
    private int count;

    private Part(int from, int to) {
      this.from = from;
      this.to = to;
    }

    /** Visits the intervals to be replaced. */
    void forEach(long size, Visitor visitor) {
      Intervals.this.forEach(from, to, size, visitor);
    }

    /**
     * Adds an interval that begins where the last one ends, and merges the two if their states are
     * equal.
     */
    void append(long start, ByteState state) {
      if (count > 0 && states[count - 1].equals(state)) {
        return;
      }
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count);
        states = Arrays.copyOf(states, 2 * count);
      }
      starts[count] = start;
      states[count++] = state;
    }

    void replace() {
      if (to < chunks.size() && chunks.get(to).states[0].equals(states[count - 1])) {
        dropFirst(to);
      }
      boolean goesOn = from > 0 && chunks.get(from - 1).last().equals(states[0]);
      int next = goesOn ? 1 : 0;
      List<IntervalChunk> fresh = new ArrayList<>();
      // Half full, to leave them space to grow.
      int step = count - next <= MOST_IN_CHUNK ? MOST_IN_CHUNK : MOST_IN_CHUNK / 2;
      for (; next < count; next += step) {
        int end = Math.min(count, next + step);
        fresh.add(
            new IntervalChunk(
                Arrays.copyOfRange(starts, next, end), Arrays.copyOfRange(states, next, end)));
      }
      List<IntervalChunk> replaced = chunks.subList(from, to);
      if (fresh.size() == replaced.size()) {
        for (int i = 0; i < fresh.size(); i++) {
          replaced.set(i, fresh.get(i));
        }
      } else {
        replaced.clear();
        chunks.addAll(from, fresh);
      }
    }

    /** Drops a chunk's first interval, which has become part of the one before. */
    private void dropFirst(int index) {
      IntervalChunk chunk = chunks.get(index);
      if (chunk.count() == 1) {
        chunks.remove(index);
      } else {
        chunks.set(
            index,
            new IntervalChunk(
                Arrays.copyOfRange(chunk.starts, 1, chunk.count()),
                Arrays.copyOfRange(chunk.states, 1, chunk.count())));
      }
    }
  }
}
