package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.simulator.SimulatedStream.Point;
import dev.streamfence.internal.simulator.SimulatedStream.QueuedOperation;
import java.util.ArrayList;
import java.util.List;

/**
 * A loop or a condition of a graph. What it repeats or leaves out is queued only when the number is
 * known, as parts of one operation: to all other work they have its place in the order, and nothing
 * but the edges orders them among each other. Confined to the driver's lock.
 */
final class SimulatedCondition implements SimulatedGraph.QueuedNode {
  /** A loop that runs so many passes is taken for one that never ends. */
  static final int MOST_PASSES = 100_000;

  private final SimulatedStreams streams;
  private final Transfers transfers;

  /** Reads the number. */
  private final SimulatedStream lane;

  private final boolean isLoop;
  private final String purpose;
  private final Use number;
  private final SimulatedGraph nodes;

  SimulatedCondition(
      SimulatedStreams streams,
      Transfers transfers,
      SimulatedStream lane,
      boolean isLoop,
      String purpose,
      Use number,
      SimulatedGraph nodes) {
    this.streams = streams;
    this.transfers = transfers;
    this.lane = lane;
    this.isLoop = isLoop;
    this.purpose = purpose;
    this.number = number;
    this.nodes = nodes;
  }

  @Override
  public void put(SimulatedStream outer, long ticket) {
    now().put(outer, ticket);
  }

  @Override
  public boolean isLike(SimulatedGraph.QueuedNode other) {
    return other instanceof SimulatedCondition condition
        && isLoop == condition.isLoop
        && nodes.size() == condition.nodes.size();
  }

  @Override
  public SimulatedGraph.QueuedNode now() {
    List<SimulatedGraph.QueuedNode> current = nodes.now();
    return (outer, ticket) -> put(current, outer, ticket);
  }

  private void put(List<SimulatedGraph.QueuedNode> current, SimulatedStream outer, long ticket) {
    int stream = outer.number();
    streams.submitParts(
        outer,
        lane,
        (whole, end) -> {
          lane.setNumber(stream);
          lane.clock().enter(whole);
          nodes.enter(whole);
          decide(current, 0, ticket, end);
        });
  }

  /** Reads the number, and lets a pass or the end follow. */
  private void decide(List<SimulatedGraph.QueuedNode> current, int passes, long ticket, Point end) {
    boolean isRun = transfers.number(lane, purpose, ticket, number) != 0 && (isLoop || passes == 0);
    if (passes == MOST_PASSES && isRun) {
      transfers.tooManyPasses(purpose, passes);
      return;
    }
    List<QueuedOperation> next = new ArrayList<>();
    if (isRun) {
      for (Point last : nodes.launch(current, streams.here(lane), lane.number(), ticket)) {
        next.add(streams.waitNext(lane, last));
      }
      next.add(SimulatedStream.instant(() -> decide(current, passes + 1, ticket, end)));
    } else {
      next.add(SimulatedStream.reach(end));
    }
    lane.goOnWith(next);
  }

  /** Destroys it; what is queued still runs. */
  void destroy() {
    streams.remove(lane);
    nodes.destroy();
  }
}
