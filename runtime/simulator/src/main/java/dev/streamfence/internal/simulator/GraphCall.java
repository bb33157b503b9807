package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.GraphNode;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.internal.simulator.Declarations.LaunchDeclaration;
import dev.streamfence.simulation.DriverCall;
import java.util.List;

/**
 * The call of a node of a graph, with the arguments that it had when it was read. Reading it is the
 * node's one call of this sink. Confined to the thread that reads it, and to the driver's lock
 * then.
 */
final class GraphCall implements Sink {
  /** Puts the call on a stream. */
  private interface Queued {
    void put(SimulatedStream stream, long ticket);
  }

  private final Launches launches;
  private final Transfers transfers;
  private final String purpose;
  private final List<LaunchObserver.Use> uses;
  private DriverCall adds = DriverCall.ADD_COPY_NODE;
  private DriverCall updates = DriverCall.UPDATE_COPY_NODE;
  private boolean isCooperative;
  private Queued queued = (stream, ticket) -> {};

  private GraphCall(Launches launches, Transfers transfers, GraphNode node) {
    this.launches = launches;
    this.transfers = transfers;
    this.purpose = node.purpose();
    this.uses = List.copyOf(node.uses());
  }

  /** Reads the call of a node. */
  static GraphCall of(GraphNode node, Launches launches, Transfers transfers) {
    GraphCall call = new GraphCall(launches, transfers, node);
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

  void put(SimulatedStream stream, long ticket) {
    queued.put(stream, ticket);
  }

  @Override
  public void launchKernel(KernelLaunch launch) {
    adds = DriverCall.ADD_KERNEL_NODE;
    updates = DriverCall.UPDATE_KERNEL_NODE;
    isCooperative = launch.isCooperative();
    Launches.ReadLaunch read = launches.read(launch);
    queued =
        (stream, ticket) -> read.put(stream, new LaunchDeclaration(purpose, stream, ticket, uses));
  }

  @Override
  public void copyToDeviceAsync(
      long destination, HostMemory source, long sourceOffset, long bytes, StreamHandle ignored) {
    queued =
        (stream, ticket) ->
            transfers.copyToDevice(destination, source, sourceOffset, bytes, stream);
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
            transfers.copyToHost(destination, destinationOffset, source, bytes, stream);
  }

  @Override
  public void copyOnDeviceAsync(long destination, long source, long bytes, StreamHandle ignored) {
    queued = (stream, ticket) -> transfers.copyOnDevice(destination, source, bytes, stream);
  }

  @Override
  public void fill8Async(long destination, byte value, long count, StreamHandle ignored) {
    fill(DriverCall.FILL_8_ASYNC, destination, 1, 1, value, count);
  }

  @Override
  public void fill16Async(long destination, short value, long count, StreamHandle ignored) {
    fill(DriverCall.FILL_16_ASYNC, destination, 2, 2, value, count);
  }

  @Override
  public void fill32Async(long destination, int value, long count, StreamHandle ignored) {
    fill(DriverCall.FILL_32_ASYNC, destination, 4, 4, value, count);
  }

  @Override
  public void fill32StridedAsync(
      long destination, long pitch, int value, long count, StreamHandle ignored) {
    fill(DriverCall.FILL_32_STRIDED_ASYNC, destination, pitch, 4, value, count);
  }

  private void fill(
      DriverCall call, long destination, long pitch, int width, long value, long count) {
    adds = DriverCall.ADD_FILL_NODE;
    updates = DriverCall.UPDATE_FILL_NODE;
    queued =
        (stream, ticket) -> transfers.fill(call, destination, pitch, width, value, count, stream);
  }
}
