package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.CudaDriver.GraphHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.GraphCondition;
import dev.streamfence.internal.driver.GraphNode;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.internal.simulator.Declarations.LaunchDeclaration;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import dev.streamfence.internal.simulator.schedule.SimulatedStream.Point;
import dev.streamfence.internal.simulator.schedule.SubmissionOrder.SubmissionPoint;
import dev.streamfence.simulation.DriverCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An executable graph. Each node runs on a lane, a stream of the graph's own, behind waits for the
 * nodes that come before it: so nothing but the edges orders two nodes. A lane holds a path of the
 * graph, whose nodes are ordered anyway. Confined to the driver's lock.
 */
final class SimulatedGraph implements GraphHandle {
  /** Queues a node, for a launch with a ticket. */
  @FunctionalInterface
  interface QueuedNode {
    void put(SimulatedStream lane, long ticket);

    /** The node with the arguments of this moment. */
    default QueuedNode now() {
      return this;
    }

    /** Whether the driver can change one into the other, which differs in its arguments at most. */
    default boolean isLike(QueuedNode other) {
      return false;
    }
  }

  /**
   * The call of a node of a graph, with the arguments that it had when it was read. Reading it is
   * the node's one call of this sink. Confined to the thread that reads it, and to the driver's
   * lock then.
   */
  static final class Call implements Sink, QueuedNode {
    private final Launches launches;
    private final Transfers transfers;
    private final String purpose;
    private final List<LaunchObserver.Use> uses;
    private DriverCall adds = DriverCall.ADD_COPY_NODE;
    private DriverCall updates = DriverCall.UPDATE_COPY_NODE;
    private boolean isCooperative;
    private QueuedNode queued = (stream, ticket) -> {};

    private Call(Launches launches, Transfers transfers, GraphNode node) {
      this.launches = launches;
      this.transfers = transfers;
      this.purpose = node.purpose();
      this.uses = List.copyOf(node.uses());
    }

    /** Reads the call of a node. */
    static Call of(GraphNode node, Launches launches, Transfers transfers) {
      Call call = new Call(launches, transfers, node);
      node.put(call, new StreamHandle() {});
      return call;
    }

    /** The driver's function that adds such a node. */
    DriverCall adds() {
      return adds;
    }

    /** The driver's function that changes such a node. */
    DriverCall updates() {
      return updates;
    }

    /** Whether it is a cooperative launch, which takes another call. */
    boolean isCooperative() {
      return isCooperative;
    }

    @Override
    public void put(SimulatedStream stream, long ticket) {
      queued.put(stream, ticket);
    }

    @Override
    public boolean isLike(QueuedNode other) {
      return other instanceof Call call && adds == call.adds && isCooperative == call.isCooperative;
    }

    private Transfers node(long ticket) {
      return transfers.of(purpose, ticket);
    }

    @Override
    public void launchKernel(KernelLaunch launch) {
      adds = DriverCall.ADD_KERNEL_NODE;
      updates = DriverCall.UPDATE_KERNEL_NODE;
      isCooperative = launch.isCooperative();
      Launches.ReadLaunch read = launches.read(launch);
      queued =
          (stream, ticket) ->
              read.put(stream, new LaunchDeclaration(purpose, stream, ticket, uses));
    }

    @Override
    public void copyToDeviceAsync(
        long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle ignored) {
      queued =
          (stream, ticket) ->
              node(ticket).copyToDevice(destination, source, sourceOffset, bytes, stream);
    }

    @Override
    public void copyToHostAsync(
        HostMemory destination,
        long destinationOffset,
        long source,
        long bytes,
        StreamHandle ignored) {
      queued =
          (stream, ticket) ->
              node(ticket).copyToHost(destination, destinationOffset, source, bytes, stream);
    }

    @Override
    public void copyOnDeviceAsync(long destination, long source, long bytes, StreamHandle ignored) {
      queued = (stream, ticket) -> node(ticket).copyOnDevice(destination, source, bytes, stream);
    }

    @Override
    public void fillAsync(
        long destination, int bytes, int value, long count, StreamHandle ignored) {
      fill(destination, bytes, bytes, value, count);
    }

    @Override
    public void fill32StridedAsync(
        long destination, long pitch, int value, long count, StreamHandle ignored) {
      fill(destination, pitch, 4, value, count);
    }

    private void fill(long destination, long pitch, int width, long value, long count) {
      adds = DriverCall.ADD_FILL_NODE;
      updates = DriverCall.UPDATE_FILL_NODE;
      queued =
          (stream, ticket) -> node(ticket).fill(destination, pitch, width, value, count, stream);
    }
  }

  private static final class Step {
    private final int[] after;
    private final int lane;

    /** A call, or a condition. */
    private QueuedNode node;

    Step(int[] after, int lane, QueuedNode node) {
      this.after = after;
      this.lane = lane;
      this.node = node;
    }
  }

  private final SimulatedStreams streams;

  /** Creates the lanes. */
  private final Supplier<SimulatedStream> newLane;

  private final List<Step> steps = new ArrayList<>();

  /** The nodes of the whole graph: of a condition first itself, and then its own nodes. */
  private final List<Step> all;

  private final List<SimulatedCondition> conditions = new ArrayList<>();

