package dev.streamfence.examples.operators;

import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Operators that cannot do their work: they say why, and leave nothing behind. */
class OperatorFailuresTest {
  private static final int ROWS = 40;

  /** {@code CUDA_ERROR_INVALID_VALUE}. */
  private static final int INVALID_VALUE = 1;

  private static final List<DriverCall> FAILING =
      List.of(DriverCall.ALLOCATE_ASYNC, DriverCall.LAUNCH_KERNEL, DriverCall.COPY_TO_HOST_ASYNC);

  /** An operator over one table of {@link HostRows#EVERY_TYPE}. */
  private interface Operator {
    DeviceTable of(DeviceStream stream, DeviceTable table);
  }

  static Stream<Named<Operator>> operators() {
    return Stream.of(
        Named.of("filter", (stream, table) -> Filter.of(stream, table, column("bool"))),
        Named.of(
            "project",
            (stream, table) ->
                Project.of(
                    stream,
                    table,
                    Map.of(
                        "sum",
                        column("int8").plus(number(1)).dividedBy(column("float32")),
                        "like",
                        column("dictionary").isLike("%a%").or(column("text").isText("b"))))),
        Named.of(
            "sort",
            (stream, table) ->
                Sort.of(
                    stream,
                    table,
                    SortKey.ascending("dictionary"),
                    SortKey.descending("float64"),
                    SortKey.ascending("text"))),
        Named.of(
            "top-k",
            (stream, table) -> TopK.of(stream, table, 3, 0, List.of(SortKey.ascending("int64")))),
        Named.of("distinct", (stream, table) -> Distinct.of(stream, table, "text", "dictionary")),
        Named.of(
            "group by",
            (stream, table) ->
                GroupBy.of(
                    stream,
                    table,
                    List.of("text", "float32"),
                    Aggregate.average("average", column("int16")),
                    Aggregate.most("most", column("float64")))),
        Named.of(
            "join",
            (stream, table) -> {
              DeviceTable build = table.select("text").rename("text", "build");
              try (HashJoin join = HashJoin.build(stream, build, "build")) {
                return join.leftOuter(stream, table, "dictionary");
              }
            }),
        Named.of(
            "semi-join",
            (stream, table) -> {
              try (HashJoin join = HashJoin.build(stream, table.select("int8"), "int8")) {
                return join.semi(stream, table, "int8");
              }
            }));
  }

  /** Each driver call of these kinds that the operator makes is the one that fails. */
  @ParameterizedTest
  @MethodSource("operators")
  void nothingIsLostIfADriverCallFails(Operator operator) {
    SimulatedDevice simulated = SimulatedDevice.builder().build();
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated);
        DeviceStream stream = device.streams().acquire();
        DeviceTable table =
            HostRows.upload(stream, HostRows.EVERY_TYPE, HostRows.random(ROWS, 7))) {
      long before = device.memory().statistics().liveBytes();
      List<String> expected = sortedRows(operator, stream, table);
      for (DriverCall call : FAILING) {
        long callsBefore = simulated.calls(call);
        operator.of(stream, table).close();
        long calls = simulated.calls(call) - callsBefore;
        for (long nth = 1; nth <= calls; nth++) {
          simulated.failCall(call, nth, INVALID_VALUE);
          assertThatThrownBy(() -> operator.of(stream, table).close())
              .as("%s %d", call, nth)
              .isInstanceOf(CudaDriverException.class);
          assertThat(device.memory().statistics().liveBytes())
              .as("bytes after the failure of %s %d", call, nth)
              .isEqualTo(before);
        }
      }
      assertThat(simulated.calls(DriverCall.LAUNCH_KERNEL)).isPositive();
      assertThat(sortedRows(operator, stream, table)).isEqualTo(expected);
    }
  }

  private static List<String> sortedRows(
      Operator operator, DeviceStream stream, DeviceTable table) {
    try (DeviceTable result = operator.of(stream, table)) {
      return HostRows.download(stream, result).stream().map(List::toString).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("operators")
  void aBudgetThatIsTooSmallIsAnErrorThatLeavesNothing(Operator operator) {
    RuntimeOptions small = RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(64_000));
    try (DeviceRuntime device = DeviceRuntime.simulated(SimulatedDevice.builder().build(), small);
        DeviceStream stream = device.streams().acquire();
        DeviceTable table =
            HostRows.upload(stream, HostRows.EVERY_TYPE, HostRows.random(ROWS, 7))) {
      long before = device.memory().statistics().liveBytes();
      DeviceArray<byte[]> others = device.memory().allocate(stream, byte[].class, 63_900 - before);
      assertThatThrownBy(() -> operator.of(stream, table).close())
          .isInstanceOf(OutOfMemoryBudgetException.class);
      others.close();
      assertThat(device.memory().statistics().liveBytes()).isEqualTo(before);
      operator.of(stream, table).close();
    }
  }

  @ParameterizedTest
  @MethodSource("operators")
  void tablesThatAreClosedOrOfOtherRuntimesAreRefused(Operator operator) {
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceRuntime other = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        DeviceStream ofOther = other.streams().acquire()) {
      DeviceTable table = HostRows.upload(stream, HostRows.EVERY_TYPE, HostRows.random(ROWS, 7));
      assertThatThrownBy(() -> operator.of(ofOther, table))
          .isInstanceOf(StreamMisuseException.class);
      table.close();
      assertThatThrownBy(() -> operator.of(stream, table))
          .isInstanceOf(UseAfterFreeException.class);
      assertThat(other.memory().statistics().liveBytes()).isZero();
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
  }

  @Test
  void columnsThatDoNotExistAreNamed() {
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        DeviceTable table =
            HostRows.upload(stream, HostRows.EVERY_TYPE, HostRows.random(ROWS, 7))) {
      List<ThrowingCallable> calls =
          List.of(
              () -> Filter.of(stream, table, column("prize").isNull()),
              () -> Sort.of(stream, table, SortKey.ascending("prize")),
              () -> Distinct.of(stream, table, "prize"),
              () -> GroupBy.of(stream, table, List.of("prize")),
              () -> GroupBy.of(stream, table, List.of(), Aggregate.sum("x", column("prize"))),
              () -> HashJoin.build(stream, table, "prize"));
      assertThat(calls)
          .allSatisfy(
              call ->
                  assertThatThrownBy(call)
                      .isInstanceOf(IllegalArgumentException.class)
                      .hasMessageContaining("prize"));
    }
  }

  @Test
  void aJoinThatIsClosedIsNotProbed() {
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        DeviceTable table =
            HostRows.upload(stream, HostRows.EVERY_TYPE, HostRows.random(ROWS, 7))) {
      HashJoin join = HashJoin.build(stream, table, "int8");
      join.close();
      join.close();
      assertThatThrownBy(() -> join.semi(stream, table, "int8"))
          .isInstanceOf(UseAfterFreeException.class);
    }
  }
}
