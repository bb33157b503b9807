package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.Download;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.corpus.Effort;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.memory.AllocationLog;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.simulation.SimulatedDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Closing a runtime while threads work: every operation runs within the runtime's life or is
 * refused, nothing is left on the device, and the driver is not called after the end.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RuntimeClosingTest {
  /** Stops the thread that makes the next call of one kind, until it is released. */
  private static final class Stop {
    private final String call;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    Stop(String call) {
      this.call = call;
    }

    void at(String method) throws InterruptedException {
      if (method.equals(call) && reached.getCount() > 0) {
        reached.countDown();
        released.await();
      }
    }
  }

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final Queue<String> callsAfterTheEnd = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicReference<Stop> stop = new AtomicReference<>(new Stop("nothing"));
  private final AtomicBoolean busy = new AtomicBoolean();

  private DeviceRuntime open(RuntimeOptions options) {
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(device),
            (method, call) -> {
              if (ended.get() && !method.equals("properties") && !method.equals("close")) {
                callsAfterTheEnd.add(method);
              }
              stop.get().at(method);
              if (method.equals("close")) {
                ended.set(true);
              }
              if (busy.get()
                  && (method.equals("isStreamIdle") || method.equals("isEventComplete"))) {
                return false;
              }
              return call.proceed();
            });
    return RuntimeOverDriver.open(driver, options);
  }

  private void requireNothingLeft() {
    assertThat(callsAfterTheEnd).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  static Stream<RuntimeOptions> memories() {
    RuntimeOptions defaults = RuntimeOptions.defaults();
    return Stream.of(
        defaults,
        defaults.withDirectMemory(true),
        defaults.withGuardMemory(true),
        defaults.withGuardMemory(true).withDirectMemory(true),
        defaults
            .withMemoryBudget(MemoryBudget.ofBytes(200))
            .withAllocationLog(AllocationLog.inMemory()),
        defaults.withSynchronousLaunches(true).withTraceAllocations(true));
  }

  /** Waits until a thread has begun to close the runtime. */
  private static Thread closing(DeviceRuntime gpu) {
    Thread closer = new Thread(gpu::close);
    closer.start();
    while (gpu.isOpen()) {
      Thread.onSpinWait();
    }
    return closer;
  }

  private static Thread start(Runnable action) {
    Thread thread = new Thread(action, "worker");
    thread.start();
    return thread;
  }

  @ParameterizedTest
  @MethodSource("memories")
  void closingWaitsForAnAllocationInTheDriver(RuntimeOptions options) throws Exception {
    DeviceRuntime gpu = open(options);
    DeviceStream stream = gpu.streams().acquire();
    Stop inside = new Stop(options.directMemory() ? "allocate" : "allocateAsync");
    stop.set(inside);
    AtomicReference<DeviceArray<int[]>> made = new AtomicReference<>();
    Thread worker = start(() -> made.set(gpu.memory().allocate(stream, int[].class, 3)));
    inside.reached.await();
    Thread closer = closing(gpu);
    assertThat(closer.isAlive()).isTrue();
    inside.released.countDown();
    worker.join();
    closer.join();
    assertThat(made.get()).isNotNull();
    made.get().close();
    requireNothingLeft();
  }

  @ParameterizedTest
  @MethodSource("memories")
  void closingWaitsForAFreeInTheDriver(RuntimeOptions options) throws Exception {
    DeviceRuntime gpu = open(options);
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> array = gpu.memory().upload(stream, new int[3]);
    Stop inside =
        new Stop(
            options.guardMemory()
                ? "copyToHostAsync"
                : options.directMemory() ? "free" : "freeAsync");
    stop.set(inside);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread worker = start(() -> thrown.set(catchThrowable(array::close)));
    inside.reached.await();
    Thread closer = closing(gpu);
    inside.released.countDown();
    worker.join();
    closer.join();
    assertThat(thrown.get()).isNull();
    assertThat(array.isOpen()).isFalse();
    requireNothingLeft();
  }

  /** The lock of the stream is given back before a synchronous launch waits. */
  @Test
  void aSynchronousLaunchThatLosesTheRaceIsClosedWithoutAnException() throws Exception {
    DeviceRuntime gpu = open(RuntimeOptions.defaults().withSynchronousLaunches(true));
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[3]);
    VectorKernels kernels = VectorKernels.on(stream);
    Stop inside = new Stop("launchKernel");
    stop.set(inside);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread worker = start(() -> thrown.set(catchThrowable(() -> kernels.increment(values, 3))));
    inside.reached.await();
    Thread closer = closing(gpu);
    inside.released.countDown();
    worker.join();
    closer.join();
    assertThat(thrown.get()).isNull();
    requireNothingLeft();
  }

  @Test
  void everyOperationOfAClosedRuntimeThrowsTheSameException() {
    DeviceRuntime gpu = open(RuntimeOptions.defaults());
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> array = gpu.memory().upload(stream, new int[3]);
    DeviceArray<int[]> other = gpu.memory().upload(stream, new int[3]);
    MemoryReservation reservation = gpu.memory().reserve(4);
    VectorKernels kernels = VectorKernels.on(stream);
    LoadedModule module = LoadedModule.of(stream, VectorKernels.COMPARED_IMAGE);
    gpu.close();
    List<Runnable> operations =
        List.of(
            gpu::synchronize,
            () -> gpu.streams().acquire(),
            () -> gpu.streams().defaultStream(),
            stream::synchronize,
            stream::isIdle,
            () -> gpu.memory().allocate(stream, int[].class, 1),
            () -> gpu.memory().allocate(stream, int[].class, 0),
            () -> gpu.memory().allocateZeroed(stream, int[].class, 1),
            () -> gpu.memory().upload(stream, new int[1]),
            () -> gpu.memory().reserve(1),
            () -> reservation.allocate(stream, byte[].class, 1),
            () -> array.upload(stream, new int[3]),
            () -> array.download(stream),
            () -> array.download(stream, new int[3]),
            () -> array.fill(stream, 1),
            () -> array.copy(stream),
            () -> array.copyFrom(stream, other),
            () -> array.reinterpret(byte[].class),
            () -> kernels.increment(array, 3),
            () -> LoadedModule.of(stream, VectorKernels.COMPARED_IMAGE),
            () -> VectorKernels.on(stream));
    for (int i = 0; i < operations.size(); i++) {
      Throwable thrown = catchThrowable(operations.get(i)::run);
      assertThat(thrown).as("operation %d", i).isInstanceOf(RuntimeClosedException.class);
      assertThat(((RuntimeClosedException) thrown).runtime()).isEqualTo(gpu.toString());
      assertThat(thrown).hasMessageContaining(gpu + " is closed");
    }
    assertThatThrownBy(() -> gpu.synchronize(Duration.ZERO))
        .isInstanceOf(RuntimeClosedException.class);
    assertThat(module).isNotNull();
    requireNothingLeft();
  }

  @Test
  void closingAHandleOfAClosedRuntimeDoesNothing() {
    DeviceRuntime gpu = open(RuntimeOptions.defaults());
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> array = gpu.memory().upload(stream, new int[3]);
    DeviceArray<int[]> empty = gpu.memory().allocate(stream, int[].class, 0);
    MemoryReservation reservation = gpu.memory().reserve(4);
    gpu.close();
    array.close();
    empty.close();
    reservation.close();
    stream.close();
    gpu.close();
    assertThat(gpu.memory().reap()).isZero();
    requireNothingLeft();
  }

  @Test
  void aSecondCloseWaitsForTheFirst() throws Exception {
    DeviceRuntime gpu = open(RuntimeOptions.defaults());
    gpu.streams().acquire();
    Stop inside = new Stop("destroyStream");
    stop.set(inside);
    Thread first = closing(gpu);
    inside.reached.await();
    assertThat(gpu.close(Duration.ofMillis(1))).isFalse();
    AtomicBoolean wasOver = new AtomicBoolean();
    Thread second =
        start(
            () -> {
              gpu.close();
              wasOver.set(ended.get());
            });
    while (second.getState() != Thread.State.WAITING) {
      assertThat(second.getState()).isNotEqualTo(Thread.State.TERMINATED);
      Thread.onSpinWait();
    }
    inside.released.countDown();
    first.join();
    second.join();
    assertThat(wasOver).isTrue();
    requireNothingLeft();
  }

  @Test
  void closingWaitsForADownloadThatGivesItsMemoryBack() throws Exception {
    DeviceRuntime gpu = open(RuntimeOptions.defaults());
    DeviceStream stream = gpu.streams().acquire();
    // Memory of this size is freed instead of kept for the next download.
    DeviceArray<byte[]> large = gpu.memory().allocateZeroed(stream, byte[].class, (64 << 20) + 1);
    Download<byte[]> download = large.downloadLater(stream);
    download.await();
    Stop inside = new Stop("freeHost");
    stop.set(inside);
    Thread worker = start(download::value);
    inside.reached.await();
    Thread closer = closing(gpu);
    while (closer.getState() != Thread.State.BLOCKED) {
      assertThat(closer.isAlive()).as("the close waits").isTrue();
      Thread.onSpinWait();
    }
    inside.released.countDown();
    worker.join();
    closer.join();
    assertThat(download.value()).hasSize((64 << 20) + 1);
    requireNothingLeft();
  }

  @Test
  void downloadsThatAreDeliveredBesideACloseLeaveNothing() throws Exception {
    for (int round = Integer.getInteger("streamfence.closing.rounds", Effort.of(8, 24));
        round > 0;
        round--) {
      ended.set(false);
      DeviceRuntime gpu = open(RuntimeOptions.defaults());
      DeviceStream stream = gpu.streams().acquire();
      DeviceArray<int[]> array = gpu.memory().upload(stream, new int[] {1, 2, 3});
      Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
      CountDownLatch working = new CountDownLatch(3);
      List<Thread> workers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        workers.add(
            start(
                () -> {
                  try {
                    while (true) {
                      Download<int[]> download = array.downloadLater(stream);
                      working.countDown();
                      assertThat(download.value()).containsExactly(1, 2, 3);
                    }
                  } catch (RuntimeClosedException e) {
                    // The end of this round.
                  } catch (Throwable e) {
                    unexpected.add(e);
                  } finally {
                    working.countDown();
                  }
                }));
      }
      working.await();
      gpu.close();
      for (Thread worker : workers) {
        worker.join();
      }
      assertThat(unexpected).isEmpty();
      requireNothingLeft();
    }
  }

  private static LaunchRecorder begun(DeviceStream stream, DeviceArray<int[]> values) {
    LaunchRecorder recorder = VectorKernels.incrementOn(stream);
    recorder.begin().array(values).threads(3).preflight();
    return recorder;
  }

  @Test
  void aLaunchWhoseThreadHasEndedIsReportedAndClosed() throws Exception {
    DeviceRuntime gpu = open(RuntimeOptions.defaults());
    DeviceStream a = gpu.streams().acquire();
    DeviceStream b = gpu.streams().acquire();
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[3]);
    VectorKernels onB = VectorKernels.on(b);
    Thread forgetful = new Thread(() -> begun(a, values), "forgetful");
    forgetful.start();
    forgetful.join();
    // These wait for that launch: for its turn on the stream, and for its use of the array.
    List<Thread> waiting = new ArrayList<>();
    Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
    for (Runnable action :
        List.<Runnable>of(() -> values.fill(a, 1), () -> onB.increment(values, 3))) {
      Thread waiter =
          start(
              () -> {
                Throwable failure = catchThrowable(action::run);
                if (failure != null) {
                  thrown.add(failure);
                }
              });
      while (waiter.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      waiting.add(waiter);
    }
    try (RuntimeLog log = RuntimeLog.listen()) {
      gpu.close();
      assertThat(log.messages())
          .anySatisfy(
              message ->
                  assertThat(message)
                      .contains("increment on stream " + a.id(), "'forgetful'", "has ended"));
    }
    for (Thread waiter : waiting) {
      waiter.join();
    }
    assertThat(thrown).isEmpty();
    requireNothingLeft();
  }

  @Test
  void aLaunchThatAPooledThreadHasLeftOpenIsClosedAfterTheTimeout() throws Exception {
    DeviceRuntime gpu =
        open(RuntimeOptions.defaults().withAbandonedLaunchTimeout(Duration.ofMillis(20)));
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[3]);
    ExecutorService pool = Executors.newSingleThreadExecutor(task -> new Thread(task, "pooled"));
    try (RuntimeLog log = RuntimeLog.listen()) {
      LaunchRecorder left = pool.submit(() -> begun(stream, values)).get();
      gpu.close();
      assertThat(log.messages())
          .anySatisfy(
              message -> assertThat(message).contains("'pooled'", "gone on to something else"));
      Throwable late = pool.submit(() -> catchThrowable(left::launch)).get();
      assertThat(late).isInstanceOf(RuntimeClosedException.class);
      pool.submit(left::close).get();
      assertThat(pool.submit(() -> catchThrowable(() -> begun(stream, values))).get())
          .isInstanceOf(RuntimeClosedException.class);
    } finally {
      pool.shutdown();
    }
    requireNothingLeft();
  }

  @Test
  void closingInsideAnOperationOfTheRuntimeIsRefused() {
    AtomicReference<DeviceRuntime> runtime = new AtomicReference<>();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    AllocationLog closes =
        record -> {
          if (thrown.get() == null) {
            thrown.set(catchThrowable(() -> runtime.get().close()));
          }
        };
    try (DeviceRuntime gpu = open(RuntimeOptions.defaults().withAllocationLog(closes))) {
      runtime.set(gpu);
      DeviceStream stream = gpu.streams().acquire();
      gpu.memory().allocate(stream, int[].class, 3).close();
      assertThat(thrown.get()).isInstanceOf(StreamMisuseException.class);
      assertThat(gpu.isOpen()).isTrue();
    }
    requireNothingLeft();
  }

  @Test
  void aCloseThatTakesTooLongRefusesEveryOperationAndCanContinue() throws Exception {
    DeviceRuntime gpu = open(RuntimeOptions.defaults());
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[3]);
    VectorKernels.on(stream).increment(values, 3);
    busy.set(true);
    assertThat(gpu.close(Duration.ofMillis(5))).isFalse();
    assertThat(gpu.isOpen()).isFalse();
    assertThatThrownBy(() -> values.download(stream)).isInstanceOf(RuntimeClosedException.class);
    values.close();
    assertThat(device.liveObjects()).isPositive();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> gpu.close(Duration.ofDays(1)))
        .isInstanceOf(InterruptedException.class);
    busy.set(false);
    assertThat(gpu.close(Duration.ofDays(1))).isTrue();
    assertThat(gpu.close(Duration.ZERO)).isTrue();
    requireNothingLeft();
  }

  @Test
  void aCloseWithATimeoutDoesNotWaitForAnOpenLaunch() throws Exception {
    DeviceRuntime gpu = open(RuntimeOptions.defaults());
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[3]);
    VectorKernels kernels = VectorKernels.on(stream);
    Stop inside = new Stop("launchKernel");
    stop.set(inside);
    Thread worker = start(() -> kernels.increment(values, 3));
    inside.reached.await();
    assertThat(gpu.close(Duration.ofMillis(5))).isFalse();
    inside.released.countDown();
    worker.join();
    gpu.close();
    requireNothingLeft();
  }

  @ParameterizedTest
  @MethodSource("memories")
  void closingBesideWorkingThreadsLeavesNothing(RuntimeOptions options) throws Exception {
    RuntimeOptions roomy = options.withMemoryBudget(MemoryBudget.ofDevice(0.5));
    int rounds = Integer.getInteger("streamfence.closing.rounds", Effort.of(8, 24));
    ClosingRounds closing = new ClosingRounds(rounds);
    for (int i = 0; i < rounds; i++) {
      ended.set(false);
      closing.run(open(roomy));
      requireNothingLeft();
    }
  }
}
