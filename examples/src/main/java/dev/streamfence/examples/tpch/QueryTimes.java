package dev.streamfence.examples.tpch;

/**
 * How long the repeats of one query took. Immutable.
 *
 * @param query the query's name
 * @param rows the rows that each run reads
 * @param bytes the bytes of the columns that each run reads whole
 * @param hostNanos the median time from the call to the answer
 * @param kernelNanos the median time from the start of the first kernel to the end of the last
 * @param wrong how many runs had another answer than the first run
 */
record QueryTimes(
    String query, long rows, long bytes, long hostNanos, long kernelNanos, int wrong) {

  /** Rows per second while kernels run; infinite if their time is too short to be measured. */
  double rowsPerSecond() {
    return rows * 1e9 / kernelNanos;
  }

  /** Bytes per second while kernels run; infinite if their time is too short to be measured. */
  double bytesPerSecond() {
    return bytes * 1e9 / kernelNanos;
  }
}
