package dev.streamfence.examples.queries;

import static dev.streamfence.examples.operators.SortKey.ascending;
import static dev.streamfence.examples.operators.SortKey.descending;
import static dev.streamfence.examples.queries.AnswerColumn.date;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.integer;
import static dev.streamfence.examples.queries.AnswerColumn.text;

import dev.streamfence.examples.operators.Distinct;
import dev.streamfence.examples.operators.Sort;
import dev.streamfence.examples.operators.SortKey;
import dev.streamfence.examples.operators.TopK;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sorts, first rows of sorts, and different rows. */
final class OrderQueries {
  static final List<OperatorQuery> ALL =
      Stream.concat(
              // The first rows by a number, and by texts with nulls first.
              Stream.concat(
                  sorted(AnswerShape.NO_LIMIT).stream(), Stream.of(0, 2, 4).map(sorted(25)::get)),
              Stream.of(
                  OperatorQuery.of(
                      "the different values of a number and a text with a dictionary",
                      "select distinct c_nationkey, c_mktsegment from customer",
                      (stream, tables) ->
                          Distinct.of(
                              stream,
                              tables
                                  .table(TpchTable.CUSTOMER)
                                  .select("c_nationkey", "c_mktsegment")),
                      integer("c_nationkey"),
                      text("c_mktsegment")),
                  OperatorQuery.of(
                      "the different dates and decimals",
                      "select distinct l_shipdate, l_tax from lineitem",
                      (stream, tables) ->
                          Distinct.of(
                              stream,
                              tables.table(TpchTable.LINEITEM).select("l_shipdate", "l_tax")),
                      date("l_shipdate"),
                      decimal("l_tax", 2)),
                  OperatorQuery.of(
                      "the different texts",
                      "select distinct n_name from nation",
                      (stream, tables) ->
                          Distinct.of(stream, tables.table(TpchTable.NATION).select("n_name")),
                      text("n_name"))))
          .toList();

  private OrderQueries() {}

  private static List<OperatorQuery> sorted(int limit) {
    AnswerShape orders =
        AnswerShape.of(
            integer("o_orderkey"),
            decimal("o_totalprice", 2),
            date("o_orderdate"),
            text("o_orderpriority"));
    AnswerShape customers =
        AnswerShape.of(integer("c_custkey"), text("c_name"), text("c_mktsegment"));
    AnswerShape parts = AnswerShape.of(integer("p_partkey"), text("p_name"));
    return List.of(
        query(
            TpchTable.ORDERS, orders, limit, descending("o_totalprice"), descending("o_orderkey")),
        query(
            TpchTable.ORDERS,
            orders,
            limit,
            ascending("o_orderpriority").nullsFirst(),
            descending("o_orderdate").nullsFirst(),
            ascending("o_orderkey")),
        query(
            TpchTable.CUSTOMER,
            customers,
            limit,
            descending("c_mktsegment"),
            descending("c_name").nullsFirst(),
            ascending("c_custkey")),
        query(TpchTable.PART, parts, limit, ascending("p_name"), ascending("p_partkey")),
        query(
            TpchTable.PART,
            parts,
            limit,
            descending("p_name").nullsFirst(),
            descending("p_partkey")));
  }

  private static OperatorQuery query(
      TpchTable table, AnswerShape shape, int limit, SortKey... keys) {
    String order = Arrays.stream(keys).map(OrderQueries::sql).collect(Collectors.joining(", "));
    boolean isLimited = limit != AnswerShape.NO_LIMIT;
    String text =
        "select "
            + shape.columns().stream().map(AnswerColumn::name).collect(Collectors.joining(", "))
            + " from "
            + table.tableName()
            + " order by "
            + order
            + (isLimited ? " limit " + limit : "");
    return OperatorQuery.sorted(
        (isLimited ? "the first rows of " : "all rows of ") + table.tableName() + " by " + order,
        text,
        shape.sortedBy(keys).limitedTo(limit),
        (stream, tables) ->
            isLimited
                ? TopK.of(stream, tables.table(table), limit, keys)
                : Sort.of(stream, tables.table(table), keys));
  }

  private static String sql(SortKey key) {
    return key.column()
        + (key.isDescending() ? " desc" : "")
        + (key.areNullsFirst() ? " nulls first" : " nulls last");
  }
}
