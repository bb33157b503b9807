package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.memory.AllocationLog;
import dev.streamfence.memory.AllocationRecord;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.RecordedAllocations;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Arrays from the memory and from a reservation. */
final class AllocatorsTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final RecordedAllocations log = AllocationLog.inMemory();
  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(
          device,
          RuntimeOptions.defaults()
              .withMemoryBudget(MemoryBudget.ofBytes(4096))
              .withAllocationLog(log));
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceMemory memory = gpu.memory();

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private List<String> tags() {
    return log.records().stream()
        .filter(entry -> entry.action() == AllocationRecord.Action.ALLOCATE)
        .map(AllocationRecord::tag)
        .toList();
  }

  @Test
  void uploadsAndZeroedArraysHaveTheirTag() {
    try (DeviceArray<int[]> uploaded = memory.upload(stream, new int[] {1, 2}, "keys");
        DeviceArray<int[]> zeroed = memory.allocateZeroed(stream, int[].class, 2, "counts")) {
      assertThat(tags()).containsExactly("keys", "counts");
      assertThat(uploaded.download(stream)).containsExactly(1, 2);
      assertThat(zeroed.download(stream)).containsExactly(0, 0);
    }
  }

  @Test
  void everyArrayIsDrawnFromAReservation() {
    try (MemoryReservation reservation = memory.reserve(64 + 32 + 20)) {
      DeviceArray<byte[]> plain = reservation.allocate(stream, byte[].class, 64, "scratch");
      DeviceArray<int[]> uploaded = reservation.upload(stream, new int[] {7, 8, 9, 1, 2, 3, 4, 5});
      DeviceArray<int[]> zeroed = reservation.allocateZeroed(stream, int[].class, 5, "zeros");
      assertThat(reservation.remainingBytes()).isZero();
      assertThat(tags()).contains("scratch", "zeros");
      assertThat(uploaded.download(stream)).startsWith(7, 8, 9);
      assertThat(zeroed.download(stream)).containsOnly(0);
      assertThatThrownBy(() -> reservation.upload(stream, new byte[] {1}))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      plain.close();
      uploaded.close();
      zeroed.close();
    }
    gpu.synchronize();
    memory.reap();
    assertThat(memory.bytesOutstanding()).isZero();
  }

  @Test
  void anUploadThatTheDriverRefusesReturnsItsBytesToTheReservation() {
    try (MemoryReservation reservation = memory.reserve(64)) {
      device.failCall(DriverCall.ALLOCATE_ASYNC, 1, 1);
      assertThatThrownBy(() -> reservation.upload(stream, new byte[64]))
          .isInstanceOf(CudaDriverException.class);
      assertThat(reservation.remainingBytes()).isEqualTo(64);
      device.failCall(DriverCall.FILL_8_ASYNC, 1, 1);
      assertThatThrownBy(() -> reservation.allocateZeroed(stream, byte[].class, 64))
          .isInstanceOf(CudaDriverException.class);
      assertThat(reservation.remainingBytes()).isZero();
      assertThat(memory.statistics().liveBytes()).isZero();
    }
  }

  @Test
  void aStreamOfAnotherRuntimeIsRefused() {
    try (DeviceRuntime other = DeviceRuntime.simulated();
        MemoryReservation reservation = memory.reserve(64)) {
      DeviceStream there = other.streams().acquire();
      assertThatThrownBy(() -> reservation.upload(there, new byte[8]))
          .isInstanceOfSatisfying(
              StreamMisuseException.class,
              e -> assertThat(e.kind()).isEqualTo(StreamMisuseException.Misuse.OTHER_RUNTIME));
      assertThat(reservation.remainingBytes()).isEqualTo(64);
    }
  }
}
