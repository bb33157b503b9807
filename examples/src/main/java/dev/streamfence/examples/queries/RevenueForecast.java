package dev.streamfence.examples.queries;

import static dev.streamfence.examples.operators.Aggregate.sum;
import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.date;
import static dev.streamfence.examples.operators.Expression.decimal;
import static dev.streamfence.examples.operators.Expression.number;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.Expression;
import dev.streamfence.examples.operators.Filter;
import dev.streamfence.examples.operators.GroupBy;
import java.time.LocalDate;
import java.util.List;

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

  @Override
  public DeviceTable onDevice(DeviceStream stream, DeviceTables tables) {
    DeviceTable items = tables.table(TpchTable.LINEITEM);
    LocalDate first = LocalDate.of(1994, 1, 1);
    Expression condition =
        column("l_shipdate")
            .isAtLeast(date(first))
            .and(column("l_shipdate").isLess(date(first.plusYears(1))))
            .and(column("l_discount").isBetween(decimal("0.05"), decimal("0.07")))
            .and(column("l_quantity").isLess(number(24)));
    try (DeviceTable matching =
        Filter.of(stream, items, condition, items.select("l_extendedprice", "l_discount"))) {
      return GroupBy.of(
          stream,
          matching,
          List.of(),
          sum("revenue", column("l_extendedprice").times(column("l_discount"))));
    }
  }
}
