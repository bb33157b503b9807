package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Q12 in plain Java. */
final class ShippingModesInJava {
  private static final long FROM = PlainJava.day(1994, 1, 1);
  private static final long TO = PlainJava.day(1995, 1, 1);

  private ShippingModesInJava() {}

  /** Its rows in any order. */
  static List<List<@Nullable Object>> rows(HostTables tables) {
    HostTable orders = tables.table(TpchTable.ORDERS);
    HostTable items = tables.table(TpchTable.LINEITEM);
    Map<Long, Integer> orderRows = Lookups.rowsByKey(orders, "o_orderkey");
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (String mode : List.of("MAIL", "SHIP")) {
      long high = 0;
      long low = 0;
      boolean found = false;
      for (String priority : priorities(items, mode, orders, orderRows)) {
        found = true;
        if (priority != null) {
          boolean isHigh = priority.equals("1-URGENT") || priority.equals("2-HIGH");
          high += isHigh ? 1 : 0;
          low += isHigh ? 0 : 1;
        }
      }
      if (found) {
        rows.add(Arrays.asList(mode, high, low));
      }
    }
    return rows;
  }

  /** The priority of the order of each late item. */
  private static List<@Nullable String> priorities(
      HostTable items, String mode, HostTable orders, Map<Long, Integer> orderRows) {
    Texts priority = Texts.of(orders, "o_orderpriority");
    Numbers orderKey = Numbers.of(items, "l_orderkey");
    Numbers shipDate = Numbers.of(items, "l_shipdate");
    Numbers commitDate = Numbers.of(items, "l_commitdate");
    Numbers receiptDate = Numbers.of(items, "l_receiptdate");
    Texts shipMode = Texts.of(items, "l_shipmode");
    List<@Nullable String> priorities = new ArrayList<>();
    for (int row = 0; row < items.rows(); row++) {
      if (Numbers.inAll(row, orderKey, shipDate, commitDate, receiptDate)
          && mode.equals(shipMode.at(row))
          && commitDate.at(row) < receiptDate.at(row)
          && shipDate.at(row) < commitDate.at(row)
          && receiptDate.at(row) >= FROM
          && receiptDate.at(row) < TO) {
        Integer order = orderRows.get(orderKey.at(row));
        if (order != null) {
          priorities.add(priority.at(order));
        }
      }
    }
    return priorities;
  }
}
