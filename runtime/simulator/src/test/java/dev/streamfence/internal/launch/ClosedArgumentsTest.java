package dev.streamfence.internal.launch;

import static dev.streamfence.internal.launch.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Arrays that are closed, or lost, before, during or after a launch. */
final class ClosedArgumentsTest extends OneStream {
  @Test
  void aClosedArrayNamesKernelAndParameterAndQueuesNothing() {
    DeviceStream other = gpu.streams().acquire();
    try (DeviceArray<int[]> a = gpu.memory().upload(other, new int[] {1});
        DeviceArray<int[]> sum = gpu.memory().upload(other, new int[] {0})) {
      DeviceArray<int[]> closed = gpu.memory().upload(stream, new int[] {1});
      closed.close();
      long before = device.calls();
      assertRefused(
          () -> kernels.add(a, closed, sum, 1), UseAfterFreeException.Ending.CLOSED, "add", "b");
      assertThat(device.calls()).isEqualTo(before);
    }
  }

  @Test
  void aClosedEmptyArrayIsRefused() {
    DeviceArray<int[]> closed = gpu.memory().allocate(stream, int[].class, 0);
    closed.close();
    assertRefused(
        () -> kernels.increment(closed, 0),
        UseAfterFreeException.Ending.CLOSED,
        "increment",
        "values");
  }

  @Test
  void aClosedArrayIsRefusedWithItsTagAndWhereItWasClosed() {
    try (DeviceRuntime traced =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(),
            RuntimeOptions.defaults().withTraceAllocations(true))) {
      DeviceStream on = traced.streams().acquire();
      DeviceArray<int[]> keys = traced.memory().allocate(on, int[].class, 4, "keys");
      closeHere(keys);
      assertThatThrownBy(() -> VectorKernels.on(on).increment(keys, 4))
          .isInstanceOf(UseAfterFreeException.class)
          .hasMessageContaining("increment: parameter 'values'")
          .hasMessageContaining("'keys'")
          .cause()
          .satisfies(
              site ->
                  assertThat(site.getStackTrace())
                      .anyMatch(frame -> frame.getMethodName().equals("closeHere")));
    }
  }

  private static void closeHere(DeviceArray<?> array) {
    array.close();
  }

  @Test
  void anArrayClosedAfterItWasPassedIsRefusedAndNothingIsQueued() {
    DeviceStream other = gpu.streams().acquire();
    DeviceArray<int[]> first = gpu.memory().allocateZeroed(other, int[].class, 1);
    DeviceArray<int[]> second = gpu.memory().allocateZeroed(other, int[].class, 1);
    DeviceArray<int[]> sum = gpu.memory().allocate(stream, int[].class, 1);
    LaunchRecorder add = LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.ADD);
    try (LaunchRecorder recorder = add.begin()) {
      recorder.array(first).array(second).array(sum).threads(1);
      second.close();
      long before = device.calls();
      assertRefused(recorder::preflight, UseAfterFreeException.Ending.CLOSED, "add", "b");
      assertThat(device.calls()).isEqualTo(before);
    }
    // Nothing was registered either: what the launch was to read may be written.
    VectorKernels.on(other).increment(first, 1);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isZero();
    assertThat(Inside.allocation(first).hazards().size()).isEqualTo(1);
    first.close();
    sum.close();
  }

  @Test
  void anArrayClosedBetweenPreflightAndCommitIsFreedAtTheEnd() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
    recorder.begin().array(values).threads(1).preflight();
    values.close();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isZero();
    assertThat(values.isOpen()).isFalse();
    recorder.launch().commit();
    recorder.close();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
    gpu.synchronize();
  }

  @Test
  void anArrayThatOnlyTheRecorderRefersToIsNotLostBeforeTheCommit() {
    LaunchRecorder recorder =
        LoadedModule.of(stream, VectorKernels.IMAGE).recorder(VectorKernels.INCREMENT);
    List<DeviceArray<int[]>> known = new ArrayList<>();
    known.add(gpu.memory().allocateZeroed(stream, int[].class, 1));
    recorder.begin().array(known.remove(0)).threads(1);
    collectOften();
    recorder.preflight();
    collectOften();
    recorder.launch();
    collectOften();
    recorder.commit();
    collectOften();
    assertThat(gpu.memory().statistics().lostArrays()).isZero();
    recorder.close();
    while (gpu.memory().statistics().lostArrays() == 0) {
      System.gc();
    }
  }

  /** Until an object that is garbage for sure is gone, twice. */
  private static void collectOften() {
    for (int i = 0; i < 2; i++) {
      WeakReference<Object> garbage = new WeakReference<>(new Object());
      while (garbage.get() != null) {
        System.gc();
      }
    }
  }
}
