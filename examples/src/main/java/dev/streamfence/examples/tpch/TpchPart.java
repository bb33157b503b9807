package dev.streamfence.examples.tpch;

import io.trino.tpch.LineItem;
import io.trino.tpch.Order;
import java.util.Arrays;

/** The rows that one thread has generated so far. Confined to that thread. */
final class TpchPart {
  /** TPC-H gives an order 1 to 7 line items, 4 on average, so columns rarely have to grow. */
  private static final double LINE_ITEMS_PER_ORDER = 4.1;

  int orders;
  final long[] keys;
  final byte[] highPriority;

  int lineItems;
  long[] orderKeys;
  byte[] quantities;
  int[] prices;
  byte[] discounts;
  int[] shipDates;
  int[] commitDates;
  int[] receiptDates;
  byte[] shipModes;

  TpchPart(int orders) {
    this.keys = new long[orders];
    this.highPriority = new byte[orders];
    int capacity = (int) (orders * LINE_ITEMS_PER_ORDER) + 16;
    this.orderKeys = new long[capacity];
    this.quantities = new byte[capacity];
    this.prices = new int[capacity];
    this.discounts = new byte[capacity];
    this.shipDates = new int[capacity];
    this.commitDates = new int[capacity];
    this.receiptDates = new int[capacity];
    this.shipModes = new byte[capacity];
  }

  /** Appends one order. */
  void add(Order order) {
    keys[orders] = order.getOrderKey();
    highPriority[orders] = (byte) (isHigh(order.getOrderPriority()) ? 1 : 0);
    orders++;
  }

  /** Appends one line item. */
  void add(LineItem item) {
    if (lineItems == orderKeys.length) {
      grow(lineItems + lineItems / 8 + 16);
    }
    orderKeys[lineItems] = item.getOrderKey();
    quantities[lineItems] = (byte) item.getQuantity();
    prices[lineItems] = Math.toIntExact(item.getExtendedPriceInCents());
    discounts[lineItems] = (byte) item.getDiscountPercent();
    shipDates[lineItems] = item.getShipDate();
    commitDates[lineItems] = item.getCommitDate();
    receiptDates[lineItems] = item.getReceiptDate();
    shipModes[lineItems] = ShipMode.of(item.getShipMode()).code();
    lineItems++;
  }

  private static boolean isHigh(String priority) {
    return priority.equals("1-URGENT") || priority.equals("2-HIGH");
  }

  private void grow(int capacity) {
    orderKeys = Arrays.copyOf(orderKeys, capacity);
    quantities = Arrays.copyOf(quantities, capacity);
    prices = Arrays.copyOf(prices, capacity);
    discounts = Arrays.copyOf(discounts, capacity);
    shipDates = Arrays.copyOf(shipDates, capacity);
    commitDates = Arrays.copyOf(commitDates, capacity);
    receiptDates = Arrays.copyOf(receiptDates, capacity);
    shipModes = Arrays.copyOf(shipModes, capacity);
  }
}
