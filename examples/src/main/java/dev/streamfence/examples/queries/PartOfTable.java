package dev.streamfence.examples.queries;

/**
 * The rows of a table that one thread generates. Immutable.
 *
 * @param number from 1 on
 * @param count how many parts there are
 * @param firstRow where its rows begin
 * @param endRow where those of the next part begin
 */
record PartOfTable(int number, int count, int firstRow, int endRow) {}
