package dev.streamfence.examples.tpch;

import dev.streamfence.RuntimeStatistics;
import java.util.List;

/**
 * The results of one run of the job. Immutable.
 *
 * @param device the GPU's name, or {@code simulated device}
 * @param origin where the rows come from, such as {@code at scale 0.01}
 * @param orders rows of ORDERS
 * @param lineItems rows of LINEITEM
 * @param onDevice the device's answers
 * @param expected the oracle's answers over the same rows
 * @param statistics the runtime's counters after the first run of each query
 * @param phases the parts of the job and their durations, in order
 * @param repeats the repeats of the queries
 * @param graphs the queries as graphs; empty if there were none
 */
record JobReport(
    String device,
    String origin,
    int orders,
    int lineItems,
    Answers onDevice,
    Answers expected,
    RuntimeStatistics statistics,
    List<Phase> phases,
    Repeats repeats,
    List<GraphTimes> graphs) {

  JobReport {
    phases = List.copyOf(phases);
    graphs = List.copyOf(graphs);
  }

  /** The same with repeats and graphs that came later, and with their phases. */
  JobReport with(Repeats later, List<GraphTimes> laterGraphs, List<Phase> laterPhases) {
    return new JobReport(
        device,
        origin,
        orders,
        lineItems,
        onDevice,
        expected,
        statistics,
        laterPhases,
        later,
        laterGraphs);
  }

  /** Whether the device's answers are right, those of repeats and graphs included. */
  boolean agrees() {
    return onDevice.equals(expected)
        && repeats.times().stream().allMatch(times -> times.wrong() == 0)
        && graphs.stream().allMatch(times -> times.wrong() == 0);
  }

  /**
   * A part of the job. Immutable.
   *
   * @param name the part's name
   * @param nanos how long it took
   */
  record Phase(String name, long nanos) {}

  /**
   * The repeats of the queries on a warm device. Immutable.
   *
   * @param count how often each query was repeated; 0 if it was not
   * @param isSimulated whether the device is the simulated one
   * @param peak how fast the device's memory can be
   * @param times the times of each query; empty if none was repeated
   */
  record Repeats(int count, boolean isSimulated, MemoryPeak peak, List<QueryTimes> times) {
    /** The list is copied. */
    Repeats {
      times = List.copyOf(times);
    }
  }
}
