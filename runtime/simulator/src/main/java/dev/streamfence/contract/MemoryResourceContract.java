package dev.streamfence.contract;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The promises of a {@link MemoryResource}, tested by random programs on simulated devices, whose
 * race checker detects a missing order. With JUnit:
 *
 * <pre>{@code
 * @TestFactory
 * Stream<DynamicTest> contract() {
 *   return MemoryResourceContract.of(driver -> new BlockPool(driver, 4096))
 *       .map(promise -> DynamicTest.dynamicTest(promise.name(), promise::check));
 * }
 * }</pre>
 */
public final class MemoryResourceContract {
  private static final long MEMORY = 64L << 20;
  private static final int PROGRAMS = 8;
  private static final int STEPS = 120;
  private static final int STEPS_WITH_FAILURES = 30;
  private static final int THREADS = 4;

  /** {@code CUDA_ERROR_INVALID_VALUE} and {@code CUDA_ERROR_OUT_OF_MEMORY}: the device goes on. */
  private static final int[] FAILURES = {1, 2};

  private final UnaryOperator<MemoryResource> resource;

  private MemoryResourceContract(UnaryOperator<MemoryResource> resource) {
    this.resource = resource;
  }

  /**
   * The promises of a resource.
   *
   * @param resource makes the resource from the driver's memory, as for {@link
   *     RuntimeOptions#withMemoryResource}; called for each device that the promises open
   */
  public static Stream<Promise> of(UnaryOperator<MemoryResource> resource) {
    MemoryResourceContract contract =
        new MemoryResourceContract(Objects.requireNonNull(resource, "resource"));
    return Stream.of(
        contract.promise(
            "memory of one stream keeps its content until it is freed", contract::onOneStream),
        contract.promise(
            "memory that was freed on one stream is ordered before its next use on another",
            contract::onThreeStreams),
        contract.promise(
            "it works in front of memory that is not stream-ordered", contract::inFrontOfTheDriver),
        contract.promise("it works under guarded memory", contract::underAGuard),
        contract.promise("threads may use it at the same time", contract::inThreads),
        contract.promise(
            "a device that was full has room for one large array when all is closed",
            contract::afterExhaustion),
        contract.promise(
            "a call of the driver that fails loses nothing", contract::withEachFailingCall),
        contract.promise(
            "a call of the driver that fails in a trim loses nothing",
            contract::withEachFailingCallOfATrim));
  }

  private Promise promise(String name, Runnable test) {
    return new Promise(
        name,
        () -> {
          try {
            test.run();
          } catch (BrokenPromise e) {
            throw new AssertionError(name + ": " + e.getMessage(), e.getCause());
          }
        });
  }

  private void onOneStream() {
    for (int seed = 0; seed < PROGRAMS; seed++) {
      run(Schedule.LAZY, seed, 1, RuntimeOptions.defaults());
    }
  }

  private void onThreeStreams() {
    for (Schedule schedule : Schedule.values()) {
      for (int seed = 0; seed < PROGRAMS; seed++) {
        run(schedule, seed, 3, RuntimeOptions.defaults());
      }
    }
  }

  private void inFrontOfTheDriver() {
    for (int seed = 0; seed < PROGRAMS; seed++) {
      run(Schedule.LAZY, seed, 3, RuntimeOptions.defaults().withDirectMemory(true));
    }
  }

  private void underAGuard() {
    for (int seed = 0; seed < PROGRAMS; seed++) {
      run(Schedule.LAZY, seed, 3, RuntimeOptions.defaults().withGuardMemory(true));
    }
  }

  private void run(Schedule schedule, int seed, int streams, RuntimeOptions options) {
    attempt(
        "program " + seed + " on " + streams + " streams, schedule " + schedule,
        () -> {
          SimulatedDevice device = device(schedule, seed);
          try (Opened opened = new Opened(device, options, resource)) {
            new MemoryProgram(opened.runtime, seed, streams, 0).run(STEPS);
          }
        });
  }

  private void inThreads() {
    attempt(
        THREADS + " threads",
        () -> {
          SimulatedDevice device = device(Schedule.EAGER, 0);
          ExecutorService threads = Executors.newFixedThreadPool(THREADS);
          try (Opened opened = new Opened(device, RuntimeOptions.defaults(), resource)) {
            List<Future<?>> running = new ArrayList<>();
            for (int seed = 0; seed < THREADS; seed++) {
              MemoryProgram program = new MemoryProgram(opened.runtime, seed, 2, 0);
              running.add(threads.submit(() -> program.run(STEPS)));
            }
            for (Future<?> one : running) {
              await(one);
            }
          } finally {
            threads.shutdownNow();
          }
        });
  }

  private static void await(Future<?> running) {
    try {
      running.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a thread failed: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while threads run", e);
    }
  }

  private void afterExhaustion() {
    for (int size : new int[] {1000, 4096, 100_000}) {
      attempt("arrays of " + size + " bytes", () -> exhaust(size));
    }
  }

