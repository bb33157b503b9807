package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.integer;
import static dev.streamfence.examples.queries.AnswerColumn.text;
import static dev.streamfence.examples.queries.SortKey.ascending;
import static dev.streamfence.examples.queries.SortKey.descending;

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
}
