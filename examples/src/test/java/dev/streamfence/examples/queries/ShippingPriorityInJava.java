package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.PlainJava.dateAt;
import static dev.streamfence.examples.queries.PlainJava.discounted;
import static dev.streamfence.examples.queries.PlainJava.numberAt;

import dev.streamfence.examples.tpch.HostTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Q3 in plain Java. */
final class ShippingPriorityInJava {
  private static final long DAY = PlainJava.day(1995, 3, 15);

  private ShippingPriorityInJava() {}

  /** Its rows in any order, without the limit. */
  static List<List<@Nullable Object>> rows(HostTables tables) {
    Map<Long, Integer> ordersByKey = ordersByKey(tables);
    HostTable items = tables.table(TpchTable.LINEITEM);
    Numbers orderKey = Numbers.of(items, "l_orderkey");
    Numbers shipDate = Numbers.of(items, "l_shipdate");
    Numbers price = Numbers.of(items, "l_extendedprice");
    Numbers discount = Numbers.of(items, "l_discount");
    Map<Long, Sum> revenues = new HashMap<>();
    for (int row = 0; row < items.rows(); row++) {
      if (Numbers.inAll(row, orderKey, shipDate)
          && shipDate.at(row) > DAY
          && ordersByKey.containsKey(orderKey.at(row))) {
        Sum revenue = revenues.computeIfAbsent(orderKey.at(row), key -> new Sum());
        if (Numbers.inAll(row, price, discount)) {
          revenue.add(discounted(price.at(row), discount.at(row)));
        }
      }
    }
    HostTable orders = tables.table(TpchTable.ORDERS);
    Numbers orderDate = Numbers.of(orders, "o_orderdate");
    Numbers shipPriority = Numbers.of(orders, "o_shippriority");
    List<List<@Nullable Object>> rows = new ArrayList<>();
    revenues.forEach(
        (key, revenue) -> {
          int order = ordersByKey.getOrDefault(key, -1);
          rows.add(
              Arrays.asList(
                  key, revenue.sum(), dateAt(orderDate, order), numberAt(shipPriority, order)));
        });
    return rows;
  }

  /** The rows of the early orders of customers in the segment. */
  private static Map<Long, Integer> ordersByKey(HostTables tables) {
    Set<Long> customers = customers(tables.table(TpchTable.CUSTOMER));
    HostTable orders = tables.table(TpchTable.ORDERS);
    Numbers key = Numbers.of(orders, "o_orderkey");
    Numbers customer = Numbers.of(orders, "o_custkey");
    Numbers orderDate = Numbers.of(orders, "o_orderdate");
    Map<Long, Integer> rows = new HashMap<>();
    for (int row = 0; row < orders.rows(); row++) {
      if (Numbers.inAll(row, customer, orderDate)
          && orderDate.at(row) < DAY
          && customers.contains(customer.at(row))) {
        rows.put(key.at(row), row);
      }
    }
    return rows;
  }

  private static Set<Long> customers(HostTable customers) {
    Numbers key = Numbers.of(customers, "c_custkey");
    Texts segment = Texts.of(customers, "c_mktsegment");
    Set<Long> keys = new HashSet<>();
    for (int row = 0; row < customers.rows(); row++) {
      if ("BUILDING".equals(segment.at(row))) {
        keys.add(key.at(row));
      }
    }
    return keys;
  }
}
