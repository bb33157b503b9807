package dev.streamfence.examples.tpch;

/**
 * The columns of ORDERS that the queries read, on the host, both of the same length. The arrays do
 * not change once they are here.
 *
 * @param keys unique, positive, below 2^62
 * @param highPriority 1 if the priority is {@code 1-URGENT} or {@code 2-HIGH}, otherwise 0
 */
@SuppressWarnings("ArrayRecordComponent") // These are columns, and nothing compares whole tables.
record Orders(long[] keys, byte[] highPriority) {

  /** How many orders there are. */
  int rows() {
    return keys.length;
  }
}
