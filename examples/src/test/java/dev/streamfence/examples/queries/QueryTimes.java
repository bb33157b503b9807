package dev.streamfence.examples.queries;

/**
 * A query on the device beside DuckDB. Immutable.
 *
 * @param query its name
 * @param rows how many rows DuckDB returns
 * @param deviceNanos from the call to the answer, with the tables on the device
 * @param kernelNanos from the start of the first kernel to the end of the last
 * @param duckDbNanos from the call to the answer
 * @param difference where the answers differ, in words; empty if they agree
 */
record QueryTimes(
    String query,
    int rows,
    long deviceNanos,
    long kernelNanos,
    long duckDbNanos,
    String difference) {}
