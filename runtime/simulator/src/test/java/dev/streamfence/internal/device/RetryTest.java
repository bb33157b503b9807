package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryTask;
import dev.streamfence.memory.PressureStatistics;
import dev.streamfence.memory.Retry;
import dev.streamfence.memory.RowRange;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operators that wait for memory, begin again, and work on parts of their input. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RetryTest {
  private static final int THREADS = 16;
  private static final int ROUNDS = 10;
  private static final int BUDGET = 16_000;

  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(
          SimulatedDevice.builder().schedule(Schedule.LAZY).build(),
          RuntimeOptions.defaults()
              .withStreams(THREADS + 1)
              .withMemoryBudget(MemoryBudget.ofBytes(BUDGET)));
  private final DeviceMemory memory = gpu.memory();
  private final DeviceStream stream = gpu.streams().defaultStream();

  @AfterEach
  void close() {
    gpu.close();
  }

  /** Copies numbers through three arrays on the device, four bytes for each number and array. */
  private int[] copied(DeviceStream on, int[] numbers, RowRange rows) {
    return copied(on, numbers, rows, () -> {});
  }

  private int[] copied(DeviceStream on, int[] numbers, RowRange rows, Runnable between) {
    int from = (int) rows.from();
    int[] part = Arrays.copyOfRange(numbers, from, from + (int) rows.count());
    try (DeviceArray<int[]> first = memory.upload(on, part)) {
      between.run();
      try (DeviceArray<int[]> second = first.copy(on);
          DeviceArray<int[]> third = second.copy(on)) {
        return third.download(on);
      }
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

  /** Each has its first sixteenth of the budget, and all of it is gone, when they ask for more. */
  @Test
  void sixteenThreadsThatTogetherNeedThreeTimesTheBudgetAllFinish() throws Exception {
    CyclicBarrier full = new CyclicBarrier(THREADS);
    ThreadLocal<Boolean> isFirst = ThreadLocal.withInitial(() -> true);
    inSixteenThreads(
        BUDGET / 16 / 4,
        () -> {
          if (isFirst.get()) {
            isFirst.set(false);
            await(full);
          }
        });
    assertThat(memory.pressure().retries()).isPositive();
    assertThat(memory.pressure().splits()).isZero();
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void sixteenThreadsOfWhichEachNeedsMoreThanTheBudgetAllFinish() throws Exception {
    inSixteenThreads(BUDGET / 2 / 4, () -> {});
    assertThat(memory.pressure().splits()).isPositive();
  }

  private void inSixteenThreads(int rows, Runnable between) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Callable<Integer>> work = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      int seed = 1000 * t;
      work.add(
          () -> {
            int parts = 0;
            try (DeviceStream own = gpu.streams().acquire()) {
              for (int round = 0; round < ROUNDS; round++) {
                int[] numbers = numbers(rows, seed + round);
                List<int[]> results =
                    Retry.with(
                        memory, new RowRange(0, rows), part -> copied(own, numbers, part, between));
                assertThat(joined(results)).isEqualTo(numbers);
                parts += results.size();
              }
            }
            return parts;
          });
    }
    int parts = 0;
    for (Future<Integer> each : threads.invokeAll(work)) {
      parts += each.get();
    }
    threads.shutdown();
    PressureStatistics pressure = memory.pressure();
    System.out.printf(
        "memory pressure: %d rows, %d operators, %d parts, %s%n",
        rows, THREADS * ROUNDS, parts, pressure);
    assertThat(pressure.waits()).isPositive();
    assertThat(pressure.refusals()).isZero();
    assertThat(pressure.tasks() + pressure.waiting()).isZero();
    assertThat(memory.reap()).isNotNegative();
    assertThat(memory.statistics().liveBytes()).isZero();
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
  void anInputThatDoesNotFitIsDividedAndTheResultsAreInOrder() {
    int[] numbers = numbers(BUDGET / 4, 7);
    List<int[]> parts =
        Retry.with(memory, new RowRange(0, numbers.length), rows -> copied(stream, numbers, rows));
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

  @Test
  void resultsOfEarlierPartsAreClosedIfALaterPartFails() {
    List<DeviceArray<int[]>> made = new ArrayList<>();
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                Retry.with(
                    memory,
                    new RowRange(0, BUDGET),
                    rows -> {
                      if (rows.from() > 0) {
                        throw new IllegalStateException("planned");
                      }
                      DeviceArray<int[]> result =
                          memory.allocate(stream, int[].class, rows.count());
                      made.add(result);
                      return result;
                    }));
    assertThat(made).hasSize(1);
    assertThat(made.get(0).isOpen()).isFalse();
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
