package dev.streamfence.examples.queries;

import static dev.streamfence.examples.operators.Aggregate.average;
import static dev.streamfence.examples.operators.Aggregate.count;
import static dev.streamfence.examples.operators.Aggregate.least;
import static dev.streamfence.examples.operators.Aggregate.most;
import static dev.streamfence.examples.operators.Aggregate.sum;
import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.number;

import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.Aggregate;
import dev.streamfence.examples.operators.Filter;
import dev.streamfence.examples.operators.GroupBy;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Groups with all aggregates. */
final class GroupQueries {
  private static final Aggregate[] AGGREGATES = {
    count("rows_there"),
    count("prices", column("l_extendedprice")),
    count("modes", column("l_shipmode")),
    sum("price", column("l_extendedprice")),
    sum("orders", column("l_orderkey")),
    sum("ratio", column("l_extendedprice").dividedBy(number(7))),
    average("quantity", column("l_quantity")),
    average("order_key", column("l_orderkey")),
    average("half", column("l_tax").dividedBy(number(2))),
    least("first_day", column("l_shipdate")),
    most("last_day", column("l_receiptdate")),
    least("least_price", column("l_extendedprice")),
    most("most_price", column("l_extendedprice")),
    least("least_ratio", column("l_extendedprice").dividedBy(number(-7))),
    most("most_ratio", column("l_extendedprice").dividedBy(number(-7)))
  };

  private static final AnswerColumn[] RESULTS = {
    AnswerColumn.integer("rows_there"),
    AnswerColumn.integer("prices"),
    AnswerColumn.integer("modes"),
    AnswerColumn.decimal("price", 2),
    AnswerColumn.integer("orders"),
    AnswerColumn.average("ratio"),
    AnswerColumn.average("quantity"),
    AnswerColumn.average("order_key"),
    AnswerColumn.average("half"),
    AnswerColumn.date("first_day"),
    AnswerColumn.date("last_day"),
    AnswerColumn.decimal("least_price", 2),
    AnswerColumn.decimal("most_price", 2),
    AnswerColumn.average("least_ratio"),
    AnswerColumn.average("most_ratio")
  };

  private static final String AGGREGATES_IN_SQL =
      """
        count(*) as rows_there,
        count(l_extendedprice) as prices,
        count(l_shipmode) as modes,
        sum(l_extendedprice) as price,
        sum(l_orderkey) as orders,
        sum(l_extendedprice / 7) as ratio,
        avg(l_quantity) as quantity,
        avg(l_orderkey) as order_key,
        avg(l_tax / 2) as half,
        min(l_shipdate) as first_day,
        max(l_receiptdate) as last_day,
        min(l_extendedprice) as least_price,
        max(l_extendedprice) as most_price,
        min(l_extendedprice / -7) as least_ratio,
        max(l_extendedprice / -7) as most_ratio
      from lineitem
      """;

  static final List<OperatorQuery> ALL =
      List.of(
          // None, few, some and many groups.
          groups(),
          groups(AnswerColumn.text("l_returnflag"), AnswerColumn.text("l_linestatus")),
          groups(AnswerColumn.text("l_shipmode"), AnswerColumn.decimal("l_tax", 2)),
          groups(AnswerColumn.integer("l_orderkey")),
          nothing());

  private GroupQueries() {}

  private static OperatorQuery groups(AnswerColumn... keys) {
    List<String> names = Arrays.stream(keys).map(AnswerColumn::name).toList();
    String list = String.join(", ", names);
    return OperatorQuery.of(
        "groups by " + names,
        names.isEmpty()
            ? "select " + AGGREGATES_IN_SQL
            : "select " + list + ", " + AGGREGATES_IN_SQL + "group by " + list,
        (stream, tables) -> GroupBy.of(stream, tables.table(TpchTable.LINEITEM), names, AGGREGATES),
        Stream.concat(Arrays.stream(keys), Arrays.stream(RESULTS)).toArray(AnswerColumn[]::new));
  }

  private static OperatorQuery nothing() {
    return OperatorQuery.of(
        "aggregates of no row",
        "select " + AGGREGATES_IN_SQL + "where l_quantity > 1000",
        (stream, tables) -> {
          try (DeviceTable none =
              Filter.of(
                  stream,
                  tables.table(TpchTable.LINEITEM),
                  column("l_quantity").isMore(number(1000)))) {
            return GroupBy.of(stream, none, List.of(), AGGREGATES);
          }
        },
        RESULTS);
  }
}
