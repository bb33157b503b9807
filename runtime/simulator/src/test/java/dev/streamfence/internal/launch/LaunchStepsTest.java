package dev.streamfence.internal.launch;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The steps of a launch: with an empty grid, out of order, and in another thread. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LaunchStepsTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
  private final LoadedModule module = LoadedModule.of(stream, VectorKernels.IMAGE);
  private final LaunchRecorder increment = module.recorder(VectorKernels.INCREMENT);

  @AfterEach
  void close() {
    values.close();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private void pass(LaunchRecorder open, int threads) {
    open.array(values).threads(threads);
  }

  private void commit(LaunchRecorder open, int threads) {
    pass(open, threads);
    open.preflight().launch().commit();
  }

  /** From now on an event covers each launch, since another stream may have to wait for it. */
  private void useAnotherStream() {
    DeviceStream other = gpu.streams().acquire();
    try (DeviceArray<int[]> array = gpu.memory().allocateZeroed(other, int[].class, 1)) {
      VectorKernels.on(other).increment(array, 1);
    }
  }

  @Test
  void anEmptyGridRecordsNoEventWhereALaunchDoes() {
    try (LaunchRecorder open = increment.begin()) {
      commit(open, 1);
    }
    useAnotherStream();
    long events = device.calls(DriverCall.RECORD_EVENT);
    try (LaunchRecorder open = increment.begin()) {
      commit(open, 1);
    }
    assertThat(device.calls(DriverCall.RECORD_EVENT)).isEqualTo(events + 1);
    long calls = device.calls();
    try (LaunchRecorder open = increment.begin()) {
      commit(open, 0);
    }
    assertThat(device.calls()).isEqualTo(calls);
    assertThat(values.download(stream)).containsExactly(3);
  }

  @Test
  void aLaunchOfAnEmptyGridIsCommittedOnceAndHasACompletion() {
    Completion completion;
    try (LaunchRecorder open = increment.begin()) {
      commit(open, 0);
      assertThatThrownBy(open::commit)
          .satisfies(misuse(Misuse.WRONG_STEP))
          .hasMessageContaining("increment on stream 1 commits after commit");
      completion = open.completion();
    }
    completion.await();
    assertThat(completion.isDone()).isTrue();
    assertThat(values.download(stream)).containsExactly(1);
  }

  @Test
  void aCompletionHasItsOwnEventEvenWithOneStreamInUse() {
    Completion completion;
    try (LaunchRecorder open = increment.begin()) {
      commit(open, 1);
      long events = device.calls(DriverCall.RECORD_EVENT);
      completion = open.completion();
      open.completion();
      assertThat(device.calls(DriverCall.RECORD_EVENT)).isEqualTo(events + 1);
    }
    assertThat(completion).hasToString("completion of increment on stream 1");
    long events = device.calls(DriverCall.RECORD_EVENT);
    try (LaunchRecorder open = increment.begin()) {
      commit(open, 1);
    }
    completion.await();
    assertThat(completion.isDone()).isTrue();
    assertThat(device.calls(DriverCall.RECORD_EVENT)).isEqualTo(events);
    assertThat(values.download(stream)).containsExactly(3);
  }

  @Test
  void aLaunchThatIsNotCommittedHasNoCompletion() {
    try (LaunchRecorder open = increment.begin()) {
      pass(open, 1);
      open.preflight().launch();
      long calls = device.calls();
      assertThatThrownBy(open::completion).satisfies(misuse(Misuse.WRONG_STEP));
      assertThat(device.calls()).isEqualTo(calls);
      open.commit();
    }
  }

  @Test
  void nothingIsPassedOrShapedAfterPreflight() {
    try (LaunchRecorder open = module.permissiveRecorder(VectorKernels.INCREMENT).begin()) {
      pass(open, 1);
      open.preflight();
      List<ThrowingCallable> late =
          List.of(
              () -> open.value(2),
              () -> open.array(values),
              () -> open.struct(values),
              () -> open.table(List.of()),
              () -> open.table(new DeviceArray<?>[0]),
              () -> open.untracked(16),
              () -> open.threads(2),
              () -> open.shape(LaunchShape.of(2, 2)),
              () -> open.dynamicSharedBytes(16));
      for (ThrowingCallable act : late) {
        assertThatThrownBy(act).satisfies(misuse(Misuse.WRONG_STEP));
      }
      open.launch().commit();
    }
    assertThat(values.download(stream)).containsExactly(2);
  }

  @Test
  void anotherThreadNeitherChangesNorEndsTheLaunch() {
    try (LaunchRecorder open = increment.begin()) {
      pass(open, 1);
      CompletableFuture.runAsync(
              () -> {
                List<ThrowingCallable> steps =
                    List.of(() -> open.value(2), open::preflight, open::launch, open::completion);
                for (ThrowingCallable step : steps) {
                  assertThatThrownBy(step).satisfies(misuse(Misuse.WRONG_STEP));
                }
                increment.close();
              })
          .join();
      open.preflight().launch().commit();
    }
    assertThat(values.download(stream)).containsExactly(2);
  }

  @Test
  void afterTheRuntimesEndEveryStepSaysThatItIsClosed() {
    gpu.close();
    List<ThrowingCallable> steps =
        List.of(
            increment::begin,
            () -> increment.value(1),
            () -> increment.threads(1),
            increment::preflight,
            increment::launch,
            increment::commit,
            increment::completion);
    for (ThrowingCallable step : steps) {
      assertThatThrownBy(step)
          .isInstanceOf(RuntimeClosedException.class)
          .hasMessageContaining(gpu + " is closed");
    }
  }

  @Test
  void aRecorderDescribesItsKernelItsStreamAndItsStrictness() {
    assertThat(increment).hasToString("strict recorder of increment on stream 1");
    assertThat(module.permissiveRecorder(VectorKernels.INCREMENT))
        .hasToString("permissive recorder of increment on stream 1");
  }
}
