package dev.streamfence.examples.tpch;

/**
 * The two tables that the queries read, on the host.
 *
 * @param orders ORDERS
 * @param lineItems LINEITEM; each of its order keys occurs in {@code orders}
 */
record TpchData(Orders orders, LineItems lineItems) {}
