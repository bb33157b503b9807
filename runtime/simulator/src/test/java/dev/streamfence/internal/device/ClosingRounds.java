package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.memory.MemoryReservation;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** Closes one runtime after another while threads use every operation of it. */
final class ClosingRounds {
  private static final int THREADS = 4;

  /** Modules that a thread loads; a simulated device reads each of them anew. */
  private static final int MODULES = 3;

  private final RandomGenerator random;

  ClosingRounds(long seed) {
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /** Uses a runtime from several threads and closes it meanwhile, at any point of their work. */
  void run(DeviceRuntime gpu) throws InterruptedException {
    Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
    Queue<CompletableFuture<Void>> stages = new ConcurrentLinkedQueue<>();
    CountDownLatch working = new CountDownLatch(THREADS);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  workUntilClosed(gpu, working, stages);
                } catch (RuntimeClosedException e) {
                  if (!e.runtime().equals(gpu.toString())) {
                    unexpected.add(e);
                  }
                } catch (Throwable e) {
                  unexpected.add(e);
                } finally {
                  working.countDown();
                }
              });
      threads.add(thread);
      thread.start();
    }
    working.await();
    for (int i = random.nextInt(2_000); i > 0; i--) {
      Thread.onSpinWait();
    }
    Thread second = new Thread(gpu::close);
    second.start();
    gpu.close();
    second.join();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(unexpected).isEmpty();
    for (CompletableFuture<Void> stage : stages) {
      Throwable ended = stage.handle((nothing, failure) -> failure).join();
      assertThat(ended == null || ended instanceof RuntimeClosedException).as("%s", ended).isTrue();
    }
  }

  /** A launch of a kernel that is loaded now, and a stage that completes with it. */
  private static CompletableFuture<Void> launchFresh(
      DeviceStream stream, DeviceArray<int[]> values) {
    try (LaunchRecorder recorder = VectorKernels.incrementOfFreshModule(stream).begin()) {
      recorder.array(values).threads(3).preflight().launch().commit();
      return recorder.completion().stage().toCompletableFuture();
    }
  }

  private static void workUntilClosed(
      DeviceRuntime gpu, CountDownLatch working, Queue<CompletableFuture<Void>> stages) {
    List<DeviceArray<?>> kept = new ArrayList<>();
    MemoryReservation reservation = null;
    try (DeviceStream stream = gpu.streams().acquire()) {
      VectorKernels kernels = VectorKernels.on(stream);
      for (int round = 0; ; round++) {
        DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1, 2, 3});
        kernels.increment(values, 3);
        if (round < MODULES) {
          stages.add(launchFresh(stream, values));
        } else {
          kernels.increment(values, 3);
        }
        kept.add(gpu.memory().allocateZeroed(stream, long[].class, 5));
        working.countDown();
        DeviceArray<int[]> copy = values.copy(gpu.streams().defaultStream());
        values.close();
        // The stand-in carries out copies, and no kernels.
        int added = gpu.isSimulated() ? 2 : 0;
        assertThat(copy.download(stream)).containsExactly(1 + added, 2 + added, 3 + added);
        reservation = gpu.memory().reserve(8);
        kept.add(reservation.allocate(stream, byte[].class, 8));
        reservation.close();
        copy.reinterpret(byte[].class).close();
        gpu.memory().reap();
        gpu.synchronize();
        kept.get(kept.size() / 2).close();
      }
    } finally {
      if (reservation != null) {
        reservation.close();
      }
      kept.forEach(DeviceArray::close);
    }
  }
}