  private void exhaust(int size) {
    SimulatedDevice device = SimulatedDevice.builder().memoryInBytes(8L << 20).build();
    RuntimeOptions options =
        RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.unlimited()).withStreams(2);
    try (Opened opened = new Opened(device, options, resource);
        DeviceStream stream = opened.runtime.streams().acquire()) {
      List<DeviceArray<byte[]>> arrays = new ArrayList<>();
      try {
        while (true) {
          arrays.add(opened.runtime.memory().allocate(stream, byte[].class, size));
        }
      } catch (OutOfMemoryBudgetException full) {
        arrays.forEach(DeviceArray::close);
      }
      if (arrays.isEmpty()) {
        throw new IllegalStateException("an empty device has no room for " + size + " bytes");
      }
      long half = arrays.size() * (long) size / 2;
      opened.runtime.memory().allocate(stream, byte[].class, half).close();
    }
  }

  private void withEachFailingCallOfATrim() {
    for (long nth = 1; ; nth++) {
      long failing = nth;
      boolean[] failed = new boolean[1];
      attempt("call " + nth + " answers 1", () -> failed[0] = trimOnAFullDevice(failing));
      if (!failed[0]) {
        return;
      }
    }
  }

  /**
   * Asks for more than the device has, so that the resource is trimmed, while one driver call
   * fails; returns whether it did.
   */
  private boolean trimOnAFullDevice(long nth) {
    SimulatedDevice device = SimulatedDevice.builder().memoryInBytes(1L << 20).build();
    RuntimeOptions options =
        RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.unlimited()).withStreams(2);
    boolean failed = false;
    try (Opened opened = new Opened(device, options, resource);
        DeviceStream stream = opened.runtime.streams().acquire()) {
      List<DeviceArray<byte[]>> arrays = new ArrayList<>();
      for (int size = 1000; size < 100_000; size *= 2) {
        arrays.add(opened.runtime.memory().allocate(stream, byte[].class, size));
      }
      arrays.forEach(DeviceArray::close);
      try (DeviceArray<byte[]> probe = opened.runtime.memory().allocate(stream, byte[].class, 1)) {
        device.failCall(nth, FAILURES[0]);
        failed = isRefused(opened.runtime, stream) && device.pendingFailures().isEmpty();
        // So that no call of the close fails instead.
        while (!device.pendingFailures().isEmpty()) {
          fill(probe, stream);
        }
      }
    }
    return failed;
  }

  private static boolean isRefused(DeviceRuntime runtime, DeviceStream stream) {
    try {
      runtime.memory().allocate(stream, byte[].class, 2L << 20).close();
      return false;
    } catch (CudaDriverException | OutOfMemoryBudgetException expected) {
      return true;
    }
  }

  private static void fill(DeviceArray<byte[]> array, DeviceStream stream) {
    try {
      array.fill(stream, 0L);
    } catch (CudaDriverException planned) {
      // The failure that the request did not meet.
    }
  }

  private void withEachFailingCall() {
    long[] calls = new long[1];
    attempt("no call", () -> calls[0] = callsUntilClosing(FAILURES[0], Long.MAX_VALUE));
    for (int code : FAILURES) {
      for (long nth = 1; nth <= calls[0]; nth++) {
        long failing = nth;
        attempt(
            "call " + nth + " of " + calls[0] + " answers " + code,
            () -> callsUntilClosing(code, failing));
      }
    }
  }

  /** Runs a program in which one driver call fails; returns how many it makes. */
  private long callsUntilClosing(int code, long nth) {
    SimulatedDevice device = device(Schedule.LAZY, 1);
    try (Opened opened = new Opened(device, RuntimeOptions.defaults(), resource)) {
      long before = device.calls();
      if (nth < Long.MAX_VALUE) {
        device.failCall(nth, code);
      }
      new MemoryProgram(opened.runtime, 1, 2, 1).run(STEPS_WITH_FAILURES);
      return device.calls() - before;
    }
  }

  private static SimulatedDevice device(Schedule schedule, long seed) {
    return SimulatedDevice.builder().memoryInBytes(MEMORY).schedule(schedule).seed(seed).build();
  }

  private static void attempt(String name, Runnable attempt) {
    try {
      attempt.run();
    } catch (Exception | AssertionError e) {
      throw new BrokenPromise(name + ": " + e.getMessage(), e);
    }
  }

  /** The failure of one attempt. */
  private static final class BrokenPromise extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenPromise(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** A runtime with the resource; its close checks that the resource gave everything back. */
  private static final class Opened implements AutoCloseable {
    final DeviceRuntime runtime;
    private final SimulatedDevice device;
    private final ObservedResource taken;

    Opened(SimulatedDevice device, RuntimeOptions options, UnaryOperator<MemoryResource> resource) {
      this.device = device;
      ObservedResource[] observed = new ObservedResource[1];
      this.runtime =
          DeviceRuntime.simulated(
              device,
              options.withMemoryResource(
                  driver -> {
                    observed[0] = new ObservedResource(driver);
                    return resource.apply(observed[0]);
                  }));
      this.taken = observed[0];
    }

    @Override
    public void close() {
      runtime.close();
      taken.requireNothingKept();
      if (device.liveObjects() > 0) {
        throw new IllegalStateException(device.liveObjects() + " objects are left on the device");
      }
    }
  }
}
