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
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

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
  static TwoDevices open() {
    return open(Schedule.LAZY, 0);
  }

  /** Opens both with a schedule. */
  static TwoDevices open(Schedule schedule, long seed) {
    return open(schedule, seed, (device, method, call) -> call.proceed());
  }

  /** Opens both, of which neither can access the memory of the other. */
  static TwoDevices openWithoutAccess() {
    return open(
        Schedule.LAZY,
        0,
        (device, method, call) -> method.equals("canAccessPeer") ? false : call.proceed());
  }

  /** Opens both, of which one does not wait for the other. */
  static TwoDevices openDeaf(Schedule schedule, int deaf) {
    return open(
        schedule,
        0,
        (device, method, call) ->
            device == deaf && method.equals("waitForPeerEvent") ? null : call.proceed());
  }

  /** Opens both, and counts the driver calls that wait on the host. */
  static TwoDevices openCounting(AtomicInteger waits) {
    return open(
        Schedule.LAZY,
        0,
        (device, method, call) -> {
          if (method.startsWith("synchronize")) {
            waits.incrementAndGet();
          }
          return call.proceed();
        });
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

  /** Kernels on the stream of a device that also take arrays of other devices. */
  VectorKernels forPeers(int device) {
    return VectorKernels.forPeersOn(streams.get(device));
  }

  /** Waits for both. */
  void synchronize() {
    gpus.forEach(DeviceRuntime::synchronize);
  }

  /** Runs an action in several threads, which begin each round together. */
  static void together(int threads, int rounds, IntConsumer action) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    List<Future<?>> ends = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int thread = i;
      ends.add(
          pool.submit(
              () -> {
                for (int round = 0; round < rounds; round++) {
                  barrier.await();
                  action.accept(thread);
                }
                return null;
              }));
    }
    pool.shutdown();
    for (Future<?> end : ends) {
      end.get(60, TimeUnit.SECONDS);
    }
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
