package dev.streamfence.examples.tpch;

/**
 * The answer of Q12: how many line items arrived late, by ship mode and order priority. Immutable.
 *
 * @param mailHigh sent by mail, order of priority 1-URGENT or 2-HIGH
 * @param mailLow sent by mail, any other priority
 * @param shipHigh sent by ship, order of priority 1-URGENT or 2-HIGH
 * @param shipLow sent by ship, any other priority
 */
record Q12Answer(long mailHigh, long mailLow, long shipHigh, long shipLow) {}
