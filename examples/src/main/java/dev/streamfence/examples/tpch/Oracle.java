package dev.streamfence.examples.tpch;

/** Computes the expected answers of the queries. */
@FunctionalInterface
interface Oracle {
  /** The right answers over these rows. */
  Answers answersOver(TpchData data, Constants constants);
}
