package dev.streamfence.examples.tpch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The queries in plain Java, written from TPC-H's specification and not from the kernels: the join
 * hashes the few line items that pass the filter, not the orders. Immutable.
 */
final class JavaOracle implements Oracle {
  @Override
  public Answers answersOver(TpchData data) {
    return new Answers(revenue(data.lineItems()), lateDeliveries(data));
  }

  private static Q6Answer revenue(HostTable items) {
    int[] shipDates = items.days("l_shipdate");
    long[] discounts = items.longs("l_discount");
    long[] quantities = items.longs("l_quantity");
    long[] prices = items.longs("l_extendedprice");
    long revenue = 0;
    for (int row = 0; row < items.rows(); row++) {
      if (shipDates[row] >= Q6Query.FROM_DATE
          && shipDates[row] < Q6Query.TO_DATE
          && discounts[row] >= Q6Query.LEAST_DISCOUNT
          && discounts[row] <= Q6Query.MOST_DISCOUNT
          && quantities[row] < Q6Query.QUANTITY_LIMIT) {
        revenue = Math.addExact(revenue, Math.multiplyExact(prices[row], discounts[row]));
      }
    }
    return new Q6Answer(revenue);
  }

  private static Q12Answer lateDeliveries(TpchData data) {
    Map<Long, List<ShipMode>> lateByOrder = lateByOrder(data.lineItems());
    long[] keys = data.orders().longs("o_orderkey");
    byte[] priorities = data.orders().codes("o_orderpriority");
    long mailHigh = 0;
    long mailLow = 0;
    long shipHigh = 0;
    long shipLow = 0;
    for (int row = 0; row < data.orders().rows(); row++) {
      boolean high =
          priorities[row] == OrderPriority.URGENT.code()
              || priorities[row] == OrderPriority.HIGH.code();
      for (ShipMode mode : lateByOrder.getOrDefault(keys[row], List.of())) {
        if (mode == ShipMode.MAIL) {
          mailHigh += high ? 1 : 0;
          mailLow += high ? 0 : 1;
        } else {
          shipHigh += high ? 1 : 0;
          shipLow += high ? 0 : 1;
        }
      }
    }
    return new Q12Answer(mailHigh, mailLow, shipHigh, shipLow);
  }

  /** Finds line items sent in time by mail or ship, but received late and within the year. */
  private static Map<Long, List<ShipMode>> lateByOrder(HostTable items) {
    long[] orderKeys = items.longs("l_orderkey");
    byte[] shipModes = items.codes("l_shipmode");
    int[] shipDates = items.days("l_shipdate");
    int[] commitDates = items.days("l_commitdate");
    int[] receiptDates = items.days("l_receiptdate");
    Map<Long, List<ShipMode>> lateByOrder = new HashMap<>();
    for (int row = 0; row < items.rows(); row++) {
      ShipMode mode = ShipMode.ofCode(shipModes[row]);
      if ((mode == ShipMode.MAIL || mode == ShipMode.SHIP)
          && receiptDates[row] >= Q12Query.FROM_DATE
          && receiptDates[row] < Q12Query.TO_DATE
          && commitDates[row] < receiptDates[row]
          && shipDates[row] < commitDates[row]) {
        lateByOrder.computeIfAbsent(orderKeys[row], key -> new ArrayList<>(1)).add(mode);
      }
    }
    return lateByOrder;
  }
}
