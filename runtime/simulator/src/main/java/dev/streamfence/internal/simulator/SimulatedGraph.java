package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.CudaDriver.GraphHandle;
import dev.streamfence.internal.simulator.SimulatedStream.Point;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An executable graph. Each node runs on a lane, a stream of the graph's own, behind waits for the
 * nodes that come before it: so nothing but the edges orders two nodes. A lane holds a path of the
 * graph, whose nodes are ordered anyway. Confined to the driver's lock.
 */
final class SimulatedGraph implements GraphHandle {
  private static final class Step {
    private final int[] after;
    private final int lane;
    private GraphCall call;

    Step(int[] after, int lane, GraphCall call) {
      this.after = after;
      this.lane = lane;
      this.call = call;
    }
  }

  private final SimulatedStreams streams;
  private final List<Step> steps = new ArrayList<>();
  private final List<SimulatedStream> lanes = new ArrayList<>();

  /** The last node of each lane. */
  private final List<Integer> lastOfLane = new ArrayList<>();

  private boolean isExecutable = true;

  /** The end of the latest run. */
  private @Nullable Point end;

  SimulatedGraph(SimulatedStreams streams) {
    this.streams = streams;
  }

  /** Adds a node. */
  void add(int[] after, GraphCall call) {
    int lane = 0;
    while (lane < lanes.size() && !contains(after, lastOfLane.get(lane))) {
      lane++;
    }
    if (lane == lanes.size()) {
      lanes.add(streams.addLane());
      lastOfLane.add(0);
    }
    lastOfLane.set(lane, steps.size());
    steps.add(new Step(after, lane, call));
  }

  private static boolean contains(int[] nodes, int wanted) {
    for (int node : nodes) {
      if (node == wanted) {
        return true;
      }
    }
    return false;
  }

  /** Gives later runs another call of a node. */
  void update(int index, GraphCall call) {
    steps.get(index).call = call;
  }

  /**
   * Queues a run.
   *
   * @param ticket that of the launch, for reports; 0 if it has none
   */
  void launch(SimulatedStream stream, long ticket) {
    Point start = streams.mark(stream);
    for (SimulatedStream lane : lanes) {
      lane.setNumber(stream.number());
      streams.await(lane, start);
      streams.await(lane, end);
    }
    List<Point> reached = new ArrayList<>(steps.size());
    for (Step step : steps) {
      SimulatedStream lane = lanes.get(step.lane);
      for (int node : step.after) {
        streams.await(lane, reached.get(node));
      }
      step.call.put(lane, ticket);
      reached.add(streams.mark(lane));
    }
    for (int last : lastOfLane) {
      streams.await(stream, reached.get(last));
    }
    end = streams.mark(stream);
  }

  /** Whether it can be launched. */
  boolean isExecutable() {
    return isExecutable;
  }

  /** Destroys the executable graph, but not the graph. */
  void endExecutable() {
    isExecutable = false;
  }

  /** Destroys it; what is queued still runs. */
  void destroy() {
    lanes.forEach(streams::remove);
  }
}
