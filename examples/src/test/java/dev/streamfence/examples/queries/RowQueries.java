package dev.streamfence.examples.queries;

import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.date;
import static dev.streamfence.examples.operators.Expression.decimal;
import static dev.streamfence.examples.operators.Expression.number;
import static dev.streamfence.examples.queries.AnswerColumn.average;
import static dev.streamfence.examples.queries.AnswerColumn.date;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.integer;
import static dev.streamfence.examples.queries.AnswerColumn.text;
import static dev.streamfence.examples.queries.OperatorQuery.of;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.Expression;
import dev.streamfence.examples.operators.Filter;
import dev.streamfence.examples.operators.Project;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;

/** Filters and projections. */
final class RowQueries {
  static final List<OperatorQuery> ALL =
      List.of(
          of(
              "a filter by numbers, dates and nulls",
              """
              select o_orderkey, o_custkey, o_totalprice, o_orderdate, o_orderpriority
              from orders
              where not (o_totalprice < 120000.5)
                and (o_orderdate >= date '1995-03-15' or o_custkey is null)
                and not (o_orderdate > date '1997-01-01' and o_totalprice > 200000)
              """,
              (stream, tables) ->
                  Filter.of(
                      stream,
                      tables.table(TpchTable.ORDERS),
                      column("o_totalprice")
                          .isLess(decimal("120000.5"))
                          .not()
                          .and(
                              column("o_orderdate")
                                  .isAtLeast(date(LocalDate.of(1995, 3, 15)))
                                  .or(column("o_custkey").isNull()))
                          .and(
                              column("o_orderdate")
                                  .isMore(date(LocalDate.of(1997, 1, 1)))
                                  .and(column("o_totalprice").isMore(number(200_000)))
                                  .not())),
              integer("o_orderkey"),
              integer("o_custkey"),
              decimal("o_totalprice", 2),
              date("o_orderdate"),
              text("o_orderpriority")),
          of(
              "a filter by patterns of text",
              """
              select p_partkey, p_name from part
              where p_name like '%green%' or p_name like 'a_m%' or not (p_name like '%e%a%')
              """,
              (stream, tables) ->
                  Filter.of(
                      stream,
                      tables.table(TpchTable.PART),
                      column("p_name")
                          .isLike("%green%")
                          .or(column("p_name").isLike("a_m%"))
                          .or(column("p_name").isLike("%e%a%").not())),
              integer("p_partkey"),
              text("p_name")),
          of(
              "a filter by texts with a dictionary",
              """
              select c_custkey, c_name, c_mktsegment from customer
              where c_mktsegment in ('BUILDING', 'MACHINERY') or not (c_mktsegment like '%O%')
              """,
              (stream, tables) ->
                  Filter.of(
                      stream,
                      tables.table(TpchTable.CUSTOMER),
                      column("c_mktsegment")
                          .isText("BUILDING", "MACHINERY")
                          .or(column("c_mktsegment").isLike("%O%").not())),
              integer("c_custkey"),
              text("c_name"),
              text("c_mktsegment")),
          of(
              "a projection of numbers and dates",
              """
              select
                l_orderkey,
                l_extendedprice * (1 - l_discount) * (1 + l_tax) as charge,
                l_extendedprice - l_quantity - 0.005 as difference,
                l_extendedprice / l_quantity as ratio,
                year(l_shipdate) as ship_year,
                l_receiptdate - l_commitdate as days,
                l_shipdate + 30 as due
              from lineitem
              """,
              (stream, tables) ->
                  project(
                      stream,
                      tables,
                      Map.of(
                          "l_orderkey",
                          column("l_orderkey"),
                          "charge",
                          column("l_extendedprice")
                              .times(number(1).minus(column("l_discount")))
                              .times(number(1).plus(column("l_tax"))),
                          "difference",
                          column("l_extendedprice")
                              .minus(column("l_quantity"))
                              .minus(decimal("0.005")),
                          "ratio",
                          column("l_extendedprice").dividedBy(column("l_quantity")),
                          "ship_year",
                          column("l_shipdate").year(),
                          "days",
                          column("l_receiptdate").minus(column("l_commitdate")),
                          "due",
                          column("l_shipdate").plus(number(30)))),
              integer("l_orderkey"),
              decimal("charge", 6),
              decimal("difference", 3),
              integer("ship_year"),
              integer("days"),
              date("due"),
              average("ratio")),
          of(
              "a projection of cases and conditions",
              """
              select
                l_orderkey,
                case when l_returnflag = 'R' then l_tax else 0.0005 end as share,
                case when l_shipmode like '%AI%' then l_quantity else l_discount end as amount,
                case when l_shipdate < l_commitdate or l_receiptdate < l_commitdate
                  then l_commitdate else l_shipdate end as day,
                case when (l_quantity <= 20 and l_discount between 0.02 and 0.06) is null
                  then 1 else 0 end as unknown_both,
                case when (l_quantity >= 30 or l_tax = 0.04) is null
                  then 1 else 0 end as unknown_any
              from lineitem
              """,
              (stream, tables) ->
                  project(
                      stream,
                      tables,
                      Map.of(
                          "l_orderkey",
                          column("l_orderkey"),
                          "share",
                          column("l_returnflag")
                              .isText("R")
                              .choose(column("l_tax"), decimal("0.0005")),
                          "amount",
                          column("l_shipmode")
                              .isLike("%AI%")
                              .choose(column("l_quantity"), column("l_discount")),
                          "day",
                          column("l_shipdate")
                              .isLess(column("l_commitdate"))
                              .or(column("l_receiptdate").isLess(column("l_commitdate")))
                              .choose(column("l_commitdate"), column("l_shipdate")),
                          "unknown_both",
                          oneIf(
                              column("l_quantity")
                                  .isAtMost(number(20))
                                  .and(
                                      column("l_discount")
                                          .isBetween(decimal("0.02"), decimal("0.06")))
                                  .isNull()),
                          "unknown_any",
                          oneIf(
                              column("l_quantity")
                                  .isAtLeast(number(30))
                                  .or(column("l_tax").isEqual(decimal("0.04")))
                                  .isNull()))),
              integer("l_orderkey"),
              decimal("share", 4),
              decimal("amount", 2),
              date("day"),
              integer("unknown_both"),
              integer("unknown_any")));

  private RowQueries() {}

  private static DeviceTable project(
      DeviceStream stream, DeviceTables tables, Map<String, Expression> columns) {
    return Project.of(stream, tables.table(TpchTable.LINEITEM), columns);
  }

  private static Expression oneIf(Expression condition) {
    return condition.choose(number(1), number(0));
  }
}
