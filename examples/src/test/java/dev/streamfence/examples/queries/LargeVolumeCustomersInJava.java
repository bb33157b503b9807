package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Q18 in plain Java. */
final class LargeVolumeCustomersInJava {
  private static final long LARGE = 300_00;

  private LargeVolumeCustomersInJava() {}

  /** Its rows in any order, without the limit. */
  static List<List<@Nullable Object>> rows(HostTables tables) {
    HostTable customers = tables.table(TpchTable.CUSTOMER);
    HostTable orders = tables.table(TpchTable.ORDERS);
    Map<Long, Sum> quantities = quantitiesByOrder(tables.table(TpchTable.LINEITEM));
    Map<Long, Integer> customerRows = Lookups.rowsByKey(customers, "c_custkey");
    Texts name = Texts.of(customers, "c_name");
    Numbers key = Numbers.of(orders, "o_orderkey");
    Numbers customerKey = Numbers.of(orders, "o_custkey");
    Numbers orderDate = Numbers.of(orders, "o_orderdate");
    Numbers totalPrice = Numbers.of(orders, "o_totalprice");
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (int row = 0; row < orders.rows(); row++) {
      Sum found = quantities.get(key.at(row));
      Long quantity = found == null ? null : found.sum();
      Integer customer = customerKey.has(row) ? customerRows.get(customerKey.at(row)) : null;
      if (quantity != null && quantity > LARGE && customer != null) {
        rows.add(
            Arrays.asList(
                name.at(customer),
                customerKey.at(row),
                key.at(row),
                PlainJava.dateAt(orderDate, row),
                PlainJava.numberAt(totalPrice, row),
                quantity));
      }
    }
    return rows;
  }

  private static Map<Long, Sum> quantitiesByOrder(HostTable items) {
    Numbers orderKey = Numbers.of(items, "l_orderkey");
    Numbers quantity = Numbers.of(items, "l_quantity");
    Map<Long, Sum> quantities = new HashMap<>();
    for (int row = 0; row < items.rows(); row++) {
      if (orderKey.has(row)) {
        quantities.computeIfAbsent(orderKey.at(row), key -> new Sum()).addOf(quantity, row);
      }
    }
    return quantities;
  }
}
