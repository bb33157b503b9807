package dev.streamfence.examples.tpch;

import dev.streamfence.RuntimeStatistics;
import java.util.List;

/**
 * What one run of the job has found out. Immutable.
 *
 * @param device the GPU's name, or {@code simulated device}
 * @param scale TPC-H's scale factor
 * @param orders rows of ORDERS
 * @param lineItems rows of LINEITEM
 * @param onDevice what the device answered
 * @param expected what the oracle answers over the same rows
 * @param statistics what the runtime counted
 * @param phases how long what took, in order
 */
record JobReport(
    String device,
    double scale,
    int orders,
    int lineItems,
    Answers onDevice,
    Answers expected,
    RuntimeStatistics statistics,
    List<Phase> phases) {

  JobReport {
    phases = List.copyOf(phases);
  }

  /** Whether the device is right. */
  boolean agrees() {
    return onDevice.equals(expected);
  }

  /**
   * A part of the job. Immutable.
   *
   * @param name what was done
   * @param nanos how long it took
   */
  record Phase(String name, long nanos) {}
}
