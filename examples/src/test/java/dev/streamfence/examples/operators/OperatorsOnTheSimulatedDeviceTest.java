package dev.streamfence.examples.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** With reads of unwritten bytes and races reported. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperatorsOnTheSimulatedDeviceTest extends OperatorCases {
  private static final String[] NUMBERS = {"int64", "date", "bool8"};
  private static final Aggregate COUNT = Aggregate.count("count");
  private static final SortKey KEY = SortKey.ascending("int64");

  @Test
  void tablesOfTooManyRowsAreRefused() {
    assertThat(Groups.slotsFor(0)).isEqualTo(2);
    assertThat(Groups.slotsFor(1)).isEqualTo(2);
    assertThat(Groups.slotsFor(5)).isEqualTo(16);
    assertThat(Groups.slotsFor(1 << 29)).isEqualTo(1 << 30);
    assertThatThrownBy(() -> Groups.slotsFor((1 << 29) + 1))
        .hasMessage("a hash table of 536870913 rows; it takes up to 536870912");
    assertThat(Rows.require(Rows.MOST, "a table")).isEqualTo(Rows.MOST);
    assertThatThrownBy(() -> Rows.require(Rows.MOST + 1L, "a join"))
        .hasMessage("a join of 2147483392 rows; operators take up to 2147483391");
  }

  private interface Waiting {
    DeviceTable of(DeviceStream stream, DeviceTable table);
  }

  /** What an operator waits for is downloaded. */
  private static void assertWaits(int waits, int rows, Waiting operator) {
    SimulatedDevice simulated = SimulatedDevice.builder().build();
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated);
        DeviceStream stream = device.streams().acquire();
        DeviceTable table =
            HostRows.upload(stream, HostRows.EVERY_TYPE, HostRows.random(rows, 1))) {
      operator.of(stream, table).close();
      assertThat(simulated.calls(DriverCall.COPY_TO_HOST_ASYNC)).isEqualTo(waits);
    }
  }

  @Test
  void operatorsWaitForTheDeviceAsThePageSays() {
    Expression isPositive = Expression.column("int64").isMore(Expression.number(0));
    assertWaits(1, 9, (stream, table) -> Filter.of(stream, table, isPositive, numbers(table)));
    assertWaits(
        2, 9, (stream, table) -> Filter.of(stream, table, isPositive, table.select("text")));
    assertWaits(0, 9, (stream, table) -> Project.of(stream, table, Map.of("x", isPositive)));
    assertWaits(1, 9, (stream, table) -> Distinct.of(stream, numbers(table)));
    assertWaits(1, 9, (stream, table) -> GroupBy.of(stream, table, List.of("date"), COUNT));
    assertWaits(0, 9, (stream, table) -> GroupBy.of(stream, table, List.of(), COUNT));
    assertWaits(0, 9, (stream, table) -> Sort.of(stream, numbers(table), KEY));
    assertWaits(
        2, 9, (stream, table) -> Sort.of(stream, table.select("text"), SortKey.ascending("text")));
    assertWaits(2, 1025, (stream, table) -> Sort.of(stream, numbers(table), KEY));
    assertWaits(2, 9, (stream, table) -> join(stream, table, HashJoin::semi));
    assertWaits(2, 9, (stream, table) -> join(stream, table, HashJoin::anti));
    assertWaits(2, 9, (stream, table) -> join(stream, table, HashJoin::inner));
    assertWaits(2, 9, (stream, table) -> join(stream, table, HashJoin::leftOuter));
  }

  private static DeviceTable numbers(DeviceTable table) {
    return table.select(NUMBERS);
  }

  private interface Probe {
    DeviceTable of(HashJoin join, DeviceStream stream, DeviceTable probe, String key);
  }

  private static DeviceTable join(DeviceStream stream, DeviceTable table, Probe probe) {
    try (HashJoin join = HashJoin.build(stream, numbers(table), "date")) {
      return probe.of(join, stream, numbers(table), "date");
    }
  }

  @Test
  void partsOfAnExpressionAreFreedBeforeItsEnd() {
    int[] rows = new int[1 << 14];
    Schema schema = Schema.of(ColumnField.of("value", ColumnType.INT32));
    Expression sum = Expression.column("value");
    for (int i = 0; i < 50; i++) {
      sum = sum.plus(Expression.number(1));
    }
    RuntimeOptions fewVectors =
        RuntimeOptions.defaults()
            .withMemoryBudget(MemoryBudget.ofBytes(6L * rows.length * Long.BYTES));
    try (DeviceRuntime device =
            DeviceRuntime.simulated(SimulatedDevice.builder().build(), fewVectors);
        DeviceStream stream = device.streams().acquire();
        DeviceTable table = DeviceTable.upload(stream, schema, rows);
        DeviceTable sums = Project.of(stream, table, Map.of("sum", sum))) {
      assertThat(sums.download(stream, "sum", long[].class)).containsOnly(50);
    }
  }

  @Override
  int most() {
    return 600;
  }

  @Override
  void onEachDevice(BiConsumer<DeviceRuntime, DeviceStream> operation) {
    SimulatedDevice simulated =
        SimulatedDevice.builder().schedule(Schedule.LAZY).checkUninitializedReads(true).build();
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated)) {
      try (DeviceStream stream = device.streams().acquire()) {
        operation.accept(device, stream);
      }
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
    assertThat(simulated.findings()).isEmpty();
  }
}
