package dev.streamfence.examples.tpch;

/** Says what the queries must answer. */
@FunctionalInterface
interface Oracle {
  /** The right answers over these rows. */
  Answers answersOver(TpchData data);
}
