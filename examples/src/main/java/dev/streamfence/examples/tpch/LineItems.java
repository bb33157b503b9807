package dev.streamfence.examples.tpch;

/**
 * The columns of LINEITEM that the queries read, on the host, all of the same length. The arrays do
 * not change once they are here.
 *
 * @param orderKeys the order of each row
 * @param quantities whole numbers from 1 to 50
 * @param prices extended prices in cents
 * @param discounts in hundredths
 * @param shipDates days since 1970-01-01
 * @param commitDates days since 1970-01-01
 * @param receiptDates days since 1970-01-01
 * @param shipModes {@linkplain ShipMode#code() codes}
 */
@SuppressWarnings("ArrayRecordComponent") // These are columns, and nothing compares whole tables.
record LineItems(
    long[] orderKeys,
    byte[] quantities,
    int[] prices,
    byte[] discounts,
    int[] shipDates,
    int[] commitDates,
    int[] receiptDates,
    byte[] shipModes) {

  /** How many line items there are. */
  int rows() {
    return orderKeys.length;
  }
}
