package dev.streamfence.examples.tpch;

/**
 * The two tables that the queries read, on the host.
 *
 * @param orders with the columns of {@link TpchSchema#ORDERS}
 * @param lineItems with the columns of {@link TpchSchema#LINE_ITEMS}
 */
record TpchData(HostTable orders, HostTable lineItems) {}
