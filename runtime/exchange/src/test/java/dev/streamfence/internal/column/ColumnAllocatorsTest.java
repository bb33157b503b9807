package dev.streamfence.internal.column;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
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
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Columns and tables from the memory, a budget within it and a reservation. */
final class ColumnAllocatorsTest {
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
  void columnsAndTablesAreDrawnFromAReservation() {
    long table = ORDERS.sizeInBytes(8) + Integer.BYTES;
    try (MemoryReservation reservation = memory.reserve(20 + table)) {
      DeviceColumn<int[]> column =
          DeviceColumn.allocate(
              stream, reservation, ColumnField.of("n", ColumnType.INT32), int[].class, 5);
      assertThat(reservation.remainingBytes()).isEqualTo(table);
      DeviceTable orders = DeviceTable.allocate(stream, reservation, ORDERS, 8);
      assertThat(reservation.remainingBytes()).isZero();
      column.close();
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
  void theNumberOfRowsOfATableOfColumnsIsDrawnAsWell() {
    ArrayAllocator part = memory.within(Integer.BYTES, "row counts");
    DeviceTable table = DeviceTable.of(stream, part, Schema.of(), List.of(), 3);
    assertThat(table.rows(stream)).isEqualTo(3);
    assertThatThrownBy(() -> DeviceTable.of(stream, part, Schema.of(), List.of(), 3))
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class, e -> assertThat(e.budget()).isEqualTo("row counts"));
    table.close();
  }
}
