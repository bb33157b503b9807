package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceGroup;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A group of runtimes on simulated devices. */
final class DeviceGroupTest {
  private static final int INVALID_VALUE = 1;

  @Test
  void aGroupHasARuntimeOnEachDevice() {
    try (DeviceGroup group = DeviceGroup.simulated(3)) {
      assertThat(group.size()).isEqualTo(3);
      for (int i = 0; i < 3; i++) {
        assertThat(group.get(i).info().ordinal()).isEqualTo(i);
      }
      assertThatThrownBy(() -> group.get(3)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void aGroupWithoutDevicesIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceGroup.simulated(0))
        .withMessage("a group of 0 devices; it has at least 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceGroup.simulated(List.of(), RuntimeOptions.defaults()))
        .withMessage("a group of 0 devices; it has at least 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceGroup.open(0, RuntimeOptions.defaults()))
        .withMessage("a group of 0 devices; it has at least 1");
  }

  @Test
  void nextTakesTheDevicesInTurn() {
    try (DeviceGroup group = DeviceGroup.simulated(3)) {
      List<Integer> taken = new ArrayList<>();
      for (int i = 0; i < 7; i++) {
        taken.add(group.next().info().ordinal());
      }
      assertThat(taken).containsExactly(0, 1, 2, 0, 1, 2, 0);
    }
  }

  @Test
  void leastLoadedHasTheFewestBytesOutstanding() {
    try (DeviceGroup group = DeviceGroup.simulated(3)) {
      assertThat(group.leastLoaded()).isSameAs(group.get(0));
      DeviceArray<int[]> large = allocate(group.get(0), 100);
      allocate(group.get(1), 10);
      assertThat(group.leastLoaded()).isSameAs(group.get(2));
      MemoryReservation reserved = group.get(2).memory().reserve(1000);
      assertThat(group.leastLoaded()).isSameAs(group.get(1));
      reserved.close();
      allocate(group.get(2), 20);
      large.close();
      group.get(0).synchronize();
      group.get(0).memory().reserve(1).close();
      assertThat(group.leastLoaded()).isSameAs(group.get(1));
    }
  }

  @Test
  void devicesOfOneMachineHaveMemoryOfDifferentSizes() {
    SimulatedDevice.Builder builder =
        SimulatedDevice.builder().memoryInBytes(1 << 20).memoryInBytes(1, 1 << 12);
    try (DeviceGroup group = DeviceGroup.simulated(builder.build(3), RuntimeOptions.defaults())) {
      assertThat(IntStream.range(0, 3).mapToObj(i -> group.get(i).info().totalMemoryInBytes()))
          .containsExactly(1L << 20, 1L << 12, 1L << 20);
      DeviceArray<int[]> fits = allocate(group.get(1), 500);
      assertThatThrownBy(() -> allocate(group.get(1), 500))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      fits.copyTo(group.get(2).streams().defaultStream());
      allocate(group.get(2), 500);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.build(1))
        .withMessage("memory of device 1; the machine has 1 devices, from 0 on");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.memoryInBytes(-1, 1))
        .withMessage("device -1; they are numbered from 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.memoryInBytes(1, 0))
        .withMessage("0 bytes of device memory; it has at least 1");
  }

  @Test
  void aMachineCanBeOpenedAgain() {
    List<SimulatedDevice> devices = SimulatedDevice.builder().schedule(Schedule.LAZY).build(2);
    for (int round = 0; round < 3; round++) {
      try (DeviceGroup group = DeviceGroup.simulated(devices, RuntimeOptions.defaults())) {
        DeviceStream here = group.get(round % 2).streams().acquire();
        DeviceStream there = group.get(1 - round % 2).streams().acquire();
        DeviceArray<int[]> values = group.get(round % 2).memory().upload(here, new int[] {1, 2});
        VectorKernels.forPeersOn(there).increment(values, 2);
        DeviceArray<int[]> copy = values.copyTo(there);
        values.fill(here, round);
        assertThat(copy.download(there)).containsExactly(2, 3);
      }
      assertThat(devices).allSatisfy(device -> assertThat(device.liveObjects()).isZero());
    }
  }

  @Test
  void aDeviceCanBeOpenedAgainBesideOneThatStayedOpen() {
    List<SimulatedDevice> devices = SimulatedDevice.builder().schedule(Schedule.LAZY).build(2);
    try (DeviceRuntime stays = DeviceRuntime.simulated(devices.get(0))) {
      DeviceArray<int[]> values =
          stays.memory().upload(stays.streams().defaultStream(), new int[] {1, 2});
      for (int round = 0; round < 3; round++) {
        try (DeviceRuntime other = DeviceRuntime.simulated(devices.get(1))) {
          VectorKernels.forPeersOn(other.streams().defaultStream()).increment(values, 2);
        }
      }
      assertThat(values.download(stays.streams().defaultStream())).containsExactly(4, 5);
    }
  }

  private static DeviceArray<int[]> allocate(DeviceRuntime gpu, int length) {
    return gpu.memory().allocate(gpu.streams().defaultStream(), int[].class, length);
  }

  @Test
  void synchronizeEndsAtTheFirstDeviceThatFailsAndNamesIt() {
    List<SimulatedDevice> devices = SimulatedDevice.builder().build(3);
    try (DeviceGroup group = DeviceGroup.simulated(devices, RuntimeOptions.defaults())) {
      IntStream.range(0, 3).forEach(i -> allocate(group.get(i), 1));
      devices.get(1).failCall(DriverCall.SYNCHRONIZE_STREAM, 1, INVALID_VALUE);

      assertThatThrownBy(group::synchronize)
          .isInstanceOf(CudaDriverException.class)
          .hasMessageContaining("device 1");

      assertThat(devices.get(2).calls(DriverCall.SYNCHRONIZE_STREAM)).isZero();
      group.synchronize();
    }
  }

  @Test
  void aLostDeviceIsNamedAndLeavesTheOthersUsable() {
    try (DeviceGroup group = DeviceGroup.simulated(2)) {
      Inside.of(group.get(1))
          .sticky()
          .declareLost(new CudaDriverException("cuX", 700, "CUDA_ERROR_ILLEGAL_ADDRESS"), "a test");

      assertThatThrownBy(group::synchronize)
          .isInstanceOf(CudaDriverException.class)
          .hasMessageContaining("this lost the device, device 1, for synchronizing a group");

      DeviceArray<int[]> array = allocate(group.get(0), 2);
      array.fill(group.get(0).streams().defaultStream(), 3);
      assertThat(array.download(group.get(0).streams().defaultStream())).containsExactly(3, 3);
    }
  }

  @Test
  void closingClosesAllEvenAfterOneFails() {
    List<SimulatedDevice> devices = SimulatedDevice.builder().build(3);
    DeviceGroup group = DeviceGroup.simulated(devices, RuntimeOptions.defaults());
    IntStream.range(0, 3).forEach(i -> allocate(group.get(i), 1));
    devices.get(1).failCall(DriverCall.SYNCHRONIZE_STREAM, 1, INVALID_VALUE);

    assertThatThrownBy(group::close)
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("device 1");

    assertThat(IntStream.range(0, 3).mapToObj(group::get)).noneMatch(DeviceRuntime::isOpen);
    group.close();
  }

  @Test
  void closingClosesTheLastDeviceFirst() {
    List<SimulatedDevice> devices = SimulatedDevice.builder().build(2);
    DeviceGroup group = DeviceGroup.simulated(devices, RuntimeOptions.defaults());
    List<Integer> closed = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      int ordinal = i;
      ForeignMemory memory =
          ForeignMemory.at(devices.get(i).library("owner").allocate(16), 16)
              .alreadyReady()
              .releasedBy(() -> closed.add(ordinal));
      DeviceRuntime gpu = group.get(i);
      gpu.memory().adopt(gpu.streams().defaultStream(), memory, int[].class);
    }
    group.close();
    assertThat(closed).containsExactly(1, 0);
  }

  @Test
  void aGroupThatCannotBeOpenedLeavesNothingOpen() {
    List<SimulatedDevice> devices = SimulatedDevice.builder().build(2);
    try (DeviceRuntime second = DeviceRuntime.simulated(devices.get(1))) {
      assertThatThrownBy(() -> DeviceGroup.simulated(devices, RuntimeOptions.defaults()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("open already");
      assertThat(second.isOpen()).isTrue();
    }
    DeviceGroup.simulated(devices, RuntimeOptions.defaults()).close();
  }
}
