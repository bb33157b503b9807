package dev.streamfence.examples.tpch;

import dev.streamfence.graph.GraphStatistics;

/**
 * How long a query took as a graph and launch by launch. Immutable.
 *
 * @param query the query's name
 * @param graph the counts of its graph
 * @param direct the passes over all constants launch by launch
 * @param single the passes with one launch of the graph after the other
 * @param queued the passes in which all launches of the graph were queued at once
 */
record GraphTimes(
    String query,
    GraphStatistics graph,
    QueryRepeats.Result direct,
    QueryRepeats.Result single,
    QueryRepeats.Result queued) {

  /** How many passes had another answer than the oracle. */
  int wrong() {
    return direct.wrong() + single.wrong() + queued.wrong();
  }
}
