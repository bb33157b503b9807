package dev.streamfence.examples.tpch;

/**
 * The answers of the two queries. Immutable.
 *
 * @param q6 forecasting revenue change
 * @param q12 shipping modes and order priority
 */
record Answers(Q6Answer q6, Q12Answer q12) {}
