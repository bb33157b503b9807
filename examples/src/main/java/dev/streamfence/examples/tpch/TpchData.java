package dev.streamfence.examples.tpch;

/**
 * The two tables that the queries read, on the host.
 *
 * @param orders ORDERS
 * @param lineItems LINEITEM, each of whose order keys is one of {@code orders}
 */
record TpchData(Orders orders, LineItems lineItems) {}
