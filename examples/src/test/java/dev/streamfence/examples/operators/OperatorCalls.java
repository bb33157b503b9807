package dev.streamfence.examples.operators;

import static dev.streamfence.examples.operators.Aggregate.average;
import static dev.streamfence.examples.operators.Aggregate.count;
import static dev.streamfence.examples.operators.Aggregate.most;
import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.number;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** A call of each operator over one table, by its name. */
final class OperatorCalls {
  static final String[] COLUMNS = {
    "bool", "int8", "int64", "float32", "date", "decimal", "text", "dictionary"
  };

  /** Calls of the operators with a table of these columns. */
  static final Map<String, BiFunction<DeviceStream, DeviceTable, DeviceTable>> ALL =
      new LinkedHashMap<>();

  private OperatorCalls() {}

  static {
    String[] keys = {"text", "dictionary", "float32"};
    ALL.put(
        "filter",
        (stream, table) ->
            Filter.of(
                stream,
                table,
                column("int8").isMore(number(0)).or(column("text").isLike("a%")).not()));
    ALL.put(
        "project",
        (stream, table) ->
            Project.of(
                stream,
                table,
                Map.of(
                    "text",
                    column("text"),
                    "choice",
                    column("bool").choose(column("date").year(), column("int8")),
                    "ratio",
                    column("decimal").dividedBy(column("float32")))));
    ALL.put(
        "sort",
        (stream, table) ->
            Sort.of(
                stream,
                table,
                SortKey.descending("dictionary"),
                SortKey.ascending("text"),
                SortKey.ascending("float32")));
    ALL.put(
        "top-k",
        (stream, table) -> TopK.of(stream, table, 3, 0, List.of(SortKey.descending("int64"))));
    ALL.put("distinct", (stream, table) -> Distinct.of(stream, table.select(keys)));
    ALL.put(
        "group by",
        (stream, table) ->
            GroupBy.of(
                stream,
                table,
                List.of(keys),
                count("count", column("text")),
                average("average", column("decimal")),
                most("most", column("float32"))));
    ALL.put(
        "outer join",
        (stream, table) -> {
          try (HashJoin join = build(stream, table)) {
            return join.leftOuter(stream, table.select("int64", "text", "int8"), "text", "int8");
          }
        });
    ALL.put(
        "anti-join",
        (stream, table) -> {
          try (HashJoin join = build(stream, table)) {
            return join.anti(stream, table.select("dictionary", "int8"), "dictionary", "int8");
          }
        });
  }

  private static HashJoin build(DeviceStream stream, DeviceTable table) {
    DeviceTable keys =
        table.select("dictionary", "int8", "bool").rename("int8", "key").rename("bool", "flag");
    return HashJoin.build(stream, keys, "dictionary", "key");
  }
}
