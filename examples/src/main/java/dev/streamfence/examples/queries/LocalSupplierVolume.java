package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.text;
import static dev.streamfence.examples.queries.SortKey.descending;

/** Q5, "local supplier volume": what suppliers of Asia sold in their own nation. Immutable. */
public final class LocalSupplierVolume implements Query {
  private static final AnswerShape SHAPE =
      AnswerShape.of(text("n_name"), decimal("revenue", 4)).sortedBy(descending("revenue"));

  @Override
  public String name() {
    return "Q5";
  }

  @Override
  public String sql() {
    return """
        select
          n_name,
          sum(l_extendedprice * (1 - l_discount)) as revenue
        from customer, orders, lineitem, supplier, nation, region
        where c_custkey = o_custkey
          and l_orderkey = o_orderkey
          and l_suppkey = s_suppkey
          and c_nationkey = s_nationkey
          and s_nationkey = n_nationkey
          and n_regionkey = r_regionkey
          and r_name = 'ASIA'
          and o_orderdate >= date '1994-01-01'
          and o_orderdate < date '1994-01-01' + interval '1' year
        group by n_name
        order by revenue desc
        """;
  }

  @Override
  public AnswerShape shape() {
    return SHAPE;
  }
}
