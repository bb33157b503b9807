package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostTable;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Q6 in plain Java. */
final class RevenueForecastInJava {
  private static final long FROM = PlainJava.day(1994, 1, 1);
  private static final long TO = PlainJava.day(1995, 1, 1);

  private RevenueForecastInJava() {}

  /** Its only row. */
  static List<List<@Nullable Object>> rows(HostTables tables) {
    HostTable items = tables.table(TpchTable.LINEITEM);
    Numbers shipDate = Numbers.of(items, "l_shipdate");
    Numbers discount = Numbers.of(items, "l_discount");
    Numbers quantity = Numbers.of(items, "l_quantity");
    Numbers price = Numbers.of(items, "l_extendedprice");
    Sum revenue = new Sum();
    for (int row = 0; row < items.rows(); row++) {
      if (Numbers.inAll(row, shipDate, discount, quantity, price)
          && shipDate.at(row) >= FROM
          && shipDate.at(row) < TO
          && discount.at(row) >= 5
          && discount.at(row) <= 7
          && quantity.at(row) < 24_00) {
        revenue.add(Math.multiplyExact(price.at(row), discount.at(row)));
      }
    }
    return List.of(Arrays.asList(revenue.sum()));
  }
}
