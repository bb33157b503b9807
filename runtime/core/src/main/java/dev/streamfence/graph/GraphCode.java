package dev.streamfence.graph;

/**
 * Code that a graph is recorded from, see {@link dev.streamfence.DeviceRuntime#graph}. It runs
 * once, in the thread that records.
 *
 * @param <X> what it throws
 */
@FunctionalInterface
public interface GraphCode<X extends Exception> {
  /**
   * Makes the launches, fills and copies of the graph or of its part, by the same calls as outside
   * of one. None of them runs; each becomes nodes.
   *
   * @param body the graph so far; valid until this returns
   */
  void record(GraphBody body) throws X;
}
