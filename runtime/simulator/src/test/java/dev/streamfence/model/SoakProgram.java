package dev.streamfence.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A random program over a whole runtime, drawn from a seed. Its workers share streams. Each has
 * arrays of its own, which it uses in any way on any stream, and all of them increment shared
 * arrays. The content of every array is therefore known for every order.
 *
 * <p>Every second seed runs its workers in turns drawn from the seed, in one thread, and so replays
 * exactly; the others run them in threads.
 */
final class SoakProgram {
  private static final int WORKERS = 4;
  private static final int STREAMS = 3;
  private static final int OWN_ARRAYS = 4;
  private static final int OPERATIONS = 100;

  private final long seed;
  private final SimulatedDevice device;
  private final DeviceRuntime gpu;
  private final int length;
  private final List<DeviceStream> streams = new ArrayList<>();
  private final List<VectorKernels> kernels = new ArrayList<>();
  private final DeviceArray<int[]> counter;
  private final AtomicInteger increments = new AtomicInteger();

  private SoakProgram(long seed) {
    this.seed = seed;
    Random random = new Random(seed);
    Schedule[] schedules = Schedule.values();
    this.device =
        SimulatedDevice.builder()
            .schedule(schedules[random.nextInt(schedules.length)])
            .seed(seed)
            .build();
    this.gpu = DeviceRuntime.simulated(device);
    this.length = 1 + random.nextInt(16);
    for (int i = 0; i < STREAMS; i++) {
      streams.add(gpu.streams().acquire());
    }
    streams.add(gpu.streams().defaultStream());
    streams.forEach(stream -> kernels.add(VectorKernels.on(stream)));
    this.counter = gpu.memory().allocateZeroed(streams.get(0), int[].class, length);
  }

  /**
   * Runs the program of a seed.
   *
   * @return how many operations it did
   * @throws Exception or AssertionError if a result is wrong, or something is left
   */
  static long run(long seed) throws Exception {
    SoakProgram program = new SoakProgram(seed);
    program.run();
    return (long) WORKERS * OPERATIONS;
  }

  private void run() throws Exception {
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      workers.add(new Worker(new Random(seed * WORKERS + i)));
    }
    if (seed % 2 == 0) {
      inTurns(workers);
    } else {
      inThreads(workers);
    }
    for (Worker worker : workers) {
      worker.finish();
    }
    assertThat(counter.download(streams.get(1))).containsOnly(increments.get());
    counter.close();
    gpu.close();
    assertThat(device.liveObjects()).as("driver objects left").isZero();
  }

  private void inTurns(List<Worker> workers) {
    Random turns = new Random(~seed);
    List<Worker> running = new ArrayList<>(workers);
    while (!running.isEmpty()) {
      Worker next = running.get(turns.nextInt(running.size()));
      next.operate();
      if (next.operations == OPERATIONS) {
        running.remove(next);
      }
    }
  }

  private static void inThreads(List<Worker> workers) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(workers.size());
    try {
      List<Future<?>> running = new ArrayList<>();
      for (Worker worker : workers) {
        running.add(executor.submit(worker::operateToTheEnd));
      }
      for (Future<?> future : running) {
        future.get();
      }
    } finally {
      executor.shutdownNow();
    }
  }

  /** The operations of one thread, and the expected content of its arrays. */
  private final class Worker {
    private final Random random;
    private final List<DeviceArray<int[]>> arrays = new ArrayList<>();
    private final List<int[]> expected = new ArrayList<>();
    private int operations;

    private Worker(Random random) {
      this.random = random;
      for (int i = 0; i < OWN_ARRAYS; i++) {
        int[] content = content();
        arrays.add(gpu.memory().upload(stream(), content));
        expected.add(content);
      }
    }

    private void operateToTheEnd() {
      while (operations < OPERATIONS) {
        operate();
      }
    }

    private void operate() {
      operations++;
      int array = random.nextInt(OWN_ARRAYS);
      int other = random.nextInt(OWN_ARRAYS);
      switch (random.nextInt(12)) {
        case 0 -> upload(array);
        case 1 -> fill(array);
        case 2, 3 -> copy(array, other);
        case 4, 5 -> add(array, other);
        case 6, 7 -> increment(array);
        case 8 -> replace(array);
        case 9 -> replaceByCopy(array, other);
        case 10 -> {
          kernels.get(random.nextInt(kernels.size())).increment(counter, length);
          increments.incrementAndGet();
        }
        default -> {
          if (random.nextInt(4) == 0) {
            stream().synchronize();
          }
          check(array);
          checkCounter();
        }
      }
    }

    private void finish() {
      for (int array = 0; array < OWN_ARRAYS; array++) {
        check(array);
        arrays.get(array).close();
      }
    }

    private void upload(int array) {
      expected.set(array, content());
      int[] source = expected.get(array).clone();
      arrays.get(array).upload(stream(), source);
      // It may be changed as soon as the upload returns.
      Arrays.fill(source, -1);
    }

    private void fill(int array) {
      int value = random.nextInt();
      Arrays.fill(expected.get(array), value);
      arrays.get(array).fill(stream(), value);
    }

    private void copy(int array, int other) {
      if (array != other) {
        arrays.get(array).copyFrom(stream(), arrays.get(other));
        expected.set(array, expected.get(other).clone());
      }
    }

    private void add(int array, int other) {
      int sum = random.nextInt(OWN_ARRAYS);
      int[] result = new int[length];
      Arrays.setAll(result, i -> expected.get(array)[i] + expected.get(other)[i]);
      kernels
          .get(random.nextInt(kernels.size()))
          .add(arrays.get(array), arrays.get(other), arrays.get(sum), length);
      expected.set(sum, result);
    }

    private void increment(int array) {
      kernels.get(random.nextInt(kernels.size())).increment(arrays.get(array), length);
      Arrays.setAll(expected.get(array), i -> expected.get(array)[i] + 1);
    }

    /** Frees an array that may be in use on any stream, and takes memory on another. */
    private void replace(int array) {
      arrays.get(array).close();
      arrays.set(array, gpu.memory().allocate(stream(), int[].class, length));
      fill(array);
    }

    private void replaceByCopy(int array, int other) {
      DeviceArray<int[]> copy = arrays.get(other).copy(stream());
      arrays.get(array).close();
      arrays.set(array, copy);
      expected.set(array, expected.get(other).clone());
    }

    private void check(int array) {
      assertThat(arrays.get(array).download(stream())).isEqualTo(expected.get(array));
    }

    /** Increments of other threads take effect before or after a download, never during it. */
    private void checkCounter() {
      int[] seen = counter.download(stream());
      assertThat(seen).containsOnly(seen[0]);
    }

    private DeviceStream stream() {
      return streams.get(random.nextInt(streams.size()));
    }

    private int[] content() {
      return random.ints(length).toArray();
    }
  }
}
