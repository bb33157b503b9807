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
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.memory.AllocationLog;
import dev.streamfence.memory.AllocationRecord;
import dev.streamfence.memory.ArrayAllocator;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.RecordedAllocations;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Everything that can be allocated, from the memory, a budget within it and a reservation. */
final class AllocatorsTest {
  private static final Schema ORDERS =
      Schema.of(
          ColumnField.of("key", ColumnType.INT32), ColumnField.nullable("paid", ColumnType.INT64));

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
  void theTagOfATableIsInThatOfEachOfItsArrays() {
    try (DeviceTable table = DeviceTable.allocate(stream, memory, ORDERS, 8, "orders")) {
      assertThat(table.capacity()).isEqualTo(8);
      assertThat(tags())
          .containsExactly(
              "column 'key' of orders",
              "column 'paid' of orders",
              "validity of column 'paid' of orders",
              "number of rows of orders");
    }
  }

  @Test
  void everythingIsDrawnFromAReservation() {
    long table = ORDERS.sizeInBytes(8) + Integer.BYTES;
    try (MemoryReservation reservation = memory.reserve(64 + 32 + 40 + table)) {
      DeviceArray<byte[]> plain = reservation.allocate(stream, byte[].class, 64, "scratch");
      DeviceArray<int[]> uploaded = reservation.upload(stream, new int[] {7, 8, 9, 1, 2, 3, 4, 5});
      DeviceColumn<int[]> column =
          DeviceColumn.allocate(
              stream, reservation, ColumnField.of("n", ColumnType.INT32), int[].class, 5);
      DeviceArray<int[]> zeroed = reservation.allocateZeroed(stream, int[].class, 5, "zeros");
      assertThat(reservation.remainingBytes()).isEqualTo(table);
      DeviceTable orders = DeviceTable.allocate(stream, reservation, ORDERS, 8);
      assertThat(reservation.remainingBytes()).isZero();
      assertThat(tags()).contains("scratch", "zeros");
      assertThat(uploaded.download(stream)).startsWith(7, 8, 9);
      assertThat(zeroed.download(stream)).containsOnly(0);
      assertThatThrownBy(() -> reservation.upload(stream, new byte[] {1}))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      plain.close();
      uploaded.close();
      column.close();
      zeroed.close();
      orders.close();
    }
    gpu.synchronize();
    memory.reap();
    assertThat(memory.bytesOutstanding()).isZero();
  }

  @Test
  void aTableThatDoesNotFitItsReservationLeavesNothingAllocated() {
    long rows = ORDERS.sizeInBytes(8);
    try (MemoryReservation reservation = memory.reserve(rows)) {
      assertThatThrownBy(() -> DeviceTable.allocate(stream, reservation, ORDERS, 8))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      assertThat(memory.statistics().liveBytes()).isZero();
    }
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
  void theNumberOfRowsOfATableOfColumnsIsDrawnAsWell() {
    ArrayAllocator part = memory.within(Integer.BYTES, "row counts");
    DeviceTable table = DeviceTable.of(stream, part, Schema.of(), List.of(), 3);
    assertThat(table.rows(stream)).isEqualTo(3);
    assertThatThrownBy(() -> DeviceTable.of(stream, part, Schema.of(), List.of(), 3))
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class, e -> assertThat(e.budget()).isEqualTo("row counts"));
    table.close();
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
