package dev.streamfence.examples.tpch;

import io.trino.tpch.LineItem;
import io.trino.tpch.Order;
import java.util.Arrays;

/** The rows that one thread has generated so far. Confined to that thread. */
final class TpchPart {
  /** TPC-H gives an order 1 to 7 line items, 4 on average, so columns rarely have to grow. */
  private static final double LINE_ITEMS_PER_ORDER = 4.1;

  private int orders;
  private final long[] keys;
  private final byte[] priorities;

  private int lineItems;
  private long[] orderKeys;
  private long[] quantities;
  private long[] prices;
  private long[] discounts;
  private int[] shipDates;
  private int[] commitDates;
  private int[] receiptDates;
  private byte[] shipModes;

  TpchPart(int orders) {
    this.keys = new long[orders];
    this.priorities = new byte[orders];
    int capacity = (int) (orders * LINE_ITEMS_PER_ORDER) + 16;
    this.orderKeys = new long[capacity];
    this.quantities = new long[capacity];
    this.prices = new long[capacity];
    this.discounts = new long[capacity];
    this.shipDates = new int[capacity];
    this.commitDates = new int[capacity];
    this.receiptDates = new int[capacity];
    this.shipModes = new byte[capacity];
  }

  /** Appends one order. */
  void add(Order order) {
    keys[orders] = order.getOrderKey();
    priorities[orders] = OrderPriority.of(order.getOrderPriority()).code();
    orders++;
  }

  /** Appends one line item. */
  void add(LineItem item) {
    if (lineItems == orderKeys.length) {
      resize(lineItems + lineItems / 8 + 16);
    }
    orderKeys[lineItems] = item.getOrderKey();
    quantities[lineItems] = 100 * item.getQuantity();
    prices[lineItems] = item.getExtendedPriceInCents();
    discounts[lineItems] = item.getDiscountPercent();
    shipDates[lineItems] = item.getShipDate();
    commitDates[lineItems] = item.getCommitDate();
    receiptDates[lineItems] = item.getReceiptDate();
    shipModes[lineItems] = ShipMode.of(item.getShipMode()).code();
    lineItems++;
  }

  /** The orders, as many as this part was made for. */
  HostTable orders() {
    return new HostTable(TpchSchema.ORDERS, keys, priorities);
  }

  /** The line items. No row is added afterwards. */
  HostTable lineItems() {
    resize(lineItems);
    return new HostTable(
        TpchSchema.LINE_ITEMS,
        orderKeys,
        quantities,
        prices,
        discounts,
        shipDates,
        commitDates,
        receiptDates,
        shipModes);
  }

  private void resize(int capacity) {
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
