package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryRepeatsTest {
  @ParameterizedTest
  @CsvSource({"1, 9", "2, 7", "3, 5", "4, 6"})
  void timeIsTheMedianOfTheRunsAfterTheWarmOne(int count, long median) {
    Planned stopwatch = new Planned(9, 5, 2, 7);
    QueryRepeats.Result result = new QueryRepeats(count, stopwatch).of(() -> 1, 1);
    assertThat(result).isEqualTo(new QueryRepeats.Result(median, 0));
  }

  @Test
  void runsWithAnotherAnswerAreCountedTheWarmOneIncluded() {
    Iterator<Integer> answers = List.of(2, 1, 3, 1).iterator();
    assertThat(new QueryRepeats(3, new Planned(1, 1, 1)).of(answers::next, 1).wrong()).isEqualTo(2);
  }

  /** Stops at times that are given. */
  private static final class Planned implements Stopwatch {
    private final long[] times;
    private int next;

    Planned(long... times) {
      this.times = times;
    }

    @Override
    public void start() {}

    @Override
    public long stop() {
      return times[next++];
    }
  }
}
