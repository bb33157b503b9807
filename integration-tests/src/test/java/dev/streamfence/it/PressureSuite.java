package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Arrays that many threads close while many streams use them, and whose memory is used again
 * immediately.
 */
@Tag("launches-in-threads")
abstract class PressureSuite {
  private static final int THREADS = 8;

  private DeviceRuntime gpu;

  abstract DeviceRuntime open(RuntimeOptions options);

  /** The options of the suite's runtime, such as guarded memory. */
  RuntimeOptions options() {
    return RuntimeOptions.defaults().withStreams(2 * THREADS + 2);
  }

  abstract int elements();

  abstract int iterations();

  @BeforeEach
  void openDevice() {
    gpu = open(options());
  }

  @AfterEach
  void closeDevice() {
    if (gpu != null) {
      gpu.close();
    }
  }

  @Test
  void aChainOfProducersAndConsumersGivesTheRightSumsInEveryThread() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    CyclicBarrier start = new CyclicBarrier(THREADS);
    List<Future<?>> running = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      int thread = t;
      running.add(
          executor.submit(
              () -> {
                start.await();
                chain(thread);
                return null;
              }));
    }
    for (Future<?> future : running) {
      future.get();
    }
    executor.shutdown();
    assertThat(gpu.memory().statistics().guardViolations()).isZero();
  }

  private void chain(int thread) {
    int n = elements();
    try (DeviceStream producing = gpu.streams().acquire();
        DeviceStream consuming = gpu.streams().acquire()) {
      SuiteKernels producer = SuiteKernelsLauncher.on(producing);
      SuiteKernels consumer = SuiteKernelsLauncher.on(consuming);
      for (int i = 0; i < iterations(); i++) {
        DeviceArray<int[]> made = gpu.memory().allocate(producing, int[].class, n);
        made.fill(producing, thread * 1000 + i);
        producer.incrementSlowly(made, n, 20);
        DeviceArray<int[]> doubled = gpu.memory().allocate(consuming, int[].class, n);
        consumer.add(made, made, doubled, n);
        made.close();
        producer.increment(doubled, n);
        try (doubled) {
          int[] expected = new int[n];
          Arrays.fill(expected, 2 * (thread * 1000 + i + 1) + 1);
          assertThat(doubled.download(consuming)).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void aClosedArrayOutlivesAQueuedFill() {
    dropAndUseAgain((source, target, kernels, stream) -> target.fill(stream, 7), 7);
  }

  @Test
  void aClosedArrayOutlivesAQueuedCopy() {
    dropAndUseAgain((source, target, kernels, stream) -> target.copyFrom(stream, source), 5);
  }

  @Test
  void aClosedArrayOutlivesAQueuedKernel() {
    dropAndUseAgain(
        (source, target, kernels, stream) -> kernels.add(source, source, target, elements()), 10);
  }

  @Test
  void aClosedArrayOutlivesTwoQueuedKernels() {
    dropAndUseAgain(
        (source, target, kernels, stream) -> {
          kernels.incrementSlowly(source, elements(), 50);
          kernels.add(source, source, target, elements());
        },
        12);
  }

  /** Something that reads an array of fives and writes another. */
  @FunctionalInterface
  private interface Operation {
    void queue(
        DeviceArray<int[]> source,
        DeviceArray<int[]> target,
        SuiteKernels kernels,
        DeviceStream stream);
  }

  private void dropAndUseAgain(Operation operation, int expected) {
    int n = elements();
    try (DeviceStream owner = gpu.streams().acquire();
        DeviceStream launch = gpu.streams().acquire()) {
      SuiteKernels kernels = SuiteKernelsLauncher.on(launch);
      for (int round = 0; round < iterations(); round++) {
        DeviceArray<int[]> source = gpu.memory().allocate(owner, int[].class, n);
        source.fill(owner, 5);
        DeviceArray<int[]> target = gpu.memory().allocate(owner, int[].class, n);
        operation.queue(source, target, kernels, launch);
        source.close();
        List<DeviceArray<int[]>> tramplers = new ArrayList<>();
        for (DeviceStream stream : List.of(owner, launch)) {
          DeviceArray<int[]> trampler = gpu.memory().allocate(stream, int[].class, n);
          trampler.fill(stream, -1);
          tramplers.add(trampler);
        }
        int[] wanted = new int[n];
        Arrays.fill(wanted, expected);
        assertThat(target.download(owner)).isEqualTo(wanted);
        target.close();
        tramplers.forEach(DeviceArray::close);
      }
    }
  }
}
