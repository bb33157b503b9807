package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.PlainJava.discounted;

import dev.streamfence.examples.tpch.HostTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Q5 in plain Java. */
final class LocalSupplierVolumeInJava {
  private static final long FROM = PlainJava.day(1994, 1, 1);
  private static final long TO = PlainJava.day(1995, 1, 1);

  private LocalSupplierVolumeInJava() {}

  /** Its rows in any order. */
  static List<List<@Nullable Object>> rows(HostTables tables) {
    Map<Long, Integer> nations = nationsOfAsia(tables);
    Texts name = Texts.of(tables.table(TpchTable.NATION), "n_name");
    Map<Long, Long> supplierNations =
        Lookups.numbersByKey(tables.table(TpchTable.SUPPLIER), "s_suppkey", "s_nationkey");
    Map<Long, Long> orderNations = nationsOfOrders(tables);
    HostTable items = tables.table(TpchTable.LINEITEM);
    Numbers orderKey = Numbers.of(items, "l_orderkey");
    Numbers supplierKey = Numbers.of(items, "l_suppkey");
    Numbers price = Numbers.of(items, "l_extendedprice");
    Numbers discount = Numbers.of(items, "l_discount");
    Map<@Nullable String, Sum> revenues = new HashMap<>();
    for (int row = 0; row < items.rows(); row++) {
      if (Numbers.inAll(row, orderKey, supplierKey)) {
        Long nation = supplierNations.get(supplierKey.at(row));
        Integer nationRow = nation == null ? null : nations.get(nation);
        if (nationRow != null && nation.equals(orderNations.get(orderKey.at(row)))) {
          Sum revenue = revenues.computeIfAbsent(name.at(nationRow), key -> new Sum());
          if (Numbers.inAll(row, price, discount)) {
            revenue.add(discounted(price.at(row), discount.at(row)));
          }
        }
      }
    }
    List<List<@Nullable Object>> rows = new ArrayList<>();
    revenues.forEach((nation, revenue) -> rows.add(Arrays.asList(nation, revenue.sum())));
    return rows;
  }

  /** The rows of the nations in the region. */
  private static Map<Long, Integer> nationsOfAsia(HostTables tables) {
    HostTable regions = tables.table(TpchTable.REGION);
    HostTable nations = tables.table(TpchTable.NATION);
    Map<Long, Integer> regionRows = Lookups.rowsByKey(regions, "r_regionkey");
    Texts regionName = Texts.of(regions, "r_name");
    Numbers regionKey = Numbers.of(nations, "n_regionkey");
    Map<Long, Integer> rows = Lookups.rowsByKey(nations, "n_nationkey");
    rows.values()
        .removeIf(
            row -> {
              Integer region = regionKey.has(row) ? regionRows.get(regionKey.at(row)) : null;
              return region == null || !"ASIA".equals(regionName.at(region));
            });
    return rows;
  }

  /** The nation of the customer of each order of the year. */
  private static Map<Long, Long> nationsOfOrders(HostTables tables) {
    Map<Long, Long> customerNations =
        Lookups.numbersByKey(tables.table(TpchTable.CUSTOMER), "c_custkey", "c_nationkey");
    HostTable orders = tables.table(TpchTable.ORDERS);
    Numbers key = Numbers.of(orders, "o_orderkey");
    Numbers customer = Numbers.of(orders, "o_custkey");
    Numbers orderDate = Numbers.of(orders, "o_orderdate");
    Map<Long, Long> nations = new HashMap<>();
    for (int row = 0; row < orders.rows(); row++) {
      if (Numbers.inAll(row, customer, orderDate)
          && orderDate.at(row) >= FROM
          && orderDate.at(row) < TO) {
        Long nation = customerNations.get(customer.at(row));
        if (nation != null) {
          nations.put(key.at(row), nation);
        }
      }
    }
    return nations;
  }
}
