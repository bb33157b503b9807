package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.AnswerColumn.decimal;

/** Q6, "forecasting revenue change": what some discounts on small quantities cost. Immutable. */
public final class RevenueForecast implements Query {
  private static final AnswerShape SHAPE = AnswerShape.of(decimal("revenue", 4));

  @Override
  public String name() {
    return "Q6";
  }

  @Override
  public String sql() {
    return """
        select sum(l_extendedprice * l_discount) as revenue
        from lineitem
        where l_shipdate >= date '1994-01-01'
          and l_shipdate < date '1994-01-01' + interval '1' year
          and l_discount between 0.06 - 0.01 and 0.06 + 0.01
          and l_quantity < 24
        """;
  }

  @Override
  public AnswerShape shape() {
    return SHAPE;
  }
}
