package dev.streamfence.examples.tpch;

import java.time.LocalDate;
import java.util.List;

/**
 * The constants of one run of both queries, which TPC-H calls substitution parameters. Immutable.
 *
 * @param year when the line items of Q6 were sent, and those of Q12 received
 * @param discount the middle of Q6's three discounts, in hundredths
 * @param quantityLimit upper limit of Q6's quantity in hundredths, exclusive
 * @param firstMode a ship mode of Q12
 * @param secondMode the other ship mode of Q12
 */
record Constants(
    int year, long discount, long quantityLimit, ShipMode firstMode, ShipMode secondMode) {

  /** Those for which TPC-H publishes the answers. */
  static final Constants PUBLISHED = new Constants(1994, 6, 24_00, ShipMode.MAIL, ShipMode.SHIP);

  /** The published ones and others, with which graphs run. The last select no row. */
  static final List<Constants> SETS =
      List.of(
          PUBLISHED,
          new Constants(1995, 3, 25_00, ShipMode.TRUCK, ShipMode.AIR),
          new Constants(1997, 9, 24_00, ShipMode.RAIL, ShipMode.FOB),
          new Constants(2000, 6, 24_00, ShipMode.MAIL, ShipMode.SHIP));

  /** First day, inclusive, in days since 1970-01-01. */
  int fromDate() {
    return (int) LocalDate.of(year, 1, 1).toEpochDay();
  }

  /** The day after the last day. */
  int toDate() {
    return (int) LocalDate.of(year + 1, 1, 1).toEpochDay();
  }

  /** Least discount in hundredths, inclusive. */
  long leastDiscount() {
    return discount - 1;
  }

  /** Greatest discount in hundredths, inclusive. */
  long mostDiscount() {
    return discount + 1;
  }
}
