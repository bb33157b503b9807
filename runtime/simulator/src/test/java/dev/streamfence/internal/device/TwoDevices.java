package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Two devices, or three, of one simulated machine, each with a runtime, a stream and kernels on it.
 */
final class TwoDevices implements AutoCloseable {
  static final int N = 16;

  final List<SimulatedDevice> devices;
  final List<DeviceRuntime> gpus = new ArrayList<>();
  final List<DeviceStream> streams = new ArrayList<>();
  final List<VectorKernels> kernels = new ArrayList<>();

  private TwoDevices(List<SimulatedDevice> devices) {
    this.devices = devices;
  }

  /** Opens both; the devices collect what the checker finds. */
  static TwoDevices open(Schedule schedule, long seed) {
    return open(schedule, seed, (device, method, call) -> call.proceed());
  }

  /** Opens both, with the test's action around each driver call. */
  static TwoDevices open(Schedule schedule, long seed, Interceptor around) {
    return open(2, schedule, seed, around);
  }

  /** Opens three. */
  static TwoDevices openThree(Schedule schedule, long seed) {
    return open(3, schedule, seed, (device, method, call) -> call.proceed());
  }

  private static TwoDevices open(int count, Schedule schedule, long seed, Interceptor around) {
    TwoDevices two =
        new TwoDevices(
            SimulatedDevice.builder()
                .schedule(schedule)
                .seed(seed)
                .checkUninitializedReads(true)
                .build(count));
    two.devices.get(0).collectFindings();
    for (int i = 0; i < count; i++) {
      int device = i;
      DeviceRuntime gpu =
          RuntimeOverDriver.open(
              InterceptedDriver.of(
                  Inside.open(two.devices.get(i)),
                  (method, call) -> around.around(device, method, call)),
              RuntimeOptions.defaults().withAbandonedLaunchTimeout(Duration.ofMillis(20)));
      two.gpus.add(gpu);
      two.streams.add(gpu.streams().acquire());
      two.kernels.add(VectorKernels.on(two.streams.get(i)));
    }
    return two;
  }

  /** The test's action around each call of a device. */
  @FunctionalInterface
  interface Interceptor {
    Object around(int device, String method, InterceptedDriver.Call call) throws Throwable;
  }

  /** A new array of one value on a device. */
  DeviceArray<int[]> filled(int device, int value) {
    DeviceArray<int[]> array =
        gpus.get(device).memory().allocate(streams.get(device), int[].class, N);
    array.fill(streams.get(device), value);
    return array;
  }

  /** The content of an array, all of whose elements are equal. */
  static int value(DeviceArray<int[]> array) {
    int[] content = array.download(array.runtime().streams().defaultStream());
    assertThat(content).containsOnly(content[0]);
    return content[0];
  }

  /** Closes both, and asserts that nothing raced and nothing is left. */
  void closeClean() {
    close();
    assertThat(devices.get(0).findings()).isEmpty();
    assertThat(devices).allSatisfy(device -> assertThat(device.liveObjects()).isZero());
  }

  @Override
  public void close() {
    gpus.forEach(DeviceRuntime::close);
  }
}
