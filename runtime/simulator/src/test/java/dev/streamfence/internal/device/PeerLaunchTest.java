package dev.streamfence.internal.device;

import static dev.streamfence.internal.device.TwoDevices.N;
import static dev.streamfence.internal.device.TwoDevices.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.launch.TableKernels;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Launches that use arrays of another device, and the order of what comes before and after. */
final class PeerLaunchTest {
  @ParameterizedTest
  @EnumSource
  void aLaunchComesAfterTheLastWriteAndBeforeTheNextUse(Schedule schedule) {
    TwoDevices two = TwoDevices.open(schedule, 1);
    for (int owner = 0; owner < 2; owner++) {
      DeviceArray<int[]> away = two.filled(owner, 5);
      two.kernels.get(owner).increment(away, N);

      two.forPeers(1 - owner).increment(away, N);
      two.kernels.get(owner).increment(away, N);
      two.forPeers(1 - owner).increment(away, N);

      assertThat(value(away)).isEqualTo(9);
    }
    two.closeClean();
  }

  @ParameterizedTest
  @EnumSource
  void arraysOfBothDevicesAreReadAndWritten(Schedule schedule) {
    TwoDevices two = TwoDevices.open(schedule, 2);
    DeviceArray<int[]> away = two.filled(0, 5);
    DeviceArray<int[]> own = two.filled(1, 1);
    DeviceArray<int[]> sum = two.filled(0, 0);

    two.forPeers(1).add(away, own, sum, N);
    away.fill(two.gpus.get(0).streams().acquire(), 9);
    own.fill(two.gpus.get(1).streams().acquire(), 9);

    assertThat(value(sum)).isEqualTo(6);
    assertThat(List.of(value(away), value(own))).containsOnly(9);
    two.closeClean();
  }

  @ParameterizedTest
  @EnumSource
  void theFreeOfAnArrayWaitsForTheLaunch(Schedule schedule) {
    TwoDevices two = TwoDevices.open(schedule, 3);
    DeviceArray<int[]> away = two.filled(0, 5);
    DeviceArray<int[]> sum = two.filled(1, 0);

    two.forPeers(1).add(away, away, sum, N);
    away.close();
    two.filled(0, 7);

    assertThat(value(sum)).isEqualTo(10);
    two.closeClean();
  }

  @ParameterizedTest
  @EnumSource
  void oneLaunchUsesArraysOfThreeDevices(Schedule schedule) {
    TwoDevices three = TwoDevices.openThree(schedule, 4);
    for (int at = 0; at < 3; at++) {
      DeviceArray<int[]> one = three.filled((at + 1) % 3, 5);
      DeviceArray<int[]> other = three.filled((at + 2) % 3, 2);
      DeviceArray<int[]> sum = three.filled(at, 0);

      three.forPeers(at).add(other, one, sum, N);
      one.close();
      other.fill(three.streams.get((at + 2) % 3), 9);

      assertThat(value(sum)).isEqualTo(7);
    }
    three.closeClean();
  }

  @Test
  void aTableHasAThousandArraysOfTwoDevices() {
    TwoDevices two = TwoDevices.open();
    List<DeviceArray<int[]>> columns =
        IntStream.range(0, 1_000).mapToObj(i -> two.filled(i % 2, i)).toList();

    TableKernels.forPeersOn(two.streams.get(1)).bump(columns, N);
    two.kernels.get(0).increment(columns.get(998), N);

    assertThat(List.of(value(columns.get(0)), value(columns.get(998)), value(columns.get(999))))
        .containsExactly(1, 1_000, 1_000);
    two.closeClean();
  }

  @Test
  void aRecordHasArraysOfAnotherDevice() {
    TwoDevices two = TwoDevices.open();
    DeviceStream stream = two.streams.get(0);
    DeviceArray<float[]> away = two.gpus.get(0).memory().upload(stream, new float[] {1, 2});

    TableKernels.forPeersOn(two.streams.get(1)).scaleAll(3, List.of(away), 2);

    assertThat(away.download(stream)).containsExactly(3, 6);
    two.closeClean();
  }

  @Test
  void launchesOfTwoStreamsThatReadTheSameArrayDoNotWaitForEachOther() {
    TwoDevices two = TwoDevices.open(Schedule.LAZY, 5);
    DeviceArray<int[]> away = two.filled(0, 5);
    List<Completion> ends = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      DeviceArray<int[]> sum = two.filled(1, 0);
      LaunchRecorder add = VectorKernels.addForPeersOn(two.gpus.get(1).streams().acquire());
      try (LaunchRecorder recorder = add.begin()) {
        recorder.array(away).array(away).array(sum).threads(N).preflight().launch().commit();
        ends.add(recorder.completion());
      }
    }

    ends.get(1).await();

