package dev.streamfence.internal.device;

import static dev.streamfence.internal.device.TwoDevices.N;
import static dev.streamfence.internal.device.TwoDevices.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies between devices of which one is lost or closed, and launches that use memory of both. */
final class PeerLossTest {
  private static final int ILLEGAL_ADDRESS = 700;

  /** An address that no allocation has. */
  private static final long NOWHERE = 4;

  @Test
  void aCopyFromALostDeviceSaysWhatLostItAndLeavesTheOtherUsable() {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> source = two.filled(0, 5);
    DeviceArray<int[]> before = source.copyTo(two.streams.get(1));
    two.synchronize();
    DeviceArray<int[]> pending = source.copyTo(two.streams.get(1));
    lose(two, 0, source, NOWHERE);

    CudaDriverException error =
        catchThrowableOfType(CudaDriverException.class, () -> source.copyTo(two.streams.get(1)));

    assertThat(error.code()).isEqualTo(ILLEGAL_ADDRESS);
    assertThat(error)
        .hasMessageContaining("this lost the device, device 0, for the copy of")
        .hasMessageContaining("from device 0 to device 1");
    pending.fill(two.streams.get(1), 3);
    assertThat(List.of(value(before), value(pending))).containsExactly(5, 3);
    assertThat(Inside.isLost(two.gpus.get(1))).isFalse();
    two.close();
  }

  @Test
  void aCopyToALostDeviceLeavesTheSourceUsable() {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> source = two.filled(0, 5);
    DeviceArray<int[]> target = source.copyTo(two.streams.get(1));
    two.synchronize();
    lose(two, 1, target, NOWHERE);

    assertThatThrownBy(() -> target.copyFrom(two.streams.get(1), source))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("this lost the device, device 1, for the copy of");

    two.kernels.get(0).increment(source, N);
    assertThat(value(source)).isEqualTo(6);
    assertThat(Inside.isLost(two.gpus.get(0))).isFalse();
    two.close();
  }

  @Test
  void aLaunchOnMemoryOfALostDeviceSaysWhatLostIt() {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> away = two.filled(0, 5);
    DeviceArray<int[]> own = two.filled(1, 1);
    VectorKernels kernels = two.forPeers(1);
    kernels.add(away, away, own, N);
    two.synchronize();
    lose(two, 0, away, NOWHERE);

    assertThatThrownBy(() -> kernels.add(away, away, own, N))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining(
            "this lost the device, device 0, for the add on stream 1 of device 1");

    kernels.increment(own, N);
    assertThat(value(own)).isEqualTo(11);
    assertThat(Inside.isLost(two.gpus.get(1))).isFalse();
    two.close();
  }

  @Test
  void aLostDeviceLeavesTheMemoryThatItsLaunchesUsedUsable() {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> away = two.filled(0, 5);
    DeviceArray<int[]> own = two.filled(1, 1);
    VectorKernels kernels = two.forPeers(1);
    kernels.increment(away, N);
    two.synchronize();
    lose(two, 1, own, NOWHERE);

    assertThatThrownBy(() -> kernels.increment(away, N)).isInstanceOf(CudaDriverException.class);

    two.kernels.get(0).increment(away, N);
    assertThat(value(away)).isEqualTo(7);
    two.close();
  }

  /** No event covers the launch, so only the loss says that it has ended. */
  @Test
  void aDeviceThatIsLostRightAfterALaunchLeavesTheMemoryOfTheLaunchUsable() {
    List<Runnable> afterLaunch = new ArrayList<>();
    TwoDevices two =
        TwoDevices.open(
            Schedule.EAGER,
            0,
            (device, method, call) -> {
              Object answer = call.proceed();
              if (device == 1 && method.equals("launchKernel")) {
                afterLaunch.forEach(Runnable::run);
              }
              return answer;
            });
    DeviceArray<int[]> away = two.filled(0, 5);
    DeviceArray<int[]> own = two.filled(1, 1);
    VectorKernels kernels = two.forPeers(1);
    afterLaunch.add(() -> lose(two, 1, own, NOWHERE));

    assertThatThrownBy(() -> kernels.increment(away, N)).isInstanceOf(CudaDriverException.class);

    two.kernels.get(0).increment(away, N);
    assertThat(value(away)).isEqualTo(7);
    two.close();
    assertThat(two.devices.get(0).findings()).isEmpty();
  }

