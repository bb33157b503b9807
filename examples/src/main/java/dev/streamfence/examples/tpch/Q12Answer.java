package dev.streamfence.examples.tpch;

/**
 * The answer of Q12: how many line items arrived late, by ship mode and order priority. Immutable.
 *
 * @param firstHigh sent by the first mode, order of priority 1-URGENT or 2-HIGH
 * @param firstLow sent by the first mode, any other priority
 * @param secondHigh sent by the second mode, order of priority 1-URGENT or 2-HIGH
 * @param secondLow sent by the second mode, any other priority
 */
record Q12Answer(long firstHigh, long firstLow, long secondHigh, long secondLow) {}
