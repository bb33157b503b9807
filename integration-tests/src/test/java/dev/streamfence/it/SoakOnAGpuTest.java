package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Threads on streams of their own that race for the same arrays. An increment is a read and a write
 * that are not atomic, so two unordered launches lose one. Private arrays are closed while they are
 * in use, and their memory is used again.
 */
@Tag("gpu")
@Tag("launches-in-threads")
final class SoakOnAGpuTest {
  private static final int THREADS = 8;
  private static final int ARRAYS = 16;
  private static final int LENGTH = 1024;

  /** The launches of all threads together; set a million or more for a long run. */
  private static final int LAUNCHES = Integer.getInteger("streamfence.soak.launches", 80_000);

  private static final long SEED = Long.getLong("streamfence.soak.seed", 1);

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noLaunchIsLostOrMixedWithAnother(boolean caching) throws Exception {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    long begun = System.nanoTime();
    RuntimeOptions options = RuntimeOptions.defaults().withCachingPool(caching);
    try (DeviceRuntime gpu = DeviceRuntime.open(0, options)) {
      DeviceStream first = gpu.streams().acquire();
      List<DeviceArray<int[]>> shared = new ArrayList<>();
      for (int i = 0; i < ARRAYS; i++) {
        shared.add(gpu.memory().allocateZeroed(first, int[].class, LENGTH));
      }
      AtomicIntegerArray increments = new AtomicIntegerArray(ARRAYS);
      ExecutorService executor = Executors.newFixedThreadPool(THREADS);
      try {
        List<Future<?>> running = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
          long seed = SEED * THREADS + thread;
          running.add(executor.submit(() -> race(gpu, shared, increments, seed)));
        }
        for (Future<?> thread : running) {
          thread.get();
        }
      } finally {
        executor.shutdown();
      }
      for (int i = 0; i < ARRAYS; i++) {
        assertThat(shared.get(i).download(first)).containsOnly(increments.get(i));
        shared.get(i).close();
      }
      System.out.printf(
          "soak: seed %d, caching pool %s, %d launches, %d waits, %.1f s%n",
          SEED,
          caching,
          gpu.statistics().launches(),
          gpu.statistics().waits(),
          (System.nanoTime() - begun) / 1e9);
      assertThat(gpu.statistics().launches()).isGreaterThanOrEqualTo(LAUNCHES / THREADS * THREADS);
    }
  }

  private static void race(
      DeviceRuntime gpu,
      List<DeviceArray<int[]>> shared,
      AtomicIntegerArray increments,
      long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (DeviceStream stream = gpu.streams().acquire()) {
      SuiteKernels kernels = SuiteKernelsLauncher.on(stream);
      for (int launch = 0; launch < LAUNCHES / THREADS; launch++) {
        int target = random.nextInt(ARRAYS);
        if (random.nextInt(8) == 0) {
          addAndDrop(gpu, stream, kernels, shared.get(target), random.nextInt(1000));
        } else {
          kernels.increment(shared.get(target), LENGTH);
          increments.incrementAndGet(target);
        }
      }
    }
  }

  /** Reads a shared array in the middle of the race: all elements are of one moment. */
  private static void addAndDrop(
      DeviceRuntime gpu,
      DeviceStream stream,
      SuiteKernels kernels,
      DeviceArray<int[]> shared,
      int value) {
    DeviceArray<int[]> sum = gpu.memory().allocate(stream, int[].class, LENGTH);
    try (DeviceArray<int[]> addend = gpu.memory().allocate(stream, int[].class, LENGTH)) {
      addend.fill(stream, value);
      kernels.add(shared, addend, sum, LENGTH);
    }
    if (value % 16 == 0) {
      int[] seen = sum.download(stream);
      assertThat(seen).containsOnly(seen[0]);
      assertThat(seen[0]).isGreaterThanOrEqualTo(value);
    }
    sum.close();
  }
}
