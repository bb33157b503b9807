package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.TpchTable.CUSTOMER;
import static dev.streamfence.examples.queries.TpchTable.LINEITEM;
import static dev.streamfence.examples.queries.TpchTable.ORDERS;
import static dev.streamfence.examples.queries.TpchTable.PART;
import static dev.streamfence.examples.queries.TpchTable.PARTSUPP;
import static dev.streamfence.examples.queries.TpchTable.SUPPLIER;

import dev.streamfence.examples.tpch.HostTable;
import dev.streamfence.examples.tpch.HostThreads;
import dev.streamfence.examples.tpch.TpchSchema;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Keys that a share of the rows refers to: one order, one part with one of its suppliers, and one
 * customer. All queries select rows with these keys: the order is of 1994 and of that customer, who
 * is of segment BUILDING and of the supplier's nation in Asia; the part is green.
 *
 * @param order the order's key
 * @param part the part's key
 * @param supplier the supplier's key
 * @param customer the customer's key
 */
record Skew(long order, long part, long supplier, long customer) {
  /** The keys of India, Indonesia, Japan, China and Vietnam. */
  private static final Set<Long> ASIAN_NATIONS = Set.of(8L, 9L, 12L, 18L, 21L);

  /** Makes a share of the line items and orders refer to these keys. */
  static void apply(HostTables tables, DataOptions options, HostThreads threads) {
    Skew keys = chosenFrom(tables);
    HostTable orders = tables.table(ORDERS);
    HostTable items = tables.table(LINEITEM);
    long[] orderKeys = orders.longs("o_orderkey");
    long[] customers = orders.longs("o_custkey");
    long[] itemOrders = items.longs("l_orderkey");
    long[] itemParts = items.longs("l_partkey");
    long[] itemSuppliers = items.longs("l_suppkey");
    double share = options.skewShare();
    RowRanges.forAll(
        threads,
        orders.rows(),
        (first, end) -> {
          for (int row = first; row < end; row++) {
            if (orderKeys[row] == keys.order || options.chooses(share, "skew of orders", row)) {
              customers[row] = keys.customer;
            }
          }
        });
    RowRanges.forAll(
        threads,
        items.rows(),
        (first, end) -> {
          for (int row = first; row < end; row++) {
            if (options.chooses(share, "skew of line items to orders", row)) {
              itemOrders[row] = keys.order;
            }
            if (options.chooses(share, "skew of line items to parts", row)) {
              itemParts[row] = keys.part;
              itemSuppliers[row] = keys.supplier;
            }
          }
        });
  }

  private static Skew chosenFrom(HostTables tables) {
    HostTable sold = tables.table(PARTSUPP);
    long[] parts = sold.longs("ps_partkey");
    long[] suppliers = sold.longs("ps_suppkey");
    Set<Long> green = greenParts(tables.table(PART));
    Map<Long, Long> nations = asianNations(tables.table(SUPPLIER));
    Map<Long, Long> customers = buildingCustomers(tables.table(CUSTOMER));
    for (int row = 0; row < sold.rows(); row++) {
      Long nation = nations.get(suppliers[row]);
      Long customer = nation == null ? null : customers.get(nation);
      if (customer != null && green.contains(parts[row])) {
        return new Skew(orderOf1994(tables.table(ORDERS)), parts[row], suppliers[row], customer);
      }
    }
    throw new IllegalArgumentException("no green part is sold in Asia: the scale is too small");
  }

  private static Set<Long> greenParts(HostTable parts) {
    long[] keys = parts.longs("p_partkey");
    String[] names = parts.texts("p_name");
    Set<Long> green = new HashSet<>();
    for (int row = 0; row < parts.rows(); row++) {
      if (names[row].contains("green")) {
        green.add(keys[row]);
      }
    }
    return green;
  }

  /** The nation of each supplier in Asia. */
  private static Map<Long, Long> asianNations(HostTable suppliers) {
    long[] keys = suppliers.longs("s_suppkey");
    long[] nations = suppliers.longs("s_nationkey");
    Map<Long, Long> asian = new HashMap<>();
    for (int row = 0; row < suppliers.rows(); row++) {
      if (ASIAN_NATIONS.contains(nations[row])) {
        asian.put(keys[row], nations[row]);
      }
    }
    return asian;
  }

  /** The first customer of segment BUILDING in each nation. */
  private static Map<Long, Long> buildingCustomers(HostTable customers) {
    long[] keys = customers.longs("c_custkey");
    long[] nations = customers.longs("c_nationkey");
    byte[] segments = customers.codes("c_mktsegment");
    int building = TpchSchema.textsOf(customers.schema().field("c_mktsegment")).indexOf("BUILDING");
    Map<Long, Long> first = new HashMap<>();
    for (int row = 0; row < customers.rows(); row++) {
      if (segments[row] == building) {
        first.putIfAbsent(nations[row], keys[row]);
      }
    }
    return first;
  }

  private static long orderOf1994(HostTable orders) {
    int[] dates = orders.days("o_orderdate");
    for (int row = 0; row < orders.rows(); row++) {
      if (LocalDate.ofEpochDay(dates[row]).getYear() == 1994) {
        return orders.longs("o_orderkey")[row];
      }
    }
    throw new IllegalArgumentException("no order is of 1994: the scale is too small");
  }
}