    assertThat(ends.get(0).isDone()).isFalse();
    ends.get(0).await();
    two.closeClean();
  }

  @ParameterizedTest
  @EnumSource
  void aCallOfOtherCodeUsesArraysOfTwoDevices(Schedule schedule) {
    TwoDevices two = TwoDevices.open(schedule, 6);
    SimulatedLibrary library = two.devices.get(1).library("blas");
    DeviceArray<int[]> away = two.filled(0, 5);
    DeviceArray<int[]> own = two.filled(1, 1);

    two.streams
        .get(1)
        .submit(
            "blas",
            uses -> uses.reads(own).readWrites(away),
            call -> {
              long to = call.address(away);
              long from = call.address(own);
              library.launch(
                  call.streamHandle(),
                  "add",
                  memory -> {
                    for (int i = 0; i < N; i++) {
                      memory.putInt(
                          to + 4 * i, memory.getInt(to + 4 * i) + memory.getInt(from + 4 * i));
                    }
                  });
            });
    two.kernels.get(0).increment(away, N);

    assertThat(value(away)).isEqualTo(7);
    two.closeClean();
  }

  @Test
  void nothingWaitsOnTheHost() {
    AtomicInteger waits = new AtomicInteger();
    TwoDevices two = TwoDevices.openCounting(waits);
    DeviceArray<int[]> away = two.filled(0, 5);

    two.forPeers(1).increment(away, N);
    away.close();

    assertThat(waits).hasValue(0);
    two.closeClean();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void theCheckerFindsAMissingWait(int deaf) {
    for (Schedule schedule : Schedule.values()) {
      TwoDevices two = TwoDevices.openDeaf(schedule, deaf);
      DeviceArray<int[]> away = two.filled(0, 5);
      two.forPeers(1).increment(away, N);
      away.fill(two.streams.get(0), 9);
      two.synchronize();

      assertThat(two.devices.get(1).findings())
          .as("%s", schedule)
          .isNotEmpty()
          .allSatisfy(
              finding ->
                  assertThat(finding.toString()).contains("increment on stream 1", "of device 0"));
      two.close();
    }
  }

  @Test
  void aMissingWaitForALaunchIsFoundWhenTheArrayIsFreed() {
    TwoDevices two = TwoDevices.openDeaf(Schedule.EAGER, 0);
    DeviceArray<int[]> away = two.filled(0, 5);
    two.forPeers(1).increment(away, N);
    away.close();

    two.synchronize();

    assertThat(two.devices.get(1).findings())
        .extracting(Finding::toString)
        .anySatisfy(finding -> assertThat(finding).contains("increment on stream 1", "free"));
    two.close();
  }

  @Test
  void anAccessBeyondAnArrayOfAnotherDeviceLosesTheDeviceThatMakesIt() {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> away = two.filled(0, 5);
    two.forPeers(1).increment(away, N);
    assertThat(value(away)).isEqualTo(6);
    CudaDriver driver = Inside.driver(two.gpus.get(1));
    StreamHandle stream = driver.createStream(0);

    long beyond = Inside.allocation(away).address() + 4 * N;
    driver.fillAsync(beyond, Byte.BYTES, 1, 1, stream);

    assertThatThrownBy(() -> driver.synchronizeStream(stream))
        .hasMessageContaining(
            "1 byte at 0x"
                + Long.toHexString(beyond)
                + " ends 1 byte beyond the nearest allocation, which has 64 bytes");
    assertThat(Inside.isLost(two.gpus.get(0))).isFalse();
    two.close();
  }

  @Test
  void anAbortedLaunchLeavesTheArrayAsItWas() {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> away = two.filled(0, 5);
    try (LaunchRecorder recorder = VectorKernels.incrementForPeersOn(two.streams.get(1))) {
      recorder.begin().array(away).threads(N).preflight().abort();
    }
    away.fill(two.streams.get(0), 6);

    assertThat(value(away)).isEqualTo(6);
    two.closeClean();
  }

  @Test
  void anOrdinaryLaunchAsksNothingOfOtherDevices() {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> own = two.filled(1, 5);
    long before = two.devices.get(0).calls();

    two.forPeers(1).increment(own, N);

    assertThat(two.devices.get(0).calls()).isEqualTo(before);
    assertThat(two.devices.get(1).calls(DriverCall.CAN_ACCESS_PEER)).isZero();
    two.closeClean();
  }

  @Test
  void threadsThatLaunchAndCopyBothWaysDoNotWaitForEachOther() throws Exception {
    TwoDevices two = TwoDevices.open(Schedule.EAGER, 0);
    List<DeviceArray<int[]>> arrays = List.of(two.filled(0, 0), two.filled(1, 0));
    List<VectorKernels> kernels =
        IntStream.range(0, 8)
            .mapToObj(i -> VectorKernels.forPeersOn(two.gpus.get(i % 2).streams().acquire()))
            .toList();
    TwoDevices.together(
        8,
        50,
        i -> {
          DeviceArray<int[]> away = arrays.get(1 - i % 2);
          if (i >= 6) {
            away.copyTo(two.streams.get(i % 2)).close();
          } else {
            kernels.get(i).increment(away, N);
          }
        });

    assertThat(arrays).allSatisfy(array -> assertThat(value(array)).isEqualTo(150));
    two.closeClean();
  }
}
