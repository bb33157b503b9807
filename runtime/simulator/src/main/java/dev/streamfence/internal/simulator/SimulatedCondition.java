package dev.streamfence.internal.simulator;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import dev.streamfence.internal.simulator.schedule.SimulatedStream.Point;
import dev.streamfence.internal.simulator.schedule.SimulatedStream.QueuedOperation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A loop or a condition of a graph. Its nodes are queued once its number is known. To all other
 * work they are one operation; among each other, only the edges order them. Confined to the
 * driver's lock.
 */
final class SimulatedCondition implements SimulatedGraph.QueuedNode {
  /** A loop that runs so many passes is taken for one that never ends. */
  static final int MOST_PASSES = 100_000;

  private final SimulatedStreams streams;
  private final Transfers transfers;

  /** Reads the number; null as long as the graph is not executable. */
  private @Nullable SimulatedStream lane;

  private final boolean isLoop;
  private final String purpose;
  private final Use number;
  private final SimulatedGraph nodes;

  SimulatedCondition(
      SimulatedStreams streams,
      Transfers transfers,
      boolean isLoop,
      String purpose,
      Use number,
      SimulatedGraph nodes) {
    this.streams = streams;
    this.transfers = transfers;
    this.isLoop = isLoop;
    this.purpose = purpose;
    this.number = number;
    this.nodes = nodes;
  }

  /** Makes it executable. */
  void instantiate() {
    lane = streams.addInnerLane();
    nodes.instantiate();
  }

  /** Takes the lanes of a condition with nodes of the same kinds. */
  void takeLanes(SimulatedCondition other) {
    lane = other.lane;
    nodes.takeLanes(other.nodes);
  }

  private SimulatedStream lane() {
    return requireNonNull(lane);
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
        lane(),
        (whole, end) -> {
          lane().setNumber(stream);
          lane().clock().enter(whole);
          nodes.enter(whole);
          decide(current, 0, ticket, end);
        });
  }

  /** Reads the number, and lets a pass or the end follow. */
  private void decide(List<SimulatedGraph.QueuedNode> current, int passes, long ticket, Point end) {
    SimulatedStream own = lane();
    boolean isRun =
        transfers.of(purpose, ticket).number(own, number) != 0 && (isLoop || passes == 0);
    if (passes == MOST_PASSES && isRun) {
      transfers.tooManyPasses(purpose, passes);
      return;
    }
    List<QueuedOperation> next = new ArrayList<>();
    if (isRun) {
      for (Point last : nodes.launch(current, streams.here(own), own.number(), ticket)) {
        next.add(streams.waitNext(own, last));
      }
      next.add(SimulatedStream.instant(() -> decide(current, passes + 1, ticket, end)));
    } else {
      next.add(SimulatedStream.reach(end));
    }
    own.goOnWith(next);
  }

  /** Destroys it; what is queued still runs. */
  void destroy() {
    streams.remove(lane());
    nodes.destroy();
  }
}
