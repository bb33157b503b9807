package dev.streamfence.examples.queries;

import dev.streamfence.examples.tpch.HostTable;
import dev.streamfence.examples.tpch.TpchSchema;
import io.trino.tpch.Customer;
import io.trino.tpch.LineItem;
import io.trino.tpch.Nation;
import io.trino.tpch.Order;
import io.trino.tpch.Part;
import io.trino.tpch.PartSupplier;
import io.trino.tpch.Region;
import io.trino.tpch.Supplier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes generated rows into the arrays of a table, from one row on. Confined to one thread; others
 * write other rows.
 */
final class RowWriter {
  private final HostTable table;
  private int row;

  RowWriter(HostTable table, int firstRow) {
    this.table = table;
    this.row = firstRow;
  }

  /** The row after the last written one. */
  int nextRow() {
    return row;
  }

  void regions(Iterable<Region> regions) {
    long[] keys = table.longs("r_regionkey");
    String[] names = table.texts("r_name");
    for (Region region : regions) {
      keys[row] = region.getRegionKey();
      names[row] = region.getName();
      row++;
    }
  }

  void nations(Iterable<Nation> nations) {
    long[] keys = table.longs("n_nationkey");
    String[] names = table.texts("n_name");
    long[] regionKeys = table.longs("n_regionkey");
    for (Nation nation : nations) {
      keys[row] = nation.getNationKey();
      names[row] = nation.getName();
      regionKeys[row] = nation.getRegionKey();
      row++;
    }
  }

  void suppliers(Iterable<Supplier> suppliers) {
    long[] keys = table.longs("s_suppkey");
    long[] nationKeys = table.longs("s_nationkey");
    for (Supplier supplier : suppliers) {
      keys[row] = supplier.getSupplierKey();
      nationKeys[row] = supplier.getNationKey();
      row++;
    }
  }

  void parts(Iterable<Part> parts) {
    long[] keys = table.longs("p_partkey");
    String[] names = table.texts("p_name");
    for (Part part : parts) {
      keys[row] = part.getPartKey();
      names[row] = part.getName();
      row++;
    }
  }

  void partSuppliers(Iterable<PartSupplier> partSuppliers) {
    long[] partKeys = table.longs("ps_partkey");
    long[] supplierKeys = table.longs("ps_suppkey");
    long[] costs = table.longs("ps_supplycost");
    for (PartSupplier supplier : partSuppliers) {
      partKeys[row] = supplier.getPartKey();
      supplierKeys[row] = supplier.getSupplierKey();
      costs[row] = supplier.getSupplyCostInCents();
      row++;
    }
  }

  void customers(Iterable<Customer> customers) {
    long[] keys = table.longs("c_custkey");
    String[] names = table.texts("c_name");
    long[] nationKeys = table.longs("c_nationkey");
    byte[] segments = table.codes("c_mktsegment");
    Map<String, Byte> segmentCodes = codesOf("c_mktsegment");
    for (Customer customer : customers) {
      keys[row] = customer.getCustomerKey();
      names[row] = customer.getName();
      nationKeys[row] = customer.getNationKey();
      segments[row] = code(segmentCodes, customer.getMarketSegment());
      row++;
    }
  }

  void orders(Iterable<Order> orders) {
    long[] keys = table.longs("o_orderkey");
    long[] customerKeys = table.longs("o_custkey");
    long[] totalPrices = table.longs("o_totalprice");
    int[] dates = table.days("o_orderdate");
    byte[] priorities = table.codes("o_orderpriority");
    int[] shipPriorities = table.ints("o_shippriority");
    Map<String, Byte> priorityCodes = codesOf("o_orderpriority");
    for (Order order : orders) {
      keys[row] = order.getOrderKey();
      customerKeys[row] = order.getCustomerKey();
      totalPrices[row] = order.getTotalPriceInCents();
      dates[row] = order.getOrderDate();
      priorities[row] = code(priorityCodes, order.getOrderPriority());
      shipPriorities[row] = order.getShipPriority();
      row++;
    }
  }

  void lineItems(Iterable<LineItem> items) {
    long[] orderKeys = table.longs("l_orderkey");
    long[] partKeys = table.longs("l_partkey");
    long[] supplierKeys = table.longs("l_suppkey");
    long[] quantities = table.longs("l_quantity");
    long[] prices = table.longs("l_extendedprice");
    long[] discounts = table.longs("l_discount");
    long[] taxes = table.longs("l_tax");
    byte[] returnFlags = table.codes("l_returnflag");
    byte[] lineStatuses = table.codes("l_linestatus");
    int[] shipDates = table.days("l_shipdate");
    int[] commitDates = table.days("l_commitdate");
    int[] receiptDates = table.days("l_receiptdate");
    byte[] shipModes = table.codes("l_shipmode");
    Map<String, Byte> flagCodes = codesOf("l_returnflag");
    Map<String, Byte> statusCodes = codesOf("l_linestatus");
    Map<String, Byte> modeCodes = codesOf("l_shipmode");
    for (LineItem item : items) {
      orderKeys[row] = item.getOrderKey();
      partKeys[row] = item.getPartKey();
      supplierKeys[row] = item.getSupplierKey();
      quantities[row] = 100 * item.getQuantity();
      prices[row] = item.getExtendedPriceInCents();
      discounts[row] = item.getDiscountPercent();
      taxes[row] = item.getTaxPercent();
      returnFlags[row] = code(flagCodes, item.getReturnFlag());
      lineStatuses[row] = code(statusCodes, item.getStatus());
      shipDates[row] = item.getShipDate();
      commitDates[row] = item.getCommitDate();
      receiptDates[row] = item.getReceiptDate();
      shipModes[row] = code(modeCodes, item.getShipMode());
      row++;
    }
  }

  /** The position of each text in the dictionary of a column. */
  private Map<String, Byte> codesOf(String column) {
    List<String> texts = TpchSchema.textsOf(table.schema().field(column));
    Map<String, Byte> codes = new HashMap<>();
    texts.forEach(text -> codes.put(text, (byte) codes.size()));
    return codes;
  }

  private static byte code(Map<String, Byte> codes, String text) {
    Byte code = codes.get(text);
    if (code == null) {
      throw new IllegalStateException("'" + text + "' is not in " + codes.keySet());
    }
    return code;
  }
}
