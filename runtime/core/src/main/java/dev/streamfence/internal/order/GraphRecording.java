package dev.streamfence.internal.order;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.driver.Sink;

/**
 * The graph that takes the work of a thread instead of streams, as submissions see it. Confined to
 * that thread.
 */
public interface GraphRecording extends Sink {
  /** A copy between host and device that the runs of a graph make. Thread-safe. */
  interface HostTransfer {
    /**
     * Refuses a run while such copies are refused.
     *
     * @param graph the graph, for errors
     * @throws IllegalStateException if it is a download, and downloads are refused
     */
    void requireAllowed(Object graph);

    /** Counts it for a run. */
    void count();
  }

  /**
   * Begins a piece of work: finds the nodes that it comes after.
   *
   * @throws dev.streamfence.UseAfterFreeException if memory is closed; nothing is recorded then
   * @throws StreamMisuseException if memory is split, or read-only and written
   */
  void begin(Submission submission, Uses uses);

  /**
   * Ends a piece of work: later ones come after the nodes that it has made, all of them or, if it
   * has failed, some. Without a node, it uses nothing.
   */
  void end(Uses uses);

  /** Adds a copy that was recorded, which runs count instead of the recording. */
  void addTransfer(HostTransfer transfer);

  /** The exception for an operation that cannot be a node. */
  StreamMisuseException refusal(AttemptedUse use);
}
