package dev.streamfence.examples.queries;

import static dev.streamfence.examples.operators.Aggregate.sum;
import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.date;
import static dev.streamfence.examples.operators.Expression.number;
import static dev.streamfence.examples.operators.SortKey.ascending;
import static dev.streamfence.examples.operators.SortKey.descending;
import static dev.streamfence.examples.queries.AnswerColumn.date;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.integer;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.Expression;
import dev.streamfence.examples.operators.Filter;
import dev.streamfence.examples.operators.GroupBy;
import dev.streamfence.examples.operators.HashJoin;
import dev.streamfence.examples.operators.SortKey;
import dev.streamfence.examples.operators.Temporaries;
import dev.streamfence.examples.operators.TopK;
import java.time.LocalDate;
import java.util.List;

/** Q3, "shipping priority": the ten unshipped orders of the largest value. Immutable. */
public final class ShippingPriority implements Query {
  private static final AnswerShape SHAPE =
      AnswerShape.of(
              integer("l_orderkey"),
              decimal("revenue", 4),
              date("o_orderdate"),
              integer("o_shippriority"))
          .sortedBy(descending("revenue"), ascending("o_orderdate"))
          .limitedTo(10);

  @Override
  public String name() {
    return "Q3";
  }

  @Override
  public String sql() {
    return """
        select
          l_orderkey,
          sum(l_extendedprice * (1 - l_discount)) as revenue,
          o_orderdate,
          o_shippriority
        from customer, orders, lineitem
        where c_mktsegment = 'BUILDING'
          and c_custkey = o_custkey
          and l_orderkey = o_orderkey
          and o_orderdate < date '1995-03-15'
          and l_shipdate > date '1995-03-15'
        group by l_orderkey, o_orderdate, o_shippriority
        order by revenue desc, o_orderdate
        limit 10
        """;
  }

  @Override
  public AnswerShape shape() {
    return SHAPE;
  }

  @Override
  public DeviceTable onDevice(DeviceStream stream, DeviceTables tables) {
    DeviceTable customers = tables.table(TpchTable.CUSTOMER);
    DeviceTable orders = tables.table(TpchTable.ORDERS);
    DeviceTable items = tables.table(TpchTable.LINEITEM);
    Expression day = date(LocalDate.of(1995, 3, 15));
    try (Temporaries temporaries = new Temporaries(stream)) {
      DeviceTable builders =
          temporaries.add(
              Filter.of(
                  stream,
                  customers,
                  column("c_mktsegment").isText("BUILDING"),
                  customers.select("c_custkey")));
      DeviceTable before =
          temporaries.add(
              Filter.of(
                  stream,
                  orders,
                  column("o_orderdate").isLess(day),
                  orders.select("o_orderkey", "o_custkey", "o_orderdate", "o_shippriority")));
      HashJoin byCustomer = temporaries.add(HashJoin.build(stream, builders, "c_custkey"));
      DeviceTable open = temporaries.add(byCustomer.semi(stream, before, "o_custkey"));
      DeviceTable shipped =
          temporaries.add(
              Filter.of(
                  stream,
                  items,
                  column("l_shipdate").isMore(day),
                  items.select("l_orderkey", "l_extendedprice", "l_discount")));
      HashJoin byOrder = temporaries.add(HashJoin.build(stream, open, "o_orderkey"));
      DeviceTable pairs = temporaries.add(byOrder.inner(stream, shipped, "l_orderkey"));
      DeviceTable groups =
          temporaries.add(
              GroupBy.of(
                  stream,
                  pairs,
                  List.of("l_orderkey", "o_orderdate", "o_shippriority"),
                  sum(
                      "revenue",
                      column("l_extendedprice").times(number(1).minus(column("l_discount"))))));
      return TopK.of(
          stream, groups, 10, SortKey.descending("revenue"), SortKey.ascending("o_orderdate"));
    }
  }
}
