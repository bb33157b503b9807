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

  private static Q6Answer revenue(LineItems items) {
    long revenue = 0;
    for (int row = 0; row < items.rows(); row++) {
      if (items.shipDates()[row] >= Q6Query.FROM_DATE
          && items.shipDates()[row] < Q6Query.TO_DATE
          && items.discounts()[row] >= Q6Query.LEAST_DISCOUNT
          && items.discounts()[row] <= Q6Query.MOST_DISCOUNT
          && items.quantities()[row] < Q6Query.QUANTITY_LIMIT) {
        revenue = Math.addExact(revenue, (long) items.prices()[row] * items.discounts()[row]);
      }
    }
    return new Q6Answer(revenue);
  }

  private static Q12Answer lateDeliveries(TpchData data) {
    Map<Long, List<ShipMode>> lateByOrder = lateByOrder(data.lineItems());
    long mailHigh = 0;
    long mailLow = 0;
    long shipHigh = 0;
    long shipLow = 0;
    for (int row = 0; row < data.orders().rows(); row++) {
      boolean high = data.orders().highPriority()[row] == 1;
      for (ShipMode mode : lateByOrder.getOrDefault(data.orders().keys()[row], List.of())) {
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
  private static Map<Long, List<ShipMode>> lateByOrder(LineItems items) {
    Map<Long, List<ShipMode>> lateByOrder = new HashMap<>();
    for (int row = 0; row < items.rows(); row++) {
      ShipMode mode = ShipMode.ofCode(items.shipModes()[row]);
      if ((mode == ShipMode.MAIL || mode == ShipMode.SHIP)
          && items.receiptDates()[row] >= Q12Query.FROM_DATE
          && items.receiptDates()[row] < Q12Query.TO_DATE
          && items.commitDates()[row] < items.receiptDates()[row]
          && items.shipDates()[row] < items.commitDates()[row]) {
        lateByOrder.computeIfAbsent(items.orderKeys()[row], key -> new ArrayList<>(1)).add(mode);
      }
    }
    return lateByOrder;
  }
}
