package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.launch.VectorKernels;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * A process in which one launch blocks inside the driver while one thread produces garbage and
 * another works on another stream. Says how long each of the two came no further, first for as long
 * without the blocked launch and then with it. A process of its own, so that the collector is
 * chosen and nothing else is collected.
 */
final class BlockedLaunch {
  static final long HELD_MILLIS = 1000;

  /** The property that says how the arguments of the blocked launch are passed. */
  static final String ARGUMENTS = "arguments";

  static final String RECORDED = "recorded";
  static final String PINNED = "pinned";

  private static final int GARBAGE_BYTES = 64 << 10;

  /** The arrays of garbage at each step: enough for a collection every few steps. */
  private static final int ARRAYS = 32;

  /**
   * How long each step waits in the driver. Threads that are mostly idle are run at once when they
   * want to, also by a machine with other work; threads that are always busy wait for their turn.
   */
  private static final long STEP_MILLIS = 1;

  /** Keeps the garbage, so that it is not optimised away. */
  static volatile byte[] garbage = {};

  /**
   * The measurements of one period.
   *
   * @param launchMillis how long the launch took; next to nothing without one
   * @param allocatingMillis the longest that the thread that produces garbage came no further
   * @param launchingMillis the same of the thread that uses another stream
   * @param collections how often the collector ran
   */
  record Figures(
      double launchMillis, double allocatingMillis, double launchingMillis, long collections) {
    static Figures parse(String line) {
      String[] fields = line.split(" ");
      return new Figures(
          Double.parseDouble(fields[1]),
          Double.parseDouble(fields[2]),
          Double.parseDouble(fields[3]),
          Long.parseLong(fields[4]));
    }

    String line(String title) {
      return String.join(
          " ",
          title,
          Double.toString(launchMillis),
          Double.toString(allocatingMillis),
          Double.toString(launchingMillis),
          Long.toString(collections));
    }
  }

  private BlockedLaunch() {}

  public static void main(String[] arguments) throws Exception {
    StandIn standIn = StandIn.loaded();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (DeviceRuntime gpu = DeviceRuntime.open(0)) {
      Runnable launch;
      if (System.getProperty(ARGUMENTS).equals(PINNED)) {
        standIn.hold("nothing", HELD_MILLIS);
        launch = pinned();
      } else {
        standIn.hold("saxpy", HELD_MILLIS);
        launch = recorded(gpu);
      }
      standIn.pace(STEP_MILLIS);
      Runnable work = onAnotherStream(gpu);
      Runnable waste = garbage(gpu);
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(HELD_MILLIS);
      Figures undisturbed =
          measure(threads, waste, work, () -> {}, () -> System.nanoTime() - end >= 0);
      System.out.println(undisturbed.line("undisturbed"));

      AtomicBoolean returned = new AtomicBoolean();
      Runnable held =
          () -> {
            try {
              launch.run();
            } finally {
              returned.set(true);
            }
          };
      System.out.println(measure(threads, waste, work, held, returned::get).line("held"));
    } finally {
      threads.shutdown();
    }
  }

  /** A launch as in generated code. */
  private static Runnable recorded(DeviceRuntime gpu) {
    DeviceStream stream = gpu.streams().acquire();
    VectorKernels kernels = VectorKernels.on(stream);
    DeviceArray<float[]> x = gpu.memory().upload(stream, new float[] {1});
    DeviceArray<float[]> y = gpu.memory().upload(stream, new float[] {2});
    return () -> {
      try (x;
          y) {
        kernels.saxpy(3, x, y, 1);
      }
    };
  }

  /** A launch as in JCuda's own examples. */
  private static Runnable pinned() {
    SeamCalls fixture = new SeamCalls(JCudaDevices.open(0));
    JCudaDevice device = (JCudaDevice) fixture.driver;
    CUfunction function = ((DriverHandle.Function) fixture.function).use(device);
    CUstream stream = ((DriverHandle.Stream) fixture.stream).use(device);
    Pointer parameters = Pointer.to(Pointer.to(new int[] {1}));
    return () -> {
      fixture.driver.synchronizeDevice();
      int code =
          JCudaDriver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, null);
      Status.check("cuLaunchKernel", code);
    };
  }

  private static Runnable onAnotherStream(DeviceRuntime gpu) {
    DeviceStream stream = gpu.streams().acquire();
    VectorKernels kernels = VectorKernels.on(stream);
    return () -> {
      try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(stream, int[].class, 16)) {
        kernels.increment(values, 16);
      }
      gpu.memory().reap();
    };
  }

  private static Runnable garbage(DeviceRuntime gpu) {
    return () -> {
      for (int i = 0; i < ARRAYS; i++) {
        garbage = new byte[GARBAGE_BYTES];
      }
      Inside.driver(gpu).synchronizeDevice();
    };
  }

  /** Runs the action while both threads work, and ends them afterwards. */
  private static Figures measure(
      ExecutorService threads, Runnable waste, Runnable work, Runnable action, BooleanSupplier over)
      throws InterruptedException, ExecutionException {
    CountDownLatch moving = new CountDownLatch(2);
    long collections = collections();
    Future<Long> allocating = threads.submit(() -> worstGap(waste, moving, over));
    Future<Long> launching = threads.submit(() -> worstGap(work, moving, over));
    moving.await();
    long start = System.nanoTime();
    action.run();
    long took = System.nanoTime() - start;
    long worstAllocating = allocating.get();
    long worstLaunching = launching.get();
    return new Figures(
        took / 1e6, worstAllocating / 1e6, worstLaunching / 1e6, collections() - collections);
  }

  private static long worstGap(Runnable step, CountDownLatch moving, BooleanSupplier over) {
    step.run();
    moving.countDown();
    long worst = 0;
    long last = System.nanoTime();
    while (!over.getAsBoolean()) {
      step.run();
      long now = System.nanoTime();
      worst = Math.max(worst, now - last);
      last = now;
    }
    return worst;
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }
}
