package dev.streamfence.examples.queries;

import static dev.streamfence.examples.operators.Aggregate.sum;
import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.date;
import static dev.streamfence.examples.operators.Expression.number;
import static dev.streamfence.examples.operators.SortKey.ascending;
import static dev.streamfence.examples.queries.AnswerColumn.integer;
import static dev.streamfence.examples.queries.AnswerColumn.text;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.Expression;
import dev.streamfence.examples.operators.Filter;
import dev.streamfence.examples.operators.GroupBy;
import dev.streamfence.examples.operators.HashJoin;
import dev.streamfence.examples.operators.Sort;
import dev.streamfence.examples.operators.SortKey;
import java.time.LocalDate;
import java.util.List;

/** Q12, "shipping modes and order priority": late items of urgent and other orders. Immutable. */
public final class ShippingModes implements Query {
  private static final AnswerShape SHAPE =
      AnswerShape.of(text("l_shipmode"), integer("high_line_count"), integer("low_line_count"))
          .sortedBy(ascending("l_shipmode"));

  @Override
  public String name() {
    return "Q12";
  }

  @Override
  public String sql() {
    return """
        select
          l_shipmode,
          sum(case
            when o_orderpriority = '1-URGENT' or o_orderpriority = '2-HIGH' then 1
            else 0
          end) as high_line_count,
          sum(case
            when o_orderpriority <> '1-URGENT' and o_orderpriority <> '2-HIGH' then 1
            else 0
          end) as low_line_count
        from orders, lineitem
        where o_orderkey = l_orderkey
          and l_shipmode in ('MAIL', 'SHIP')
          and l_commitdate < l_receiptdate
          and l_shipdate < l_commitdate
          and l_receiptdate >= date '1994-01-01'
          and l_receiptdate < date '1994-01-01' + interval '1' year
        group by l_shipmode
        order by l_shipmode
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
        column("l_shipmode")
            .isText("MAIL", "SHIP")
            .and(column("l_commitdate").isLess(column("l_receiptdate")))
            .and(column("l_shipdate").isLess(column("l_commitdate")))
            .and(column("l_receiptdate").isAtLeast(date(first)))
            .and(column("l_receiptdate").isLess(date(first.plusYears(1))));
    Expression isUrgent = column("o_orderpriority").isText("1-URGENT", "2-HIGH");
    try (DeviceTable late =
            Filter.of(stream, items, condition, items.select("l_orderkey", "l_shipmode"));
        HashJoin byOrder = HashJoin.build(stream, late, "l_orderkey");
        DeviceTable pairs =
            byOrder.inner(
                stream,
                tables.table(TpchTable.ORDERS).select("o_orderkey", "o_orderpriority"),
                "o_orderkey");
        DeviceTable groups =
            GroupBy.of(
                stream,
                pairs,
                List.of("l_shipmode"),
                sum("high_line_count", isUrgent.choose(number(1), number(0))),
                sum("low_line_count", isUrgent.not().choose(number(1), number(0))))) {
      return Sort.of(stream, groups, SortKey.ascending("l_shipmode"));
    }
  }
}
