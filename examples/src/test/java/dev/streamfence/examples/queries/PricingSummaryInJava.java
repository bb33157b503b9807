package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.PlainJava.discounted;

import dev.streamfence.examples.tpch.HostTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Q1 in plain Java. */
final class PricingSummaryInJava {
  private static final long LAST_DAY = PlainJava.day(1998, 12, 1) - 90;

  private PricingSummaryInJava() {}

  /** Its rows in any order. */
  static List<List<@Nullable Object>> rows(HostTables tables) {
    HostTable items = tables.table(TpchTable.LINEITEM);
    Numbers shipDate = Numbers.of(items, "l_shipdate");
    Texts returnFlag = Texts.of(items, "l_returnflag");
    Texts lineStatus = Texts.of(items, "l_linestatus");
    Map<List<@Nullable String>, Group> groups = new HashMap<>();
    for (int row = 0; row < items.rows(); row++) {
      if (shipDate.has(row) && shipDate.at(row) <= LAST_DAY) {
        groups
            .computeIfAbsent(
                Arrays.asList(returnFlag.at(row), lineStatus.at(row)), key -> new Group(items))
            .add(row);
      }
    }
    List<List<@Nullable Object>> rows = new ArrayList<>();
    groups.forEach((key, group) -> rows.add(group.row(key.get(0), key.get(1))));
    return rows;
  }

  /** The sums of one group. */
  private static final class Group {
    private final Numbers quantity;
    private final Numbers price;
    private final Numbers discount;
    private final Numbers tax;
    private final Sum quantities = new Sum();
    private final Sum prices = new Sum();
    private final Sum discounts = new Sum();
    private final Sum discountedPrices = new Sum();
    private final Sum charges = new Sum();
    private long count;

    Group(HostTable items) {
      this.quantity = Numbers.of(items, "l_quantity");
      this.price = Numbers.of(items, "l_extendedprice");
      this.discount = Numbers.of(items, "l_discount");
      this.tax = Numbers.of(items, "l_tax");
    }

    void add(int row) {
      count++;
      quantities.addOf(quantity, row);
      prices.addOf(price, row);
      discounts.addOf(discount, row);
      if (Numbers.inAll(row, price, discount)) {
        long discounted = discounted(price.at(row), discount.at(row));
        discountedPrices.add(discounted);
        if (tax.has(row)) {
          charges.add(Math.multiplyExact(discounted, 100 + tax.at(row)));
        }
      }
    }

    List<@Nullable Object> row(@Nullable String returnFlag, @Nullable String lineStatus) {
      return Arrays.asList(
          returnFlag,
          lineStatus,
          quantities.sum(),
          prices.sum(),
          discountedPrices.sum(),
          charges.sum(),
          quantities.averageOfHundredths(),
          prices.averageOfHundredths(),
          discounts.averageOfHundredths(),
          count);
    }
  }
}
