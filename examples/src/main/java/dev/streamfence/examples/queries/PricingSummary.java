package dev.streamfence.examples.queries;

import static dev.streamfence.examples.operators.Aggregate.average;
import static dev.streamfence.examples.operators.Aggregate.count;
import static dev.streamfence.examples.operators.Aggregate.sum;
import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.date;
import static dev.streamfence.examples.operators.Expression.number;
import static dev.streamfence.examples.operators.SortKey.ascending;
import static dev.streamfence.examples.queries.AnswerColumn.average;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.integer;
import static dev.streamfence.examples.queries.AnswerColumn.text;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.Expression;
import dev.streamfence.examples.operators.Filter;
import dev.streamfence.examples.operators.GroupBy;
import dev.streamfence.examples.operators.Sort;
import dev.streamfence.examples.operators.SortKey;
import java.time.LocalDate;
import java.util.List;

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

  @Override
  public DeviceTable onDevice(DeviceStream stream, DeviceTables tables) {
    DeviceTable items = tables.table(TpchTable.LINEITEM);
    Expression price = column("l_extendedprice");
    Expression charged = price.times(number(1).minus(column("l_discount")));
    try (DeviceTable shipped =
            Filter.of(
                stream,
                items,
                column("l_shipdate").isAtMost(date(LocalDate.of(1998, 12, 1).minusDays(90))),
                items.select(
                    "l_returnflag",
                    "l_linestatus",
                    "l_quantity",
                    "l_extendedprice",
                    "l_discount",
                    "l_tax"));
        DeviceTable groups =
            GroupBy.of(
                stream,
                shipped,
                List.of("l_returnflag", "l_linestatus"),
                sum("sum_qty", column("l_quantity")),
                sum("sum_base_price", price),
                sum("sum_disc_price", charged),
                sum("sum_charge", charged.times(number(1).plus(column("l_tax")))),
                average("avg_qty", column("l_quantity")),
                average("avg_price", price),
                average("avg_disc", column("l_discount")),
                count("count_order"))) {
      return Sort.of(
          stream, groups, SortKey.ascending("l_returnflag"), SortKey.ascending("l_linestatus"));
    }
  }
}
