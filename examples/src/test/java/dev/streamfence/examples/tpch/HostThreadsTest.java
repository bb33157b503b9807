package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HostThreadsTest {
  @Test
  void resultsComeInTheOrderOfTheTasks() {
    try (HostThreads threads = new HostThreads("test", 3)) {
      List<Callable<Integer>> tasks =
          IntStream.range(0, 20).<Callable<Integer>>mapToObj(i -> () -> i).toList();
      assertThat(threads.runAll(tasks))
          .containsExactlyElementsOf(IntStream.range(0, 20).boxed().toList());
    }
  }

  @Test
  void firstFailureIsThrownWithTheOthersSuppressedOnceAllTasksEnd() {
    AtomicInteger ended = new AtomicInteger();
    IllegalArgumentException first = new IllegalArgumentException("first");
    IllegalStateException second = new IllegalStateException("second");
    List<Callable<Integer>> tasks =
        List.of(
            () -> {
              throw first;
            },
            ended::incrementAndGet,
            () -> {
              throw second;
            },
            ended::incrementAndGet);
    try (HostThreads threads = new HostThreads("test", 2)) {
      assertThatThrownBy(() -> threads.runAll(tasks))
          .isSameAs(first)
          .hasSuppressedException(second);
    }
    assertThat(ended).hasValue(2);
  }
}
