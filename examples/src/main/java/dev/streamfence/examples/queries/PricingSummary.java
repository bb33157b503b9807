package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.AnswerColumn.average;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.integer;
import static dev.streamfence.examples.queries.AnswerColumn.text;
import static dev.streamfence.examples.queries.SortKey.ascending;

/** Q1, "pricing summary report": what was billed, shipped and returned. Immutable. */
public final class PricingSummary implements Query {
  private static final AnswerShape SHAPE =
      AnswerShape.of(
              text("l_returnflag"),
              text("l_linestatus"),
              decimal("sum_qty", 2),
              decimal("sum_base_price", 2),
              decimal("sum_disc_price", 4),
              decimal("sum_charge", 6),
              average("avg_qty"),
              average("avg_price"),
              average("avg_disc"),
              integer("count_order"))
          .sortedBy(ascending("l_returnflag"), ascending("l_linestatus"));

  @Override
  public String name() {
    return "Q1";
  }

  @Override
  public String sql() {
    return """
        select
          l_returnflag,
          l_linestatus,
          sum(l_quantity) as sum_qty,
          sum(l_extendedprice) as sum_base_price,
          sum(l_extendedprice * (1 - l_discount)) as sum_disc_price,
          sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge,
          avg(l_quantity) as avg_qty,
          avg(l_extendedprice) as avg_price,
          avg(l_discount) as avg_disc,
          count(*) as count_order
        from lineitem
        where l_shipdate <= date '1998-12-01' - interval '90' day
        group by l_returnflag, l_linestatus
        order by l_returnflag, l_linestatus
        """;
  }

  @Override
  public AnswerShape shape() {
    return SHAPE;
  }
}
