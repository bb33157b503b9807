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
 * @param statistics the runtime's counters
 * @param phases the parts of the job and their durations, in order
 */
record JobReport(
    String device,
    String origin,
    int orders,
    int lineItems,
    Answers onDevice,
    Answers expected,
    RuntimeStatistics statistics,
    List<Phase> phases) {

  JobReport {
    phases = List.copyOf(phases);
  }

  /** Whether the device's answers are right. */
  boolean agrees() {
    return onDevice.equals(expected);
  }

  /**
   * A part of the job. Immutable.
   *
   * @param name the part's name
   * @param nanos how long it took
   */
  record Phase(String name, long nanos) {}
}