  @Test
  void aLaunchOnMemoryOfAClosedRuntimeIsRefused() {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> away = two.filled(0, 5);
    DeviceArray<int[]> own = two.filled(1, 1);
    VectorKernels kernels = two.forPeers(1);
    kernels.add(away, away, own, N);

    two.gpus.get(0).close();

    assertThatThrownBy(() -> kernels.add(away, away, own, N))
        .isInstanceOf(RuntimeClosedException.class);
    assertThat(value(own)).isEqualTo(10);
    two.closeClean();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aLaunchThatItsThreadHasLeftOpenIsEndedOnBothDevices(int first) throws Exception {
    for (int steps = 0; steps < 3; steps++) {
      TwoDevices two = TwoDevices.open(Schedule.LAZY, steps);
      DeviceArray<int[]> away = two.filled(0, 5);
      LaunchRecorder recorder = VectorKernels.incrementForPeersOn(two.streams.get(1));
      boolean launches = steps > 0;
      boolean commits = steps > 1;
      Thread thread =
          new Thread(
              () -> {
                recorder.begin().array(away).threads(N).preflight();
                if (launches) {
                  recorder.launch();
                }
                if (commits) {
                  recorder.commit();
                }
              });
      thread.start();
      thread.join();

      two.gpus.get(first).close();
      two.closeClean();
    }
  }

  @Test
  void memoryStaysUsableWhenTheDeviceOfALaunchThatWasLeftOpenIsClosed() throws Exception {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> away = two.filled(0, 5);
    LaunchRecorder recorder = VectorKernels.incrementForPeersOn(two.streams.get(1));
    ExecutorService pooled = Executors.newSingleThreadExecutor();
    pooled.submit(() -> recorder.begin().array(away).threads(N).preflight().launch()).get();

    two.gpus.get(1).close();
    pooled.submit(recorder::close).get();

    pooled.submit(() -> two.kernels.get(0).increment(away, N)).get(60, TimeUnit.SECONDS);
    pooled.shutdown();
    assertThat(value(away)).isEqualTo(7);
    two.closeClean();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLaunchThatWasLeftOpenGoesOnOnlyIfItIsQueuedWhenTheDeviceOfItsMemoryIsClosed(
      boolean isQueued) throws Exception {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> away = two.filled(0, 5);
    DeviceArray<int[]> own = two.filled(1, 0);
    LaunchRecorder recorder = VectorKernels.addForPeersOn(two.streams.get(1));
    ExecutorService pooled = Executors.newSingleThreadExecutor();
    pooled
        .submit(
            () -> {
              recorder.begin().array(away).array(away).array(own).threads(N).preflight();
              if (isQueued) {
                recorder.launch();
              }
            })
        .get();

    two.gpus.get(0).close();

    Throwable thrown =
        pooled
            .submit(() -> catchThrowable(() -> (isQueued ? recorder : recorder.launch()).commit()))
            .get();
    pooled.submit(recorder::close).get();
    pooled.shutdown();
    if (isQueued) {
      assertThat(thrown).isNull();
    } else {
      assertThat(thrown).isInstanceOf(RuntimeClosedException.class);
    }
    assertThat(value(own)).isEqualTo(isQueued ? 10 : 0);
    two.closeClean();
  }

  @Test
  void pollingEndsThoughTheDeviceThatIsWaitedForIsLost() {
    TwoDevices two = TwoDevices.open(Schedule.RANDOM, 0);
    DeviceArray<int[]> source = two.filled(0, 5);
    DeviceArray<int[]> target = source.copyTo(two.streams.get(1));
    two.synchronize();
    for (int i = 0; i < 20; i++) {
      two.kernels.get(0).increment(source, N);
      target.copyFrom(two.streams.get(1), source);
    }
    lose(two, 0, source, NOWHERE);

    assertThat(IntStream.range(0, 10_000)).anyMatch(i -> two.streams.get(1).isIdle());
    two.close();
  }

  /** Loses a device by an access to memory that it cannot reach. */
  private static void lose(TwoDevices two, int device, DeviceArray<int[]> own, long address) {
    CudaDriver driver = Inside.driver(two.gpus.get(device));
    StreamHandle stream = driver.createStream(0);
    driver.copyOnDeviceAsync(Inside.allocation(own).address(), address, 4, stream);
    assertThatThrownBy(() -> driver.synchronizeStream(stream))
        .hasMessageContaining(address == NOWHERE ? "bytes at 0x4" : "to which peer access is off");
  }

  @Test
  void memoryOfADeviceWithoutPeerAccessIsNotReached() {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> own = two.filled(0, 1);
    DeviceArray<int[]> away = two.filled(1, 1);
    two.synchronize();

    lose(two, 0, own, Inside.allocation(away).address());
    two.close();
  }

  @Test
  void devicesCloseInAnyOrder() {
    for (int first = 0; first < 2; first++) {
      TwoDevices two = TwoDevices.open();
      DeviceArray<int[]> there = two.filled(0, 5).copyTo(two.streams.get(1));
      there.copyTo(two.streams.get(0));

      two.gpus.get(first).close();

      two.closeClean();
    }
  }
}
