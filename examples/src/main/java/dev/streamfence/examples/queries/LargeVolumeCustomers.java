package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.AnswerColumn.date;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.integer;
import static dev.streamfence.examples.queries.AnswerColumn.text;
import static dev.streamfence.examples.queries.SortKey.ascending;
import static dev.streamfence.examples.queries.SortKey.descending;

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
}
