package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.simulator.schedule.SubmissionOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares intervals, which are stored in chunks, with a state per byte. */
final class IntervalsTest {
  private static final int SIZE = 2_000;

  private record Interval(long start, long end, ByteState state) {}

  private static List<Interval> of(ByteState[] bytes) {
    List<Interval> intervals = new ArrayList<>();
    int start = 0;
    for (int i = 1; i <= bytes.length; i++) {
      if (i == bytes.length || !bytes[i].equals(bytes[start])) {
        intervals.add(new Interval(start, i, bytes[start]));
        start = i;
      }
    }
    return intervals;
  }

  private static void replace(Intervals intervals, int from, int to, ByteState state) {
    Intervals.Part part = intervals.part(from, to);
    part.forEach(
        SIZE,
        (start, end, before) -> {
          if (start < from) {
            part.append(start, before);
          }
          if (end > from && start < to) {
            part.append(Math.max(start, from), state);
          }
          if (end > to) {
            part.append(Math.max(start, to), before);
          }
        });
    part.replace();
  }

  @Test
  void anyChangesLeaveTheLongestIntervalsOfEqualBytes() {
    SubmissionOrder order = new SubmissionOrder();
    SubmissionOrder.StreamClock stream = order.newStream();
    ByteState[] states = new ByteState[3];
    for (int i = 0; i < states.length; i++) {
      states[i] =
          ByteState.writtenBy(
              new Submitted(
                  "write " + i, 1, order.submit(stream), 0, List.of(), false, null, null));
    }
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      ByteState[] bytes = new ByteState[SIZE];
      Arrays.fill(bytes, states[0]);
      Intervals intervals = new Intervals(states[0]);
      for (int change = 0; change < 2_000; change++) {
        int from = random.nextInt(SIZE);
        int longest = random.nextInt(100) == 0 ? SIZE : 4;
        int to = Math.min(SIZE, from + 1 + random.nextInt(longest));
        ByteState state = states[random.nextInt(states.length)];
        Arrays.fill(bytes, from, to, state);
        replace(intervals, from, to, state);
        if (change % 20 == 0) {
          List<Interval> seen = new ArrayList<>();
          intervals.forEach(SIZE, (start, end, s) -> seen.add(new Interval(start, end, s)));
          assertThat(seen).as("seed %s, change %s", seed, change).isEqualTo(of(bytes));
        }
      }
    }
  }
}
