package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.SplitAndRetryException;
import dev.streamfence.internal.Undeclared;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryTask;
import dev.streamfence.memory.Retry;
import dev.streamfence.memory.RowRange;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operators that wait for memory, begin again, and work on parts of their input. */
@Timeout(value = 20, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RetryTest {
  private static final int BUDGET = 16_000;

  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(
          SimulatedDevice.builder().schedule(Schedule.LAZY).build(),
          RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(BUDGET)));
  private final DeviceMemory memory = gpu.memory();
  private final DeviceStream stream = gpu.streams().defaultStream();

  @AfterEach
  void close() {
    gpu.close();
  }

  /** Copies numbers through three arrays on the device, four bytes for each number and array. */
  private int[] copied(int[] numbers, RowRange rows) {
    int from = (int) rows.from();
    int[] part = Arrays.copyOfRange(numbers, from, from + (int) rows.count());
    try (DeviceArray<int[]> first = memory.upload(stream, part);
        DeviceArray<int[]> second = first.copy(stream);
        DeviceArray<int[]> third = second.copy(stream)) {
      return third.download(stream);
    }
  }

  private static int[] numbers(int count, int seed) {
    int[] numbers = new int[count];
    Arrays.setAll(numbers, i -> seed + 31 * i);
    return numbers;
  }

  private static int[] joined(List<int[]> parts) {
    return parts.stream().flatMapToInt(Arrays::stream).toArray();
  }

  /** The others always have some memory when they ask for more, so they may pass by it at first. */
  @Test
  void aLargeRequestIsNotPassedByForEver() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    AtomicBoolean isServed = new AtomicBoolean();
    List<Future<?>> others = new ArrayList<>();
    try (MemoryTask large = memory.task()) {
      for (int t = 0; t < 4; t++) {
        others.add(threads.submit(() -> Retry.with(memory, () -> manyRequests(isServed))));
      }
      while (memory.pressure().tasks() < 5 || memory.statistics().liveBytes() < 400) {
        Thread.onSpinWait();
      }
      try (DeviceArray<byte[]> array = memory.allocate(stream, byte[].class, BUDGET - 50)) {
        assertThat(large.heldBytes()).isEqualTo(array.length());
      }
      isServed.set(true);
    }
    for (Future<?> each : others) {
      each.get();
    }
    threads.shutdown();
    assertThat(memory.pressure().retries()).isPositive();
  }

  private long manyRequests(AtomicBoolean isEnough) {
    try (DeviceArray<byte[]> kept = memory.allocate(stream, byte[].class, 100)) {
      long sum = 0;
      while (!isEnough.get()) {
        try (DeviceArray<byte[]> brief = memory.allocate(stream, byte[].class, 1000)) {
          sum += brief.length();
        }
      }
      return sum + kept.length();
    }
  }

  @Test
  void whatGoesWrongWithADivisionSaysWhyTheInputWasDivided() {
    int[] numbers = numbers(BUDGET, 3);
    RowRange whole = new RowRange(0, numbers.length);
    Function<RowRange, int[]> operator = rows -> copied(numbers, rows);
    List<RowRange> holes = Arrays.asList(new RowRange(0, 1), null);

    assertThatThrownBy(
            () ->
                Retry.with(
                    memory,
                    whole,
                    rows -> {
                      throw Undeclared.thrown(new IOException("no parts"));
                    },
                    operator))
        .isInstanceOf(IOException.class)
        .satisfies(
            e ->
                assertThat(e.getSuppressed())
                    .singleElement()
                    .isInstanceOf(SplitAndRetryException.class));
    assertThatThrownBy(() -> Retry.with(memory, whole, rows -> null, operator))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the splitter returned null for " + whole)
        .hasCauseInstanceOf(SplitAndRetryException.class);
    assertThatThrownBy(() -> Retry.with(memory, whole, rows -> holes, operator))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith("a part that is null for " + whole + ": " + holes)
        .hasCauseInstanceOf(SplitAndRetryException.class);
    assertThat(memory.statistics().liveBytes()).isZero();
  }

  @Test
  void anInputThatDoesNotFitIsDividedAndTheResultsAreInOrder() {
    int[] numbers = numbers(BUDGET / 4, 7);
    List<int[]> parts =
        Retry.with(memory, new RowRange(0, numbers.length), rows -> copied(numbers, rows));
    assertThat(parts).hasSize(4);
    assertThat(joined(parts)).isEqualTo(numbers);
    assertThat(memory.pressure().splits()).isEqualTo(3);
    assertThat(memory.pressure().tasks()).isZero();
  }

  @Test
  void anInputThatCannotBeDividedIsRefusedWithTheWholeStory() {
    try (DeviceArray<byte[]> held = memory.allocate(stream, byte[].class, BUDGET - 4, "a table")) {
      assertThatThrownBy(
              () ->
                  Retry.with(
                      memory,
                      new RowRange(5, 2),
                      rows -> memory.allocate(stream, long[].class, rows.count(), "keys")))
          .isInstanceOfSatisfying(
              OutOfMemoryBudgetException.class,
              refusal -> assertThat(refusal.requested()).isEqualTo(8))
          .hasMessageContaining("'keys' needs 8 bytes; 15996 of 16000 bytes are in use")
          .hasMessageContaining("RowRange[from=5, count=1] cannot be divided")
          .hasMessageContaining("other arrays and reservations have 15996 bytes");
      assertThat(held.isOpen()).isTrue();
    }
  }

  @Test
  void anOperatorWithoutInputReturnsItsResultOrIsRefused() {
    assertThat(Retry.<Long>with(memory, () -> memory.reserve(10).remainingBytes())).isEqualTo(10);
    assertThatThrownBy(
            () -> Retry.with(memory, () -> memory.allocate(stream, byte[].class, BUDGET + 1)))
        .isInstanceOf(OutOfMemoryBudgetException.class)
        .hasMessageContaining("the operator cannot be divided");
  }

  private long more(long bytes) {
    return Retry.with(
        memory,
        () -> {
          try (DeviceArray<byte[]> array = memory.allocate(stream, byte[].class, bytes)) {
            return array.length();
          }
        });
  }

  @Test
  void anOuterOperatorIsDividedIfAnInnerOneCannotBe() {
    assertThat(Retry.with(memory, new RowRange(0, 20_000), rows -> more(rows.count())))
        .containsExactly(10_000L, 10_000L);
  }

  @Test
  void anInnerOperatorThatGivesWayGivesBackTheMemoryOfTheOuterOne() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(1);
    CountDownLatch ready = new CountDownLatch(1);
    try (MemoryTask older = memory.task()) {
      DeviceArray<byte[]> held = memory.allocate(stream, byte[].class, BUDGET / 2);
      Future<Long> younger =
          threads.submit(
              () ->
                  Retry.with(
                      memory,
                      () -> {
                        try (DeviceArray<byte[]> outer =
                            memory.allocate(stream, byte[].class, BUDGET / 2)) {
                          ready.countDown();
                          return outer.length() + more(4000);
                        }
                      }));
      ready.await();
      assertThat(more(4000)).isEqualTo(4000);
      assertThat(older.heldBytes()).isEqualTo(held.length());
      held.close();
      assertThat(younger.get()).isEqualTo(BUDGET / 2 + 4000L);
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void resultsOfEarlierPartsAreClosedIfALaterPartFails() {
    List<DeviceArray<int[]>> made = new ArrayList<>();
    Exception failure = new IOException("planned");
    assertThatThrownBy(
            () ->
                Retry.with(
                    memory,
                    new RowRange(0, BUDGET),
                    rows -> {
                      if (rows.from() > 0) {
                        throw Undeclared.thrown(failure);
                      }
                      DeviceArray<int[]> result =
                          memory.allocate(stream, int[].class, rows.count());
                      made.add(result);
                      return result;
                    }))
        .isSameAs(failure);
    assertThat(made).hasSize(1);
    assertThat(made.get(0).isOpen()).isFalse();
  }

  @Test
  void aResultThatCannotBeClosedDoesNotHideTheFailure() {
    Exception failure = new IOException("planned");
    Exception unclosed = new IOException("unclosed");
    AutoCloseable result =
        () -> {
          throw unclosed;
        };
    assertThatThrownBy(
            () ->
                Retry.with(
                    memory,
                    new RowRange(0, BUDGET),
                    rows -> {
                      if (rows.from() > 0) {
                        throw Undeclared.thrown(failure);
                      }
                      memory.allocate(stream, int[].class, rows.count()).close();
                      return result;
                    }))
        .isSameAs(failure)
        .hasSuppressedException(unclosed);
  }

  @Test
  void theTaskOfTheThreadGivesItsPriorityAndPatience() {
    try (DeviceArray<byte[]> held = memory.allocate(stream, byte[].class, BUDGET);
        MemoryTask task = memory.task(4, Duration.ZERO)) {
      assertThatThrownBy(() -> Retry.with(memory, () -> memory.allocate(stream, byte[].class, 1)))
          .isInstanceOf(OutOfMemoryBudgetException.class)
          .hasMessageContaining("it waited 0 ms");
      assertThat(task.priority()).isEqualTo(4);
      assertThat(held.isOpen()).isTrue();
    }
  }

  @Test
  void rowsAreDividedInHalvesDownToOne() {
    assertThat(new RowRange(10, 5).split())
        .containsExactly(new RowRange(10, 3), new RowRange(13, 2));
    assertThat(new RowRange(10, 1).split()).hasSize(1);
    assertThat(new RowRange(10, 0).split()).hasSize(1);
    for (long[] wrong : new long[][] {{-1, 1}, {0, -1}, {Long.MAX_VALUE, 1}}) {
      assertThatIllegalArgumentException().isThrownBy(() -> new RowRange(wrong[0], wrong[1]));
    }
  }
}
