package dev.streamfence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.launch.VectorKernels;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** One runtime after another that is closed while threads do all there is to do with it. */
final class ClosingRounds {
  private static final int THREADS = 4;

  private final RandomGenerator random;

  ClosingRounds(long seed) {
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /** Uses a runtime from several threads and closes it meanwhile, whatever they are at. */
  void run(DeviceRuntime gpu) throws InterruptedException {
    Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
    CountDownLatch working = new CountDownLatch(THREADS);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  workUntilClosed(gpu, working);
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
  }

  private static void workUntilClosed(DeviceRuntime gpu, CountDownLatch working) {
    List<DeviceArray<?>> kept = new ArrayList<>();
    MemoryReservation reservation = null;
    try (DeviceStream stream = gpu.streams().acquire()) {
      VectorKernels kernels = VectorKernels.on(stream);
      while (true) {
        DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1, 2, 3});
        kernels.increment(values, 3);
        kept.add(gpu.memory().allocateZeroed(stream, long[].class, 5));
        working.countDown();
        DeviceArray<int[]> copy = values.copy(gpu.streams().defaultStream());
        values.close();
        // The stand-in carries out copies, and no kernels.
        int added = gpu.isSimulated() ? 1 : 0;
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
