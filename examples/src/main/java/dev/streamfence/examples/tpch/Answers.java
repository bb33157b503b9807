package dev.streamfence.examples.tpch;

/**
 * What the two queries answer. Immutable.
 *
 * @param q6 forecasting revenue change
 * @param q12 shipping modes and order priority
 */
record Answers(Q6Answer q6, Q12Answer q12) {}
