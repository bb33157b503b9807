package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.PressureStatistics;
import dev.streamfence.memory.Retry;
import dev.streamfence.memory.RowRange;
import dev.streamfence.memory.SpillableArray;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sixteen threads that together need three times the budget, and of which each checks its data. */
@Tag("launches-in-threads")
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class MemoryTasksSuite {
  private static final int THREADS = 16;

  @TempDir private Path folder;
  private DeviceRuntime gpu;
  private DeviceMemory memory;

  abstract DeviceRuntime open(RuntimeOptions options);

  /** How many numbers fit into a sixteenth of the budget; a multiple of 8. */
  abstract int share();

  /** How many operators each thread runs. */
  abstract int rounds();

  @BeforeEach
  void openDevice() {
    long budget = 16L * share() * Integer.BYTES;
    gpu =
        open(
            RuntimeOptions.defaults()
                .withStreams(THREADS + 1)
                .withMemoryBudget(MemoryBudget.ofBytes(budget))
                .withSpillMemoryInBytes(budget / 4)
                .withSpillFolder(folder));
    memory = gpu.memory();
  }

  @AfterEach
  void closeDevice() {
    if (gpu != null) {
      gpu.close();
    }
  }

  /** What a thread does in each of its rounds; returns the number of parts. */
  @FunctionalInterface
  private interface Round {
    int run(DeviceStream stream, int seed, boolean isFirst) throws Exception;
  }

  private void inSixteenThreads(String what, Round round) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Callable<Integer>> work = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      int seed = 1000 * t;
      work.add(
          () -> {
            int parts = 0;
            try (DeviceStream own = gpu.streams().acquire()) {
              for (int i = 0; i < rounds(); i++) {
                parts += round.run(own, seed + i, i == 0);
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
        "%s on %s: %d operators, %d parts, %s%n", what, gpu, THREADS * rounds(), parts, pressure);
    assertThat(pressure.refusals()).isZero();
    assertThat(pressure.tasks() + pressure.waiting()).isZero();
    assertThat(memory.statistics().liveBytes()).isZero();
  }

  private static int[] numbers(int count, int seed) {
    int[] numbers = new int[count];
    Arrays.setAll(numbers, i -> seed + 31 * i);
    return numbers;
  }

  /** Four times each number: three arrays of the rows' size, of which all are open at the end. */
  private int[] quadrupled(DeviceStream stream, int[] numbers, RowRange rows, CyclicBarrier full)
      throws Exception {
    int from = (int) rows.from();
    int n = (int) rows.count();
    SuiteKernels kernels = SuiteKernelsLauncher.on(stream);
    try (DeviceArray<int[]> source =
        memory.upload(stream, Arrays.copyOfRange(numbers, from, from + n))) {
      full.await();
      try (DeviceArray<int[]> twice = memory.allocate(stream, int[].class, n)) {
        kernels.add(source, source, twice, n);
        try (DeviceArray<int[]> result = memory.allocate(stream, int[].class, n)) {
          kernels.add(twice, twice, result, n);
          return result.download(stream);
        }
      }
    }
  }

  private int requireQuadrupled(DeviceStream stream, int n, int seed, CyclicBarrier first) {
    int[] numbers = numbers(n, seed);
    CyclicBarrier[] full = {first};
    List<int[]> parts =
        Retry.with(
            memory,
            new RowRange(0, n),
            rows -> {
              CyclicBarrier once = full[0];
              full[0] = new CyclicBarrier(1);
              try {
                return quadrupled(stream, numbers, rows, once);
              } catch (RuntimeException e) {
                throw e;
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    assertThat(parts.stream().flatMapToInt(Arrays::stream).toArray())
        .isEqualTo(Arrays.stream(numbers).map(number -> 4 * number).toArray());
    return parts.size();
  }

  /** In the first round, each has its sixteenth of the budget before any asks for more. */
  @Test
  void threadsThatHaveAllMemoryAndAskForMoreAllFinish() throws Exception {
    CyclicBarrier full = new CyclicBarrier(THREADS);
    inSixteenThreads(
        "threads that have all memory",
        (stream, seed, isFirst) ->
            requireQuadrupled(stream, share(), seed, isFirst ? full : new CyclicBarrier(1)));
    assertThat(memory.pressure().retries()).isPositive();
    assertThat(memory.pressure().splits()).isZero();
  }

  @Test
  void threadsOfWhichEachNeedsMoreThanTheBudgetAllFinish() throws Exception {
    inSixteenThreads(
        "threads that need more than the budget",
        (stream, seed, isFirst) ->
            requireQuadrupled(stream, 8 * share(), seed, new CyclicBarrier(1)));
    assertThat(memory.pressure().splits()).isPositive();
  }

  /** Two sixteenths of the budget are a thread's table, and one is what it computes from it. */
  @Test
  void threadsWhoseTablesAreSpilledAllFinish() throws Exception {
    int n = 2 * share();
    List<SpillableArray<int[]>> tables = new ArrayList<>();
    DeviceStream stream = gpu.streams().defaultStream();
    for (int t = 0; t < THREADS; t++) {
      tables.add(memory.spillable(memory.upload(stream, numbers(n, t))));
    }
    inSixteenThreads(
        "threads with tables that are spilled",
        (own, seed, isFirst) ->
            Retry.with(
                memory,
                () -> {
                  requireDoubledHalf(own, tables.get(seed / 1000), numbers(n, seed / 1000));
                  if (seed % 1000 == rounds() - 1) {
                    tables.get(seed / 1000).close();
                  }
                  return 1;
                }));
    assertThat(memory.pressure().spilling().spills()).isPositive();
    assertThat(memory.pressure().spilling().bytesToDisk()).isPositive();
    assertThat(memory.pressure().spilling().hostBytes()).isZero();
    assertThat(memory.pressure().spilling().diskBytes()).isZero();
  }

  private void requireDoubledHalf(DeviceStream stream, SpillableArray<int[]> table, int[] content) {
    int n = share();
    try (SpillableArray.Use<int[]> use = table.use(stream);
        DeviceArray<int[]> sum = memory.allocate(stream, int[].class, n)) {
      DeviceArray<int[]> half = use.array().view(n, n);
      SuiteKernelsLauncher.on(stream).add(half, half, sum, n);
      assertThat(sum.download(stream))
          .isEqualTo(Arrays.stream(content, n, 2 * n).map(number -> 2 * number).toArray());
      assertThat(use.array().download(stream)).isEqualTo(content);
    }
  }
}
