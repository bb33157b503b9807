package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.Completion;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The completion of a launch. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CompletionTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final AtomicBoolean answering = new AtomicBoolean(true);
  private final Map<Object, Integer> asked = new ConcurrentHashMap<>();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicReference<Runnable> beforeSynchronizing = new AtomicReference<>(() -> {});
  private final CudaDriver driver =
      InterceptedDriver.of(
          Inside.open(device),
          (method, call) -> {
            if (method.equals("synchronizeStream")) {
              beforeSynchronizing.getAndSet(() -> {}).run();
            }
            if (!method.equals("isEventComplete")) {
              return call.proceed();
            }
            asked.merge(call.argument(0), 1, Integer::sum);
            if (answering.get()) {
              return call.proceed();
            }
            refused.incrementAndGet();
            return false;
          });
  private final DeviceRuntime gpu = RuntimeOverDriver.open(driver, RuntimeOptions.defaults());
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});

  @AfterEach
  void close() {
    boolean lost = Inside.isLost(gpu);
    gpu.close();
    // What belongs to a lost context goes with it, and not one by one.
    if (!lost) {
      assertThat(device.liveObjects()).isZero();
    }
  }

  private LaunchRecorder begun() {
    LaunchRecorder recorder = VectorKernels.incrementOn(stream);
    recorder.begin().array(values).threads(1).preflight().launch();
    return recorder;
  }

  private Completion launch() {
    try (LaunchRecorder recorder = begun()) {
      recorder.commit();
      return recorder.completion();
    }
  }

  @Test
  void itIsDoneWhenTheDeviceHasRunItsLaunch() {
    answering.set(false);
    Completion completion = launch();
    assertThat(completion.isDone()).isFalse();
    completion.await();
    assertThat(completion.isDone()).isTrue();
    long calls = device.calls();
    completion.await();
    assertThat(completion.isDone()).isTrue();
    assertThat(device.calls()).isEqualTo(calls);
    assertThat(values.download(stream)).containsExactly(2);
  }

  @Test
  void laterWorkOfTheStreamIsNotWaitedFor() {
    Completion first = launch();
    Completion second = launch();
    answering.set(false);
    first.await();
    assertThat(first.isDone()).isTrue();
    assertThat(second.isDone()).isFalse();
    second.await();
  }

  @Test
  void itsStageCompletesWithoutAWaitingThread() throws Exception {
    answering.set(false);
    long waits = waitsInTheDriver();
    List<CompletableFuture<Thread>> continuations = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      continuations.add(
          launch().stage().thenApply(done -> Thread.currentThread()).toCompletableFuture());
    }
    assertThat(continuations).noneMatch(CompletableFuture::isDone);
    answering.set(true);
    Thread watcher = continuations.get(0).get();
    assertThat(watcher).isNotSameAs(Thread.currentThread());
    assertThat(watcher.isDaemon()).isTrue();
    for (CompletableFuture<Thread> continuation : continuations) {
      assertThat(continuation.get()).isSameAs(watcher);
    }
    assertThat(waitsInTheDriver()).isEqualTo(waits);
  }

  private long waitsInTheDriver() {
    return device.calls(DriverCall.SYNCHRONIZE_EVENT)
        + device.calls(DriverCall.SYNCHRONIZE_STREAM)
        + device.calls(DriverCall.SYNCHRONIZE_DEVICE);
  }

  @Test
  void itsStageWaitsForTheDevice() throws Exception {
    answering.set(false);
    Completion completion = launch();
    CompletableFuture<Void> done = completion.stage().toCompletableFuture();
    CompletableFuture<String> continued = done.thenApply(nothing -> "continued");
    // The watcher has asked, was told that it is not done, has thought about that, and asks again.
    int before = refused.get();
    while (refused.get() < before + 3 && !continued.isDone()) {
      Thread.onSpinWait();
    }
    assertThat(continued).isNotDone();
    answering.set(true);
    assertThat(continued.get()).isEqualTo("continued");
  }

  @Test
  void onlyTheFirstUnfinishedLaunchOfAStreamIsPolled() throws Exception {
    answering.set(false);
    List<CompletableFuture<Void>> stages = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      stages.add(launch().stage().toCompletableFuture());
    }
    // Each was asked after once, to see whether it has to be watched; the first over and over.
    while (asked.values().stream().mapToInt(Integer::intValue).max().orElse(0) < 20) {
      Thread.sleep(1);
    }
    assertThat(asked.values().stream().filter(times -> times > 1)).hasSize(1);
    answering.set(true);
    for (CompletableFuture<Void> stage : stages) {
      stage.get();
    }
  }

  @Test
  void aStageOfAnEarlierLaunchMayBeRequestedLater() throws Exception {
    answering.set(false);
    Completion first = launch();
    Completion second = launch();
    CompletableFuture<Void> behind = second.stage().toCompletableFuture();
    CompletableFuture<Void> before = first.stage().toCompletableFuture();
    answering.set(true);
    behind.get();
    before.get();
  }

  @Test
  void itsStageCompletesWhenTheRuntimeIsClosed() throws Exception {
    answering.set(false);
    CompletableFuture<Void> done = launch().stage().toCompletableFuture();
    gpu.close();
    done.get();
  }

  @Test
  void afterTheEndOnlyLaunchesSeenDoneCountAsDone() {
    Completion seen = launch();
    seen.await();
    Completion unseen = launch();
    device.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, 1);
    assertThatThrownBy(gpu::close).isInstanceOf(CudaDriverException.class);
    assertThat(seen.isDone()).isTrue();
    seen.await();
    assertThatThrownBy(unseen::isDone).isInstanceOf(RuntimeClosedException.class);
    assertThatThrownBy(unseen::await).isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void stagesRequestedWhileTheRuntimeClosesAllComplete() throws Exception {
    List<Completion> launches = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      launches.add(launch());
    }
    List<CompletableFuture<Void>> stages = new ArrayList<>();
    beforeSynchronizing.set(
        () -> {
          // In other threads, which the close does not wait for.
          for (Completion launch : launches) {
            stages.add(
                CompletableFuture.supplyAsync(() -> launch.stage().toCompletableFuture()).join());
          }
          assertThat(stages).noneMatch(CompletableFuture::isDone);
        });
    gpu.close();
    assertThat(stages).hasSize(100);
    for (CompletableFuture<Void> stage : stages) {
      stage.get();
    }
  }

  @Test
  void aContinuationThatThrowsOrInterruptsDoesNotStopTheOthers() throws Exception {
    answering.set(false);
    CompletableFuture<Void> first =
        launch()
            .stage()
            .thenRun(
                () -> {
                  Thread.currentThread().interrupt();
                  throw new StackOverflowError("as planned");
                })
            .toCompletableFuture();
    CompletableFuture<Void> second = launch().stage().toCompletableFuture();
    answering.set(true);
    second.get();
    assertThatThrownBy(first::get).hasCauseInstanceOf(StackOverflowError.class);
    launch().stage().toCompletableFuture().get();
  }

  @Test
  void everyCompletionOfALostDeviceThrowsItsError() {
    answering.set(false);
    Completion completion = launch();
    CompletableFuture<Void> done = completion.stage().toCompletableFuture();
    device.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, 700);
    assertThatThrownBy(stream::synchronize).isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(completion::await).isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(completion::isDone).isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(done::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(CudaDriverException.class);
  }

  /** A thread that returns the stream meanwhile waits until the launch is closed. */
  @Test
  void aStreamThatAnotherThreadClosesStillCompletesItsLaunch() throws Exception {
    Thread closer = new Thread(stream::close);
    Completion completion;
    try (LaunchRecorder recorder = begun()) {
      recorder.commit();
      closer.start();
      while (closer.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      completion = recorder.completion();
    }
    closer.join();
    completion.await();
    assertThat(completion.isDone()).isTrue();
  }

  @Test
  void waitingForALaunchInsideItIsRefused() {
    try (LaunchRecorder recorder = begun()) {
      assertThatThrownBy(recorder::completion).isInstanceOf(StreamMisuseException.class);
      recorder.commit();
      Completion completion = recorder.completion();
      assertThatThrownBy(completion::await).satisfies(misuse(Misuse.INSIDE_LAUNCH));
    }
  }
}
