package dev.streamfence.examples.queries;

import static dev.streamfence.examples.operators.Aggregate.sum;
import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.number;
import static dev.streamfence.examples.operators.SortKey.ascending;
import static dev.streamfence.examples.operators.SortKey.descending;
import static dev.streamfence.examples.queries.AnswerColumn.date;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.integer;
import static dev.streamfence.examples.queries.AnswerColumn.text;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.Filter;
import dev.streamfence.examples.operators.GroupBy;
import dev.streamfence.examples.operators.HashJoin;
import dev.streamfence.examples.operators.SortKey;
import dev.streamfence.examples.operators.Temporaries;
import dev.streamfence.examples.operators.TopK;
import java.util.List;

/** Q18, "large volume customer": the hundred largest of the orders of many items. Immutable. */
public final class LargeVolumeCustomers implements Query {
  private static final AnswerShape SHAPE =
      AnswerShape.of(
              text("c_name"),
              integer("c_custkey"),
              integer("o_orderkey"),
              date("o_orderdate"),
              decimal("o_totalprice", 2),
              decimal("sum_qty", 2))
          .sortedBy(descending("o_totalprice"), ascending("o_orderdate"))
          .limitedTo(100);

  @Override
  public String name() {
    return "Q18";
  }

  @Override
  public String sql() {
    return """
        select
          c_name,
          c_custkey,
          o_orderkey,
          o_orderdate,
          o_totalprice,
          sum(l_quantity) as sum_qty
        from customer, orders, lineitem
        where o_orderkey in (
            select l_orderkey
            from lineitem
            group by l_orderkey
            having sum(l_quantity) > 300)
          and c_custkey = o_custkey
          and o_orderkey = l_orderkey
        group by c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
        order by o_totalprice desc, o_orderdate
        limit 100
        """;
  }

  @Override
  public AnswerShape shape() {
    return SHAPE;
  }

  @Override
  public DeviceTable onDevice(DeviceStream stream, DeviceTables tables) {
    try (Temporaries temporaries = new Temporaries(stream)) {
      DeviceTable sums =
          temporaries.add(
              GroupBy.of(
                  stream,
                  tables.table(TpchTable.LINEITEM),
                  List.of("l_orderkey"),
                  sum("sum_qty", column("l_quantity"))));
      DeviceTable large =
          temporaries.add(Filter.of(stream, sums, column("sum_qty").isMore(number(300))));
      HashJoin byOrder = temporaries.add(HashJoin.build(stream, large, "l_orderkey"));
      DeviceTable orders =
          temporaries.add(
              byOrder.inner(
                  stream,
                  tables
                      .table(TpchTable.ORDERS)
                      .select("o_orderkey", "o_custkey", "o_orderdate", "o_totalprice"),
                  "o_orderkey"));
      HashJoin byCustomer = temporaries.add(HashJoin.build(stream, orders, "o_custkey"));
      DeviceTable customers =
          temporaries.add(
              byCustomer.inner(
                  stream,
                  tables.table(TpchTable.CUSTOMER).select("c_name", "c_custkey"),
                  "c_custkey"));
      return TopK.of(
          stream,
          customers,
          100,
          SortKey.descending("o_totalprice"),
          SortKey.ascending("o_orderdate"));
    }
  }
}
