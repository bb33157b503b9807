package dev.streamfence.internal.launch;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeLog;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A launch without a commit counts as abandoned, unless an exception was thrown for it. */
final class AbandonedLaunchTest {
  private final AtomicReference<LaunchObserver> observer =
      new AtomicReference<>((purpose, stream, ticket, uses) -> {});
  private final CudaDriver driver =
      InterceptedDriver.of(
          Inside.open(SimulatedDevice.builder().build()),
          (method, call) ->
              method.equals("launchObserver") ? (LaunchObserver) this::observe : call.proceed());
  private final DeviceRuntime gpu = RuntimeOverDriver.open(driver, RuntimeOptions.defaults());
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
  private final RuntimeLog log = RuntimeLog.listenTo(LogTopic.LAUNCHES);

  private void observe(
      String purpose, CudaDriver.StreamHandle on, long ticket, List<LaunchObserver.Use> uses) {
    observer.get().launching(purpose, on, ticket, uses);
  }

  @AfterEach
  void close() {
    log.close();
    values.close();
    gpu.close();
  }

  private LaunchRecorder preflighted() {
    LaunchRecorder recorder = VectorKernels.incrementOn(stream).begin();
    recorder.array(values).threads(1).preflight();
    return recorder;
  }

  private void assertAbandoned(int launches) {
    assertThat(gpu.statistics().abandonedLaunches()).isEqualTo(launches);
    assertThat(log.messages()).hasSize(launches);
  }

  @Test
  void aRecordingWithoutALaunchIsAbandoned() {
    preflighted().close();
    assertAbandoned(1);
  }

  @Test
  void aLaunchWithoutACommitIsAbandoned() {
    try (LaunchRecorder recorder = preflighted()) {
      recorder.launch();
    }
    assertAbandoned(1);
  }

  @Test
  void aRefusedSecondLaunchIsNotAbandoned() {
    try (LaunchRecorder recorder = preflighted()) {
      recorder.launch();
      assertThatThrownBy(recorder::launch).satisfies(misuse(Misuse.WRONG_STEP));
    }
    assertAbandoned(0);
  }

  @Test
  void aRefusedCommitBeforeTheLaunchIsNotAbandoned() {
    try (LaunchRecorder recorder = preflighted()) {
      assertThatThrownBy(recorder::commit).satisfies(misuse(Misuse.WRONG_STEP));
    }
    assertAbandoned(0);
  }

  @Test
  void aLaunchAfterARefusedCommitIsAbandoned() {
    try (LaunchRecorder recorder = preflighted()) {
      assertThatThrownBy(recorder::commit).isInstanceOf(StreamMisuseException.class);
      recorder.launch();
    }
    assertAbandoned(1);
  }

  @Test
  void aLaunchMayBeCommittedAfterASecondOneWasRefused() {
    try (LaunchRecorder recorder = preflighted()) {
      recorder.launch();
      assertThatThrownBy(recorder::launch).isInstanceOf(StreamMisuseException.class);
      recorder.commit();
    }
    assertAbandoned(0);
    assertThat(values.download(stream)).containsExactly(2);
  }

  @Test
  void aLaunchWhoseObserverThrowsCannotBeCommittedAndIsNotAbandoned() {
    observer.set(
        (purpose, on, ticket, uses) -> {
          throw new IllegalStateException("as planned");
        });
    try (LaunchRecorder recorder = preflighted()) {
      assertThatThrownBy(recorder::launch).hasMessage("as planned");
      assertThatThrownBy(recorder::commit).satisfies(misuse(Misuse.WRONG_STEP));
    }
    assertAbandoned(0);
    assertThat(values.download(stream)).containsExactly(1);
  }
}