  /** Of the executable graph. */
  private final List<SimulatedStream> lanes = new ArrayList<>();

  /** The last node of each lane. */
  private final List<Integer> lastOfLane = new ArrayList<>();

  private boolean isExecutable;

  /** Whether the lanes end with this graph. */
  private boolean hasLanes;

  /** The end of the latest run. */
  private @Nullable Point end;

  /** Creates an empty graph. */
  SimulatedGraph(SimulatedStreams streams) {
    this(streams, streams::addLane, new ArrayList<>());
  }

  private SimulatedGraph(
      SimulatedStreams streams, Supplier<SimulatedStream> newLane, List<Step> all) {
    this.streams = streams;
    this.newLane = newLane;
    this.all = all;
  }

  /** Adds a condition, and returns what its nodes are to be added to. */
  SimulatedGraph add(int[] after, GraphCondition condition, GraphNode node, Transfers transfers) {
    SimulatedGraph body = new SimulatedGraph(streams, streams::addInnerLane, all);
    SimulatedCondition added =
        new SimulatedCondition(
            streams, transfers, condition.isLoop(), node.purpose(), node.uses().get(0), body);
    conditions.add(added);
    add(after, added);
    return body;
  }

  /** Adds a node. */
  void add(int[] after, QueuedNode queued) {
    int lane = lastOfLane.size();
    for (int node : after) {
      int itsLane = steps.get(node).lane;
      if (lastOfLane.get(itsLane) == node) {
        lane = itsLane;
      }
    }
    if (lane == lastOfLane.size()) {
      lastOfLane.add(0);
    }
    lastOfLane.set(lane, steps.size());
    Step added = new Step(after, lane, queued);
    steps.add(added);
    all.add(added);
  }

  /** Gives later runs another call of a node. */
  void update(int index, Call call) {
    all.get(index).node = call;
  }

  /**
   * Queues a run.
   *
   * @param ticket that of the launch, for reports; 0 if it has none
   */
  void launch(SimulatedStream stream, long ticket) {
    streams.begin(stream);
    for (SimulatedStream lane : lanes) {
      streams.await(lane, end);
    }
    for (Point last : launch(now(), streams.mark(stream), stream.number(), ticket)) {
      streams.await(stream, last);
    }
    end = streams.mark(stream);
  }

  /** How many nodes it has, without those of conditions. */
  int size() {
    return steps.size();
  }

  /** Its nodes with the arguments of this moment. */
  List<QueuedNode> now() {
    return steps.stream().map(step -> step.node.now()).toList();
  }

  /**
   * Queues its nodes after a point.
   *
   * @param nodes with their arguments
   * @param number that of the stream of the launch
   * @return the points that are reached at its end
   */
  List<Point> launch(List<QueuedNode> nodes, Point start, int number, long ticket) {
    for (SimulatedStream lane : lanes) {
      lane.setNumber(number);
      streams.await(lane, start);
    }
    List<Point> reached = new ArrayList<>(steps.size());
    for (int i = 0; i < nodes.size(); i++) {
      Step step = steps.get(i);
      SimulatedStream lane = lanes.get(step.lane);
      for (int node : step.after) {
        streams.await(lane, reached.get(node));
      }
      nodes.get(i).put(lane, ticket);
      reached.add(streams.mark(lane));
    }
    return lastOfLane.stream().map(reached::get).toList();
  }

  /** Says which operation of a stream its next nodes are parts of. */
  void enter(SubmissionPoint whole) {
    lanes.forEach(lane -> lane.clock().enter(whole));
  }

  /** Whether it can be launched. */
  boolean isExecutable() {
    return isExecutable;
  }

  /** Makes it executable. */
  void instantiate() {
    for (int i = 0; i < lastOfLane.size(); i++) {
      lanes.add(newLane.get());
    }
    conditions.forEach(SimulatedCondition::instantiate);
    isExecutable = true;
    hasLanes = true;
  }

  /** Takes the executable graph of another one that has nodes of the same kinds and edges. */
  boolean takeOver(SimulatedGraph other) {
    boolean isAlike = all.size() == other.all.size();
    for (int i = 0; i < all.size() && isAlike; i++) {
      Step one = all.get(i);
      Step two = other.all.get(i);
      isAlike = Arrays.equals(one.after, two.after) && one.node.isLike(two.node);
    }
    if (isAlike) {
      takeLanes(other);
    }
    return isAlike;
  }

  /** Takes the executable graph of a graph that has the same edges. */
  void takeLanes(SimulatedGraph other) {
    // Queued runs of the other one still use them.
    lanes.addAll(other.lanes);
    for (int i = 0; i < conditions.size(); i++) {
      conditions.get(i).takeLanes(other.conditions.get(i));
    }
    isExecutable = true;
    hasLanes = true;
    end = other.end;
    other.isExecutable = false;
    other.hasLanes = false;
  }

  /** Destroys the executable graph, but not the graph. */
  void endExecutable() {
    isExecutable = false;
  }

  /** Destroys it; what is queued still runs. */
  void destroy() {
    if (hasLanes) {
      lanes.forEach(streams::remove);
      conditions.forEach(SimulatedCondition::destroy);
    }
  }
}
