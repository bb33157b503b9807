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
    Repeats repeats) {

  JobReport {
    phases = List.copyOf(phases);
  }

  /** The same with repeats that came later, and with their phase. */
  JobReport with(Repeats later, List<Phase> laterPhases) {
    return new JobReport(
        device, origin, orders, lineItems, onDevice, expected, statistics, laterPhases, later);
  }

  /** Whether the device's answers are right, those of the repeats included. */
  boolean agrees() {
    return onDevice.equals(expected)
        && repeats.times().stream().allMatch(times -> times.wrong() == 0);
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
