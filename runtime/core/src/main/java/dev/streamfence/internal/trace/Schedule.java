package dev.streamfence.internal.trace;

import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedWork;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Why each piece of work began when it did: for the gap before it on its stream, and for the path
 * of work that decided how long everything took. Immutable.
 */
final class Schedule {
  /** There is no gap before the work that a reader could see. */
  static final int NO_GAP = -1;

  /** The stream was idle because the host had not submitted the work. */
  static final int HOST = -2;

  /** The work had been submitted, and nothing that it waits for ran: the device took its time. */
  static final int DEVICE = -3;

  /** Shorter gaps lie between any two pieces of work. */
  static final long SHORTEST_GAP_NANOS = 2_000;

  private final List<TracedWork> works;
  private final int[] previous;
  private final int[] gaps;
  private final BitSet critical = new BitSet();

  Schedule(List<TracedWork> works) {
    this.works = works;
    this.previous = new int[works.size()];
    this.gaps = new int[works.size()];
    EarlierWork earlier = new EarlierWork(works);
    Integer[] byStart = new Integer[works.size()];
    Arrays.setAll(byStart, i -> i);
    Arrays.sort(byStart, Comparator.comparingLong(i -> works.get(i).span().startNanos()));
    Map<String, Integer> lastOfLane = new HashMap<>();
    for (int i : byStart) {
      TracedWork work = works.get(i);
      String lane = work.device() + "/" + work.stream();
      // Work that was not measured stands where it was submitted, perhaps beside work that runs.
      Integer before = lastOfLane.get(lane);
      lastOfLane.merge(lane, i, this::later);
      int waited = latest(work, earlier);
      previous[i] = later(before == null ? -1 : before, waited);
      gaps[i] = before == null ? NO_GAP : gap(work, works.get(before), waited);
    }
    markCritical();
  }

  /** The piece of work on another stream, among those it comes after, that ended last; or -1. */
  private int latest(TracedWork work, EarlierWork earlier) {
    int latest = -1;
    for (TracedDependency each : work.dependencies()) {
      if (each.stream() != work.stream()) {
        latest = later(latest, earlier.find(work, each));
      }
    }
    return latest;
  }

  private int later(int one, int other) {
    if (one < 0 || other < 0) {
      return Math.max(one, other);
    }
    return end(one) >= end(other) ? one : other;
  }

  private long end(int position) {
    return works.get(position).span().endNanos();
  }

  private int gap(TracedWork work, TracedWork before, int waited) {
    long start = work.span().startNanos();
    long free = before.span().endNanos();
    if (start - free < SHORTEST_GAP_NANOS) {
      return NO_GAP;
    }
    long submitted = work.submission().endNanos();
    if (waited >= 0 && end(waited) > free && end(waited) >= submitted) {
      return waited;
    }
    return submitted > free ? HOST : DEVICE;
  }

  private void markCritical() {
    int last = -1;
    for (int i = 0; i < works.size(); i++) {
      last = later(i, last);
    }
    // A piece of work that was not measured may seem to come before what it waits for.
    while (last >= 0 && !critical.get(last)) {
      critical.set(last);
      last = previous[last];
    }
  }

  /** Whether the work is on the path that decided how long everything took. */
  boolean isCritical(int position) {
    return critical.get(position);
  }

  /**
   * Why its stream was idle before the work: {@link #NO_GAP}, {@link #HOST}, {@link #DEVICE}, or
   * the position of the work that it waited for.
   */
  int gap(int position) {
    return gaps[position];
  }
}
