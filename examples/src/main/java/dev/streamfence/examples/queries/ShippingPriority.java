package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.AnswerColumn.date;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.integer;
import static dev.streamfence.examples.queries.SortKey.ascending;
import static dev.streamfence.examples.queries.SortKey.descending;

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
}
