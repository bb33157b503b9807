package dev.streamfence.internal.device;

import static dev.streamfence.internal.device.TwoDevices.N;
import static dev.streamfence.internal.device.TwoDevices.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.foreign.ForeignUses;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Copies between devices that are refused, and what is refused without one. */
final class PeerRefusalsTest {
  @Test
  void aClosedSourceIsRefusedByName() {
    TwoDevices two = TwoDevices.open(Schedule.LAZY, 0);
    DeviceArray<int[]> source = two.filled(0, 5);
    DeviceArray<int[]> target = two.filled(1, 1);
    source.close();

    assertThatThrownBy(() -> target.copyFrom(two.streams.get(1), source))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("from device 0 to device 1");
    assertThat(value(target)).isEqualTo(1);
    two.closeClean();
  }

  @Test
  void devicesOfTwoMachinesAreRefused() {
    try (DeviceRuntime one = DeviceRuntime.simulated();
        DeviceRuntime other = DeviceRuntime.simulated()) {
      DeviceArray<int[]> source =
          one.memory().upload(one.streams().defaultStream(), new int[] {1, 2});
      DeviceStream stream = other.streams().defaultStream();

      assertMisuse(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          "built together",
          () -> source.copyTo(stream));
      assertThat(other.memory().statistics().liveBytes()).isZero();
    }
  }

  @Test
  void aCopyInsideOfALaunchOfEitherDeviceIsRefused() {
    TwoDevices two = TwoDevices.open(Schedule.LAZY, 0);
    DeviceArray<int[]> source = two.filled(0, 5);
    DeviceArray<int[]> target = two.filled(1, 1);
    for (int i = 0; i < 2; i++) {
      two.streams
          .get(i)
          .submit(
              "open",
              ForeignUses::toString,
              call ->
                  assertMisuse(
                      StreamMisuseException.Misuse.INSIDE_LAUNCH,
                      "inside of a launch",
                      () -> target.copyFrom(two.streams.get(1), source)));
    }
    two.closeClean();
  }

  @Test
  void aCopyInTheBodyOfAGraphIsRefused() {
    TwoDevices two = TwoDevices.open(Schedule.LAZY, 0);
    DeviceArray<int[]> source = two.filled(0, 5);
    DeviceArray<int[]> target = two.filled(1, 1);

    two.gpus
        .get(0)
        .graph(
            "body",
            graph ->
                assertMisuse(
                    StreamMisuseException.Misuse.INSIDE_GRAPH,
                    "copy of",
                    () -> target.copyFrom(two.streams.get(1), source)));
    two.closeClean();
  }

  @Test
  void aLaunchWithAnArrayOfAnotherDeviceIsRefusedWithTheRemedy() {
    TwoDevices two = TwoDevices.open(Schedule.LAZY, 0);
    DeviceArray<int[]> source = two.filled(0, 5);

    assertMisuse(
        StreamMisuseException.Misuse.OTHER_RUNTIME,
        "copyTo",
        () -> two.kernels.get(1).increment(source, N));
    two.closeClean();
  }

  private static void assertMisuse(
      StreamMisuseException.Misuse kind, String words, Runnable misuse) {
    assertThatThrownBy(misuse::run)
        .isInstanceOfSatisfying(
            StreamMisuseException.class, e -> assertThat(e.kind()).isEqualTo(kind))
        .hasMessageContaining(words);
  }

  @Test
  void eachDeviceOfAMachineHasItsNumber() {
    List<SimulatedDevice> devices = SimulatedDevice.builder().build(3);
    for (int i = 0; i < 3; i++) {
      try (DeviceRuntime gpu = DeviceRuntime.simulated(devices.get(i))) {
        assertThat(gpu.info().ordinal()).isEqualTo(i);
      }
    }
    assertThatThrownBy(() -> SimulatedDevice.builder().build(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("0 devices; a machine has at least 1");
  }
}
