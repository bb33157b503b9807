package dev.streamfence;

import dev.streamfence.memory.MemoryStatistics;
import java.util.List;

/**
 * Counts of what a runtime has done since it was opened. Immutable; a snapshot, which other threads
 * may make outdated.
 *
 * @param launches kernels launched
 * @param graphLaunches launches of graphs, each of which runs all of its nodes
 * @param recordedGraphs how often a graph was recorded, also again; {@code objects} has those that
 *     are open
 * @param updatedNodes nodes of graphs that got other arguments, since an input was bound or a
 *     number set
 * @param abandonedLaunches launches that were closed between preflight and commit although no
 *     exception was thrown; each was logged
 * @param driverCalls driver calls of any kind; loading a module takes more of them on a GPU than on
 *     the simulated device
 * @param waits waits of one stream for another that were queued
 * @param eventRecords events recorded, those for staging copies included
 * @param memory details about memory
 * @param streams details about each stream that exists, by rising number
 * @param objects the driver's objects that exist
 */
public record RuntimeStatistics(
    long launches,
    long graphLaunches,
    long recordedGraphs,
    long updatedNodes,
    long abandonedLaunches,
    long driverCalls,
    long waits,
    long eventRecords,
    MemoryStatistics memory,
    List<StreamStatistics> streams,
    DriverObjects objects) {
  /** The list is copied. */
  public RuntimeStatistics {
    streams = List.copyOf(streams);
  }
}
