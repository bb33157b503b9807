package dev.streamfence.it.compare;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.GraphNode;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.simulator.SimulatedDriver;
import dev.streamfence.internal.simulator.SimulatedHardware;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.BitSet;
import java.util.List;

/**
 * A simulated driver whose launches, graphs, events and waits are only counted: rows then measure
 * the runtime alone.
 */
final class IdleDriver extends SimulatedDriver {
  private IdleDriver(SimulatedHardware.Parts parts) {
    super(parts);
  }

  /** Opens a device. */
  static CudaDriver open(SimulatedDevice device) {
    return ((SimulatedHardware) device).open(IdleDriver::new);
  }

  @Override
  public LaunchObserver launchObserver() {
    return null;
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void everyStreamAwaited() {}

  @Override
  public void waitForEvent(StreamHandle stream, EventHandle event) {
    calls().begin(DriverCall.WAIT_FOR_EVENT);
  }

  @Override
  public void waitForPeerEvent(StreamHandle stream, EventHandle event) {
    calls().begin(DriverCall.WAIT_FOR_EVENT);
  }

  @Override
  public void recordEvent(EventHandle event, StreamHandle stream) {
    calls().begin(DriverCall.RECORD_EVENT);
  }

  @Override
  public void launchKernel(KernelLaunch launch) {
    calls().begin(launch.call());
  }

  @Override
  public GraphHandle createGraph(List<? extends GraphNode> nodes) {
    calls().begin(DriverCall.CREATE_GRAPH);
    return new GraphHandle() {};
  }

  @Override
  public void instantiateGraph(GraphHandle graph) {
    calls().begin(DriverCall.INSTANTIATE_GRAPH);
  }

  @Override
  public boolean moveExecutable(GraphHandle from, GraphHandle to) {
    calls().begin(DriverCall.UPDATE_GRAPH);
    return true;
  }

  @Override
  public void launchGraph(GraphHandle graph, StreamHandle stream) {
    calls().begin(DriverCall.LAUNCH_GRAPH);
  }

  @Override
  public void updateGraph(GraphHandle graph, List<? extends GraphNode> nodes, BitSet outdated) {
    for (int i = outdated.nextSetBit(0); i >= 0; i = outdated.nextSetBit(i)) {
      calls().begin(DriverCall.UPDATE_KERNEL_NODE);
      outdated.clear(i);
    }
  }

  @Override
  public void destroyGraph(GraphHandle graph) {
    calls().begin(DriverCall.DESTROY_GRAPH);
  }
}
