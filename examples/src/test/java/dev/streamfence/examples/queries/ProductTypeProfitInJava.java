package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.PlainJava.discounted;

import dev.streamfence.examples.tpch.HostTable;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Q9 in plain Java. */
final class ProductTypeProfitInJava {
  private ProductTypeProfitInJava() {}

  /** A key of PARTSUPP. At scales below 0.01, several of its rows have the same one. */
  private record PartOfSupplier(long part, long supplier) {}

  /** Its rows in any order. */
  static List<List<@Nullable Object>> rows(HostTables tables) {
    HostTable items = tables.table(TpchTable.LINEITEM);
    HostTable sold = tables.table(TpchTable.PARTSUPP);
    HostTable nations = tables.table(TpchTable.NATION);
    HostTable orders = tables.table(TpchTable.ORDERS);
    Map<PartOfSupplier, List<Integer>> soldRows = greenParts(tables);
    Map<Long, Long> supplierNations =
        Lookups.numbersByKey(tables.table(TpchTable.SUPPLIER), "s_suppkey", "s_nationkey");
    Map<Long, Integer> nationRows = Lookups.rowsByKey(nations, "n_nationkey");
    Map<Long, Integer> orderRows = Lookups.rowsByKey(orders, "o_orderkey");
    Texts nationName = Texts.of(nations, "n_name");
    Numbers orderDate = Numbers.of(orders, "o_orderdate");
    Numbers cost = Numbers.of(sold, "ps_supplycost");
    Numbers partKey = Numbers.of(items, "l_partkey");
    Numbers supplierKey = Numbers.of(items, "l_suppkey");
    Numbers orderKey = Numbers.of(items, "l_orderkey");
    Numbers quantity = Numbers.of(items, "l_quantity");
    Numbers price = Numbers.of(items, "l_extendedprice");
    Numbers discount = Numbers.of(items, "l_discount");
    Map<List<@Nullable Object>, Sum> profits = new HashMap<>();
    for (int row = 0; row < items.rows(); row++) {
      if (!Numbers.inAll(row, partKey, supplierKey, orderKey)) {
        continue;
      }
      Integer order = orderRows.get(orderKey.at(row));
      Long nation = supplierNations.get(supplierKey.at(row));
      Integer nationRow = nation == null ? null : nationRows.get(nation);
      if (order == null || nationRow == null) {
        continue;
      }
      PartOfSupplier key = new PartOfSupplier(partKey.at(row), supplierKey.at(row));
      for (int soldRow : soldRows.getOrDefault(key, List.of())) {
        Sum profit =
            profits.computeIfAbsent(
                Arrays.asList(nationName.at(nationRow), yearAt(orderDate, order)),
                group -> new Sum());
        if (Numbers.inAll(row, price, discount, quantity) && cost.has(soldRow)) {
          profit.add(
              discounted(price.at(row), discount.at(row)) - cost.at(soldRow) * quantity.at(row));
        }
      }
    }
    List<List<@Nullable Object>> rows = new ArrayList<>();
    profits.forEach(
        (group, profit) -> rows.add(Arrays.asList(group.get(0), group.get(1), profit.sum())));
    return rows;
  }

  private static @Nullable Long yearAt(Numbers days, int row) {
    LocalDate date = PlainJava.dateAt(days, row);
    return date == null ? null : Long.valueOf(date.getYear());
  }

  /** The rows of PARTSUPP for green parts. */
  private static Map<PartOfSupplier, List<Integer>> greenParts(HostTables tables) {
    HostTable parts = tables.table(TpchTable.PART);
    Texts name = Texts.of(parts, "p_name");
    Numbers key = Numbers.of(parts, "p_partkey");
    Set<Long> green = new HashSet<>();
    for (int row = 0; row < parts.rows(); row++) {
      String text = name.at(row);
      if (text != null && text.contains("green")) {
        green.add(key.at(row));
      }
    }
    HostTable sold = tables.table(TpchTable.PARTSUPP);
    Numbers partKey = Numbers.of(sold, "ps_partkey");
    Numbers supplierKey = Numbers.of(sold, "ps_suppkey");
    Map<PartOfSupplier, List<Integer>> rows = new HashMap<>();
    for (int row = 0; row < sold.rows(); row++) {
      if (green.contains(partKey.at(row))) {
        rows.computeIfAbsent(
                new PartOfSupplier(partKey.at(row), supplierKey.at(row)), pair -> new ArrayList<>())
            .add(row);
      }
    }
    return rows;
  }
}
