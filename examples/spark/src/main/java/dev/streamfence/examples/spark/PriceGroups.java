package dev.streamfence.examples.spark;

import static dev.streamfence.examples.operators.Aggregate.count;
import static dev.streamfence.examples.operators.Aggregate.sum;
import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.date;
import static dev.streamfence.examples.operators.Expression.number;

import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.examples.operators.Expression;
import dev.streamfence.examples.operators.Filter;
import dev.streamfence.examples.operators.GroupBy;
import java.io.Serial;
import java.time.LocalDate;
import java.util.List;

/**
 * The sums of the line items that were shipped in time, by return flag and status. A count beside a
 * sum is that of its values, for the average. Immutable.
 *
 * @param until the last day
 */
record PriceGroups(LocalDate until) implements DeviceOperator {
  @Serial private static final long serialVersionUID = 1;

  @Override
  public DeviceTable apply(DeviceStream stream, DeviceTable batch) {
    Expression quantity = column("l_quantity");
    Expression price = column("l_extendedprice");
    Expression discount = column("l_discount");
    Expression discounted = price.times(number(1).minus(discount));
    try (DeviceTable shipped =
        Filter.of(stream, batch, column("l_shipdate").isAtMost(date(until)))) {
      return GroupBy.of(
          stream,
          shipped,
          List.of("l_returnflag", "l_linestatus"),
          sum("quantity", quantity),
          sum("price", price),
          sum("discounted", discounted),
          sum("charge", discounted.times(number(1).plus(column("l_tax")))),
          sum("discount", discount),
          count("quantities", quantity),
          count("prices", price),
          count("discounts", discount),
          count("items"));
    }
  }
}
