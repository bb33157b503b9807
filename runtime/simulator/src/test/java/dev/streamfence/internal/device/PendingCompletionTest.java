package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A completion that is handed to another thread before its launch is closed. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PendingCompletionTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});

  @AfterEach
  void close() {
    values.close();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private LaunchRecorder committed() {
    LaunchRecorder recorder = VectorKernels.incrementOn(stream).begin();
    recorder.array(values).threads(1).preflight().launch().commit();
    return recorder;
  }

  @Test
  void aWaitForItFirstWaitsForTheSubmissionWithoutADriverCall() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    Thread waiter;
    Completion completion;
    try (LaunchRecorder recorder = committed()) {
      completion = recorder.completion();
      waiter =
          new Thread(
              () -> {
                completion.await();
                done.set(true);
              });
      waiter.setDaemon(true);
      long before = device.calls();
      waiter.start();
      while (waiter.getState() != Thread.State.WAITING
          && waiter.getState() != Thread.State.TIMED_WAITING) {
        assertThat(device.calls()).isEqualTo(before);
        Thread.onSpinWait();
      }
      assertThat(device.calls()).isEqualTo(before);
      assertThat(done).isFalse();
    }
    waiter.join();
    assertThat(done).isTrue();
    assertThat(completion.isDone()).isTrue();
  }

  @Test
  void itIsNotDoneAndTheDriverIsNotAsked() {
    try (LaunchRecorder recorder = committed()) {
      Completion completion = recorder.completion();
      long before = device.calls();
      assertThat(CompletableFuture.supplyAsync(completion::isDone).join()).isFalse();
      assertThat(device.calls()).isEqualTo(before);
    }
  }

  @Test
  void aStageRequestedBeforeTheEndCompletesAfterIt() throws Exception {
    CompletableFuture<Void> stage;
    try (LaunchRecorder recorder = committed()) {
      stage = recorder.completion().stage().toCompletableFuture();
      assertThat(stage).isNotDone();
    }
    stage.get();
    assertThat(values.download(stream)).containsExactly(2);
  }
}
