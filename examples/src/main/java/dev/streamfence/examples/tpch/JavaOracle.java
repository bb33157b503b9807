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
  public Answers answersOver(TpchData data, Constants constants) {
    return new Answers(revenue(data.lineItems(), constants), lateDeliveries(data, constants));
  }

  private static Q6Answer revenue(HostTable items, Constants constants) {
    int[] shipDates = items.days("l_shipdate");
    long[] discounts = items.longs("l_discount");
    long[] quantities = items.longs("l_quantity");
    long[] prices = items.longs("l_extendedprice");
    int fromDate = constants.fromDate();
    int toDate = constants.toDate();
    long revenue = 0;
    for (int row = 0; row < items.rows(); row++) {
      if (shipDates[row] >= fromDate
          && shipDates[row] < toDate
          && discounts[row] >= constants.leastDiscount()
          && discounts[row] <= constants.mostDiscount()
          && quantities[row] < constants.quantityLimit()) {
        revenue = Math.addExact(revenue, Math.multiplyExact(prices[row], discounts[row]));
      }
    }
    return new Q6Answer(revenue);
  }

  private static Q12Answer lateDeliveries(TpchData data, Constants constants) {
    Map<Long, List<ShipMode>> lateByOrder = lateByOrder(data.lineItems(), constants);
    long[] keys = data.orders().longs("o_orderkey");
    byte[] priorities = data.orders().codes("o_orderpriority");
    long firstHigh = 0;
    long firstLow = 0;
    long secondHigh = 0;
    long secondLow = 0;
    for (int row = 0; row < data.orders().rows(); row++) {
      boolean high =
          priorities[row] == OrderPriority.URGENT.code()
              || priorities[row] == OrderPriority.HIGH.code();
      for (ShipMode mode : lateByOrder.getOrDefault(keys[row], List.of())) {
        if (mode == constants.firstMode()) {
          firstHigh += high ? 1 : 0;
          firstLow += high ? 0 : 1;
        } else {
          secondHigh += high ? 1 : 0;
          secondLow += high ? 0 : 1;
        }
      }
    }
    return new Q12Answer(firstHigh, firstLow, secondHigh, secondLow);
  }

  /** Finds line items sent in time by either mode, but received late and within the year. */
  private static Map<Long, List<ShipMode>> lateByOrder(HostTable items, Constants constants) {
    long[] orderKeys = items.longs("l_orderkey");
    byte[] shipModes = items.codes("l_shipmode");
    int[] shipDates = items.days("l_shipdate");
    int[] commitDates = items.days("l_commitdate");
    int[] receiptDates = items.days("l_receiptdate");
    int fromDate = constants.fromDate();
    int toDate = constants.toDate();
    Map<Long, List<ShipMode>> lateByOrder = new HashMap<>();
    for (int row = 0; row < items.rows(); row++) {
      ShipMode mode = ShipMode.ofCode(shipModes[row]);
      if ((mode == constants.firstMode() || mode == constants.secondMode())
          && receiptDates[row] >= fromDate
          && receiptDates[row] < toDate
          && commitDates[row] < receiptDates[row]
          && shipDates[row] < commitDates[row]) {
        lateByOrder.computeIfAbsent(orderKeys[row], key -> new ArrayList<>(1)).add(mode);
      }
    }
    return lateByOrder;
  }
}
