package dev.streamfence.it.compare;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Launches per second of eight threads, each on its own stream. */
final class ThreadRows implements RowGroup {
  private static final int THREADS = 8;
  private static final int LAUNCHES = 1000;
  private static final int WARM_UP = 5;
  private static final int BATCHES = 20;

  private final Device device;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS,
          work -> {
            Thread thread = new Thread(work, "launches");
            thread.setDaemon(true);
            return thread;
          });
  private DeviceRuntime runtime;
  private List<Own> own;
  private DeviceArray<float[]> shared;
  private List<DeviceArray<int[]>> fifteen;

  /** What one thread has to itself. */
  private record Own(
      CompareKernels kernels,
      List<DeviceArray<float[]>> arrays,
      DeviceArray<int[]> sum,
      BareLaunch bare) {}

  ThreadRows(Device device) {
    this.device = device;
  }

  @Override
  public List<String> rows() {
    return List.of("threads-driver", "threads-own", "threads-shared-1", "threads-shared-15");
  }

  @Override
  public void open() {
    runtime = device.open(RuntimeOptions.defaults());
    DeviceStream first = runtime.streams().acquire();
    shared = zeroed(first, float[].class);
    fifteen = Stream.generate(() -> zeroed(first, int[].class)).limit(15).toList();
    own = IntStream.range(0, THREADS).mapToObj(i -> own(runtime.streams().acquire())).toList();
  }

  private Own own(DeviceStream stream) {
    return new Own(
        CompareKernelsLauncher.on(stream),
        Stream.generate(() -> zeroed(stream, float[].class)).limit(4).toList(),
        zeroed(stream, int[].class),
        new BareLaunch(stream));
  }

  private <A> DeviceArray<A> zeroed(DeviceStream stream, Class<A> type) {
    return runtime.memory().allocateZeroed(stream, type, Launches.N);
  }

  @Override
  public double measure(String row) throws Exception {
    return switch (row) {
      case "threads-driver" -> perSecond(its -> its.bare().launch());
      case "threads-own" -> perSecond(this::launchOnOwn);
      case "threads-shared-1" -> perSecond(this::launchOnOneShared);
      case "threads-shared-15" -> perSecond(this::launchOnFifteenShared);
      default -> throw new IllegalArgumentException(row);
    };
  }

  private void launchOnOwn(Own its) {
    List<DeviceArray<float[]>> a = its.arrays();
    its.kernels().touch4(a.get(0), a.get(1), a.get(2), a.get(3), 2f, Launches.N);
  }

  private void launchOnOneShared(Own its) {
    List<DeviceArray<float[]>> a = its.arrays();
    its.kernels().touch4(a.get(0), shared, a.get(2), a.get(3), 2f, Launches.N);
  }

  private void launchOnFifteenShared(Own its) {
    Launches.sum15(its.kernels(), fifteen, its.sum());
  }

  /** A launch by a thread. */
  private interface Launch {
    void by(Own its);
  }

  private double perSecond(Launch launch) throws InterruptedException, ExecutionException {
    double[] nanos = new double[BATCHES];
    for (int i = -WARM_UP; i < BATCHES; i++) {
      long batch = nanosOfOneBatch(launch);
      runtime.synchronize();
      if (i >= 0) {
        nanos[i] = batch;
      }
    }
    Arrays.sort(nanos);
    return THREADS * LAUNCHES * 1e9 / nanos[BATCHES / 2];
  }

  /** From the moment at which all threads are there until the last one has launched. */
  private long nanosOfOneBatch(Launch launch) throws InterruptedException, ExecutionException {
    long[] begun = new long[1];
    CyclicBarrier start = new CyclicBarrier(THREADS, () -> begun[0] = System.nanoTime());
    List<Future<Long>> ends = new ArrayList<>();
    for (Own its : own) {
      ends.add(
          threads.submit(
              () -> {
                start.await();
                for (int i = 0; i < LAUNCHES; i++) {
                  launch.by(its);
                }
                return System.nanoTime();
              }));
    }
    long ended = 0;
    for (Future<Long> end : ends) {
      ended = Math.max(ended, end.get() - begun[0]);
    }
    return ended;
  }
}
