package dev.streamfence.internal.device;

import static dev.streamfence.internal.device.TwoDevices.N;
import static dev.streamfence.internal.device.TwoDevices.value;
import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies between the devices of one machine, and the order of what comes before and after. */
final class PeerCopyTest {
  @ParameterizedTest
  @EnumSource
  void aCopyBringsWhatWasWrittenLast(Schedule schedule) {
    TwoDevices two = TwoDevices.open(schedule, 1);
    for (int from = 0; from < 2; from++) {
      DeviceArray<int[]> source = two.filled(from, 5);
      two.kernels.get(from).increment(source, N);

      DeviceArray<int[]> there = source.copyTo(two.streams.get(1 - from));

      assertThat(there.runtime()).isSameAs(two.gpus.get(1 - from));
      assertThat(value(there)).isEqualTo(6);
    }
    two.closeClean();
  }

  @ParameterizedTest
  @EnumSource
  void laterWritesOfTheSourceWaitForTheCopy(Schedule schedule) {
    TwoDevices two = TwoDevices.open(schedule, 2);
    DeviceArray<int[]> source = two.filled(0, 5);

    DeviceArray<int[]> there = source.copyTo(two.streams.get(1));
    source.fill(two.gpus.get(0).streams().acquire(), 9);

    assertThat(value(source)).isEqualTo(9);
    assertThat(value(there)).isEqualTo(5);
    two.closeClean();
  }

  @ParameterizedTest
  @EnumSource
  void theFreeOfTheSourceWaitsForTheCopy(Schedule schedule) {
    TwoDevices two = TwoDevices.open(schedule, 3);
    DeviceArray<int[]> source = two.filled(0, 5);

    DeviceArray<int[]> there = source.copyTo(two.streams.get(1));
    source.close();
    two.filled(0, 7);

    assertThat(value(there)).isEqualTo(5);
    two.closeClean();
  }

  @ParameterizedTest
  @EnumSource
  void theCopyWaitsForTheLastUsesOfTheTarget(Schedule schedule) {
    TwoDevices two = TwoDevices.open(schedule, 4);
    DeviceArray<int[]> source = two.filled(0, 5);
    DeviceArray<int[]> target = two.filled(1, 1);
    DeviceArray<int[]> sum = two.filled(1, 0);
    two.kernels.get(1).add(target, target, sum, N);

    target.copyFrom(two.gpus.get(1).streams().acquire(), source);
    two.kernels.get(1).increment(target, N);

    assertThat(value(sum)).isEqualTo(2);
    assertThat(value(target)).isEqualTo(6);
    two.closeClean();
  }

  @Test
  void aRangeIsCopied() {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> source = two.filled(0, 5);
    DeviceArray<int[]> target = two.filled(1, 1);

    target.copyFrom(two.streams.get(1), 2, source, 3, 1);
    target.view(8, 2).copyFrom(two.streams.get(1), source.view(0, 2));

    assertThat(target.download(two.streams.get(1)))
        .containsExactly(1, 1, 5, 1, 1, 1, 1, 1, 5, 5, 1, 1, 1, 1, 1, 1);
    two.closeClean();
  }

  @Test
  void anEmptyArrayIsCopied() {
    TwoDevices two = TwoDevices.open();
    DeviceArray<int[]> empty =
        two.gpus.get(0).memory().allocate(two.streams.get(0), int[].class, 0);

    assertThat(empty.copyTo(two.streams.get(1)).runtime()).isSameAs(two.gpus.get(1));
    two.closeClean();
  }

  @Test
  void aCopyToTheSameDeviceIsAnOrdinaryOne() {
    TwoDevices two = TwoDevices.open();

    assertThat(value(two.filled(0, 5).copyTo(two.streams.get(0)))).isEqualTo(5);
    two.closeClean();
  }

  @Test
  void bothSidesOfACopyHaveToBeTracked() {
    List<SimulatedDevice> devices = SimulatedDevice.builder().build(2);
    try (DeviceRuntime tracked =
            RuntimeOverDriver.open(Inside.open(devices.get(0)), RuntimeOptions.defaults());
        DeviceRuntime untracked = RuntimeOverDriver.openUntracked(Inside.open(devices.get(1)))) {
      DeviceStream here = tracked.streams().acquire();
      DeviceStream there = untracked.streams().acquire();
      try (DeviceArray<int[]> known = tracked.memory().allocate(here, int[].class, N);
          DeviceArray<int[]> unknown = untracked.memory().allocate(there, int[].class, N)) {
        assertThatThrownBy(() -> known.copyFrom(here, unknown)).satisfies(misuse(Misuse.UNTRACKED));
        assertThatThrownBy(() -> unknown.copyFrom(there, known))
            .satisfies(misuse(Misuse.UNTRACKED));
      }
    }
    assertThat(devices)
        .allSatisfy(
            device -> {
              assertThat(device.calls(DriverCall.COPY_FROM_PEER_ASYNC)).isZero();
              assertThat(device.liveObjects()).isZero();
            });
  }

  @Test
  void nothingWaitsOnTheHost() {
    AtomicInteger waits = new AtomicInteger();
    TwoDevices two = TwoDevices.openCounting(waits);
    DeviceArray<int[]> source = two.filled(0, 5);

    source.copyTo(two.streams.get(1)).copyTo(two.streams.get(0));
    source.close();

    assertThat(waits).hasValue(0);
    two.closeClean();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void theCheckerFindsAMissingWait(int deaf) {
    TwoDevices two = TwoDevices.openDeaf(Schedule.EAGER, deaf);
    DeviceArray<int[]> source = two.filled(0, 5);
    source.copyTo(two.streams.get(1));
    source.fill(two.streams.get(0), 9);

    assertThat(two.devices.get(1).findings())
        .isNotEmpty()
        .allSatisfy(
            finding ->
                assertThat(finding.toString())
                    .contains("cuMemcpyPeerAsync on stream 1 of device 1", "of device 0"));
    two.close();
  }

  @Test
  void threadsThatCopyBothWaysDoNotWaitForEachOther() throws Exception {
    TwoDevices two = TwoDevices.open(Schedule.EAGER, 0);
    List<DeviceArray<int[]>> arrays = List.of(two.filled(0, 5), two.filled(1, 5));
    TwoDevices.together(
        2, 200, to -> arrays.get(to).copyFrom(two.streams.get(to), arrays.get(1 - to)));

    assertThat(arrays).allSatisfy(array -> assertThat(value(array)).isEqualTo(5));
    two.closeClean();
  }
}
