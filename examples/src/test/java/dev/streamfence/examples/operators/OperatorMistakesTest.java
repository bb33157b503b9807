package dev.streamfence.examples.operators;

import static dev.streamfence.examples.operators.Aggregate.average;
import static dev.streamfence.examples.operators.Aggregate.count;
import static dev.streamfence.examples.operators.Aggregate.least;
import static dev.streamfence.examples.operators.Aggregate.sum;
import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.decimal;
import static dev.streamfence.examples.operators.Expression.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the operators say to wrong input; nothing of them stays allocated. */
class OperatorMistakesTest {
  private static final Schema SCHEMA =
      Schema.of(
          ColumnField.of("id", ColumnType.INT64),
          ColumnField.of("day", ColumnType.DATE32),
          ColumnField.of("flag", ColumnType.BOOL8),
          ColumnField.of("name", ColumnType.UTF8));

  private final DeviceRuntime device = DeviceRuntime.simulated();
  private final DeviceStream stream = device.streams().acquire();
  private final DeviceTable table = upload(stream, 3);

  private static DeviceTable upload(DeviceStream stream, int rows) {
    String[] names = new String[rows];
    Arrays.fill(names, "x");
    return DeviceTable.upload(
        stream, SCHEMA, new long[rows], new int[rows], new boolean[rows], names);
  }

  @AfterEach
  void everythingIsClosed() {
    table.close();
    assertThat(device.memory().statistics().liveBytes()).isZero();
    stream.close();
    device.close();
  }

  /** Calls of all operators with a table whose columns have the given name. */
  private Map<String, ThrowingCallable> calls(DeviceTable input, String name) {
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
    calls.put("filter", () -> Filter.of(stream, input, column(name).isNull()).close());
    calls.put("project", () -> Project.of(stream, input, Map.of("x", column(name))).close());
    calls.put(
        "expression",
        () -> Project.of(stream, input, Map.of("x", column(name).plus(number(1)))).close());
    calls.put("sort", () -> Sort.of(stream, input, SortKey.ascending(name)).close());
    calls.put("top-k", () -> TopK.of(stream, input, 1, SortKey.ascending(name)).close());
    calls.put("distinct", () -> Distinct.of(stream, input, name).close());
    calls.put("group by", () -> GroupBy.of(stream, input, List.of(name), count("n")).close());
    calls.put(
        "sum",
        () -> GroupBy.of(stream, input, List.of(), count("n"), sum("x", column(name))).close());
    calls.put("build", () -> HashJoin.build(stream, input, name).close());
    calls.put(
        "probe",
        () -> {
          try (HashJoin join = HashJoin.build(stream, table, "id")) {
            join.leftOuter(stream, input, name).close();
          }
        });
    return calls;
  }

  @Test
  void unknownColumnsAreNamed() {
    calls(table, "nothing")
        .forEach(
            (operator, call) ->
                assertThatThrownBy(call)
                    .as(operator)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(
                        "no field is named 'nothing'; the schema is (id: int64"));
  }

  @Test
  void columnsOfOneNameAreRefused() {
    try (HashJoin join = HashJoin.build(stream, table, "id");
        DeviceTable pairs = join.inner(stream, table, "id")) {
      calls(pairs, "id")
          .forEach(
              (operator, call) ->
                  assertThatThrownBy(call)
                      .as(operator)
                      .isInstanceOf(IllegalArgumentException.class)
                      .hasMessage("fields 0 and 4 are both named 'id'; use a position"));
    }
  }

  @Test
  void closedTablesAreNamed() {
    DeviceTable closed = upload(stream, 2);
    closed.close();
    calls(closed, "id")
        .forEach(
            (operator, call) ->
                assertThatThrownBy(call)
                    .as(operator)
                    .isInstanceOf(UseAfterFreeException.class)
                    .hasMessageContaining("uses table (id: int64 not null, ")
                    .hasMessageEndingWith("which is closed"));
  }

  @Test
  void tablesOfAnotherRuntimeAreRefused() {
    try (DeviceRuntime another = DeviceRuntime.simulated();
        DeviceStream there = another.streams().acquire();
        DeviceTable stranger = upload(there, 2)) {
      Map<String, ThrowingCallable> calls = calls(stranger, "id");
      calls.remove("filter"); // It looks at no value of a column without nulls, and keeps no row.
      calls.forEach(
          (operator, call) ->
              assertThatThrownBy(call)
                  .as(operator)
                  .isInstanceOf(StreamMisuseException.class)
                  .hasMessageContaining("they belong to two runtimes"));
    }
  }

  @Test
  void aFilterKeepsColumnsOfTheSameTable() {
    try (DeviceTable other = upload(stream, 2)) {
      assertThatThrownBy(() -> Filter.of(stream, table, column("flag"), other))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a condition over 3 rows, for a table of 2; keep columns of the same table");
    }
  }

  @Test
  void onlyNumbersAreAddedUp() {
    assertThatThrownBy(() -> GroupBy.of(stream, table, List.of("id"), sum("x", column("day"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("aggregate 'x' adds up date32; sums and averages are those of numbers");
    assertThatThrownBy(() -> GroupBy.of(stream, table, List.of(), average("y", column("flag"))))
        .hasMessage("aggregate 'y' adds up bool8; sums and averages are those of numbers");
    assertThatThrownBy(() -> GroupBy.of(stream, table, List.of(), least("z", column("name"))))
        .hasMessage("column 'name' is utf8; an expression compares text with isText or isLike");
  }

  @Test
  void aClosedJoinIsNamed() {
    HashJoin join = HashJoin.build(stream, table, "id", "name");
    join.close();
    join.close();
    for (ThrowingCallable probe :
        List.<ThrowingCallable>of(
            () -> join.inner(stream, table, "id", "name"),
            () -> join.leftOuter(stream, table, "id", "name"),
            () -> join.semi(stream, table, "id", "name"),
            () -> join.anti(stream, table, "id", "name"))) {
      assertThatThrownBy(probe)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the join by [id, name] is closed");
    }
  }

  @Test
  void aJoinWithoutAKeyIsRefused() {
    assertThatThrownBy(() -> HashJoin.build(stream, table))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a join without a key; name a column");
  }

  @Test
  void constantsThatDoNotFitAreNamed() {
    Expression sum = number(1_000_000_000_000_000_000L).plus(decimal("0.0001"));
    assertThatThrownBy(() -> Project.of(stream, table, Map.of("x", column("id").plus(sum))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the constant 1000000000000000000 with 4 digits after the point does not fit in 64"
                + " bits");
    assertThatThrownBy(() -> decimal("922337203685477.58080"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the decimal number 922337203685477.58080 does not fit in 64 bits");
    assertThatThrownBy(() -> decimal("a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("'a' is no decimal number");
  }
}
