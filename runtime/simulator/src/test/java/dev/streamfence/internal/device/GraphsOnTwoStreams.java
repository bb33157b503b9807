package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/**
 * Two streams of a device that runs its work as late as it may, with kernels and arrays for graphs.
 * After each test nothing has raced, and nothing is left on the device.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class GraphsOnTwoStreams {
  static final int N = 64;

  SimulatedDevice device = device(Schedule.LAZY);
  DeviceRuntime gpu = DeviceRuntime.simulated(device);
  DeviceStream a = gpu.streams().acquire();
  DeviceStream b = gpu.streams().acquire();
  VectorKernels onA = VectorKernels.on(a);
  VectorKernels onB = VectorKernels.on(b);
  DeviceArray<int[]> x = zeros("x");
  DeviceArray<int[]> y = zeros("y");
  DeviceArray<int[]> sum = zeros("sum");

  private static SimulatedDevice device(Schedule schedule) {
    return SimulatedDevice.builder().schedule(schedule).checkUninitializedReads(true).build();
  }

  /** Begins again on a device of another schedule. */
  void on(Schedule schedule) {
    gpu.close();
    device = device(schedule);
    gpu = DeviceRuntime.simulated(device);
    a = gpu.streams().acquire();
    b = gpu.streams().acquire();
    onA = VectorKernels.on(a);
    onB = VectorKernels.on(b);
    x = zeros("x");
    y = zeros("y");
    sum = zeros("sum");
  }

  DeviceArray<int[]> zeros(String tag) {
    return gpu.memory().allocateZeroed(a, int[].class, N, tag);
  }

  static int first(DeviceArray<int[]> array, DeviceStream stream) {
    return array.download(stream)[0];
  }

  /** The bytes that are allocated once the device has done everything. */
  static long live(DeviceRuntime runtime) {
    runtime.synchronize();
    runtime.memory().reap();
    return runtime.memory().bytesOutstanding();
  }

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
    assertThat(device.calls(DriverCall.DESTROY_GRAPH))
        .isEqualTo(device.calls(DriverCall.CREATE_GRAPH));
  }
}
