package dev.streamfence.examples.queries;

import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.number;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.integer;
import static dev.streamfence.examples.queries.AnswerColumn.text;
import static dev.streamfence.examples.queries.OperatorQuery.of;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.Filter;
import dev.streamfence.examples.operators.HashJoin;
import java.util.List;

/** Joins of all kinds. */
final class JoinQueries {
  static final List<OperatorQuery> ALL =
      List.of(
          of(
              "an inner join by a key with skew",
              "select o_orderkey, c_name, c_mktsegment from orders join customer on o_custkey = c_custkey",
              (stream, tables) -> {
                try (HashJoin byKey =
                    HashJoin.build(stream, tables.table(TpchTable.CUSTOMER), "c_custkey")) {
                  return byKey.inner(stream, tables.table(TpchTable.ORDERS), "o_custkey");
                }
              },
              integer("o_orderkey"),
              text("c_name"),
              text("c_mktsegment")),
          of(
              "a left outer join with many partners and none",
              """
              select c_custkey, c_name, o_orderkey, o_totalprice, o_orderpriority
              from customer left join orders on c_custkey = o_custkey
              """,
              (stream, tables) -> {
                try (HashJoin byKey =
                    HashJoin.build(stream, tables.table(TpchTable.ORDERS), "o_custkey")) {
                  return byKey.leftOuter(stream, tables.table(TpchTable.CUSTOMER), "c_custkey");
                }
              },
              integer("c_custkey"),
              text("c_name"),
              integer("o_orderkey"),
              decimal("o_totalprice", 2),
              text("o_orderpriority")),
          of(
              "a left outer join that puts null in columns of text",
              """
              select o_orderkey, o_custkey, c_name, c_mktsegment
              from orders left join customer on o_custkey = c_custkey
              """,
              (stream, tables) -> {
                try (HashJoin byKey =
                    HashJoin.build(stream, tables.table(TpchTable.CUSTOMER), "c_custkey")) {
                  return byKey.leftOuter(stream, tables.table(TpchTable.ORDERS), "o_custkey");
                }
              },
              integer("o_orderkey"),
              integer("o_custkey"),
              text("c_name"),
              text("c_mktsegment")),
          of(
              "a semi-join",
              """
              select c_custkey, c_name from customer
              where exists (select * from orders where o_custkey = c_custkey and o_totalprice > 200000)
              """,
              (stream, tables) -> {
                try (DeviceTable large = largeOrders(stream, tables);
                    HashJoin byKey = HashJoin.build(stream, large, "o_custkey")) {
                  return byKey.semi(stream, tables.table(TpchTable.CUSTOMER), "c_custkey");
                }
              },
              integer("c_custkey"),
              text("c_name")),
          of(
              "an anti-join, which keeps nulls",
              """
              select l_orderkey, l_partkey from lineitem
              where not exists (select * from orders where o_orderkey = l_orderkey and o_totalprice > 200000)
              """,
              (stream, tables) -> {
                try (DeviceTable large = largeOrders(stream, tables);
                    HashJoin byKey = HashJoin.build(stream, large, "o_orderkey")) {
                  return byKey.anti(stream, tables.table(TpchTable.LINEITEM), "l_orderkey");
                }
              },
              integer("l_orderkey"),
              integer("l_partkey")),
          of(
              "an inner join by two columns",
              """
              select l_orderkey, ps_partkey, ps_suppkey, ps_supplycost
              from lineitem join partsupp on l_partkey = ps_partkey and l_suppkey = ps_suppkey
              """,
              (stream, tables) -> {
                try (HashJoin byKeys =
                    HashJoin.build(
                        stream, tables.table(TpchTable.PARTSUPP), "ps_partkey", "ps_suppkey")) {
                  return byKeys.inner(
                      stream, tables.table(TpchTable.LINEITEM), "l_partkey", "l_suppkey");
                }
              },
              integer("l_orderkey"),
              integer("ps_partkey"),
              integer("ps_suppkey"),
              decimal("ps_supplycost", 2)),
          of(
              "an inner join by a text with a dictionary",
              """
              select a.c_custkey as a, b.c_custkey as b
              from customer a join customer b on a.c_mktsegment = b.c_mktsegment
              where a.c_custkey < 40 and b.c_custkey >= 40 and b.c_custkey < 100
              """,
              (stream, tables) -> {
                DeviceTable all =
                    tables.table(TpchTable.CUSTOMER).select("c_custkey", "c_mktsegment");
                try (DeviceTable one =
                        Filter.of(stream, all, column("c_custkey").isLess(number(40)));
                    DeviceTable other =
                        Filter.of(
                            stream,
                            all,
                            column("c_custkey")
                                .isAtLeast(number(40))
                                .and(column("c_custkey").isLess(number(100))));
                    HashJoin bySegment =
                        HashJoin.build(stream, other.rename("c_custkey", "b"), "c_mktsegment")) {
                  return bySegment.inner(stream, one.rename("c_custkey", "a"), "c_mktsegment");
                }
              },
              integer("a"),
              integer("b")),
          of(
              "an outer join by a text",
              """
              select a.p_partkey as a, b.p_partkey as b
              from part a left join (select * from part where p_partkey > 100) b on a.p_name = b.p_name
              """,
              (stream, tables) -> {
                DeviceTable all = tables.table(TpchTable.PART);
                try (DeviceTable some =
                        Filter.of(stream, all, column("p_partkey").isMore(number(100)));
                    HashJoin byName =
                        HashJoin.build(stream, some.rename("p_partkey", "b"), "p_name")) {
                  return byName.leftOuter(stream, all.rename("p_partkey", "a"), "p_name");
                }
              },
              integer("a"),
              integer("b")));

  private JoinQueries() {}

  private static DeviceTable largeOrders(DeviceStream stream, DeviceTables tables) {
    return Filter.of(
        stream, tables.table(TpchTable.ORDERS), column("o_totalprice").isMore(number(200_000)));
  }
}
