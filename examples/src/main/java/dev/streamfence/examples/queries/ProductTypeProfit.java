package dev.streamfence.examples.queries;

import static dev.streamfence.examples.operators.Aggregate.sum;
import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.number;
import static dev.streamfence.examples.operators.SortKey.ascending;
import static dev.streamfence.examples.operators.SortKey.descending;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.integer;
import static dev.streamfence.examples.queries.AnswerColumn.text;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.Expression;
import dev.streamfence.examples.operators.Filter;
import dev.streamfence.examples.operators.GroupBy;
import dev.streamfence.examples.operators.HashJoin;
import dev.streamfence.examples.operators.Project;
import dev.streamfence.examples.operators.Sort;
import dev.streamfence.examples.operators.SortKey;
import dev.streamfence.examples.operators.Temporaries;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Q9, "product type profit measure": what green parts earned by nation and year. Immutable. */
public final class ProductTypeProfit implements Query {
  private static final AnswerShape SHAPE =
      AnswerShape.of(text("nation"), integer("o_year"), decimal("sum_profit", 4))
          .sortedBy(ascending("nation"), descending("o_year"));

  @Override
  public String name() {
    return "Q9";
  }

  @Override
  public String sql() {
    return """
        select
          nation,
          o_year,
          sum(amount) as sum_profit
        from (
          select
            n_name as nation,
            extract(year from o_orderdate) as o_year,
            l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity as amount
          from part, supplier, lineitem, partsupp, orders, nation
          where s_suppkey = l_suppkey
            and ps_suppkey = l_suppkey
            and ps_partkey = l_partkey
            and p_partkey = l_partkey
            and o_orderkey = l_orderkey
            and s_nationkey = n_nationkey
            and p_name like '%green%'
        ) as profit
        group by nation, o_year
        order by nation, o_year desc
        """;
  }

  @Override
  public AnswerShape shape() {
    return SHAPE;
  }

  @Override
  public DeviceTable onDevice(DeviceStream stream, DeviceTables tables) {
    DeviceTable parts = tables.table(TpchTable.PART);
    try (Temporaries temporaries = new Temporaries(stream)) {
      DeviceTable green =
          temporaries.add(
              Filter.of(
                  stream, parts, column("p_name").isLike("%green%"), parts.select("p_partkey")));
      HashJoin byPart = temporaries.add(HashJoin.build(stream, green, "p_partkey"));
      DeviceTable offers =
          temporaries.add(byPart.semi(stream, tables.table(TpchTable.PARTSUPP), "ps_partkey"));
      HashJoin byOffer =
          temporaries.add(HashJoin.build(stream, offers, "ps_partkey", "ps_suppkey"));
      DeviceTable items =
          temporaries.add(
              byOffer.inner(
                  stream,
                  tables
                      .table(TpchTable.LINEITEM)
                      .select(
                          "l_orderkey",
                          "l_partkey",
                          "l_suppkey",
                          "l_quantity",
                          "l_extendedprice",
                          "l_discount"),
                  "l_partkey",
                  "l_suppkey"));
      HashJoin byNation =
          temporaries.add(
              HashJoin.build(
                  stream,
                  tables.table(TpchTable.NATION).select("n_nationkey", "n_name"),
                  "n_nationkey"));
      DeviceTable suppliers =
          temporaries.add(byNation.inner(stream, tables.table(TpchTable.SUPPLIER), "s_nationkey"));
      HashJoin bySupplier =
          temporaries.add(
              HashJoin.build(stream, suppliers.select("s_suppkey", "n_name"), "s_suppkey"));
      DeviceTable supplied = temporaries.add(bySupplier.inner(stream, items, "l_suppkey"));
      HashJoin byOrder = temporaries.add(HashJoin.build(stream, supplied, "l_orderkey"));
      DeviceTable ordered =
          temporaries.add(
              byOrder.inner(
                  stream,
                  tables.table(TpchTable.ORDERS).select("o_orderkey", "o_orderdate"),
                  "o_orderkey"));
      Map<String, Expression> columns = new LinkedHashMap<>();
      columns.put("nation", column("n_name"));
      columns.put("o_year", column("o_orderdate").year());
      columns.put(
          "amount",
          column("l_extendedprice")
              .times(number(1).minus(column("l_discount")))
              .minus(column("ps_supplycost").times(column("l_quantity"))));
      DeviceTable profits = temporaries.add(Project.of(stream, ordered, columns));
      DeviceTable groups =
          temporaries.add(
              GroupBy.of(
                  stream,
                  profits,
                  List.of("nation", "o_year"),
                  sum("sum_profit", column("amount"))));
      return Sort.of(stream, groups, SortKey.ascending("nation"), SortKey.descending("o_year"));
    }
  }
}
