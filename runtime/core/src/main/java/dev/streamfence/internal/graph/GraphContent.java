package dev.streamfence.internal.graph;

import dev.streamfence.graph.GraphNode;
import dev.streamfence.graph.GraphStructure;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.GraphHandle;
import dev.streamfence.internal.graph.GraphInputs.Input;
import dev.streamfence.internal.order.GraphRecording.HostTransfer;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Uses;
import dev.streamfence.internal.order.WorkFacts;
import dev.streamfence.internal.recording.RecordedGraph;
import dev.streamfence.internal.recording.RecordedGraph.TotalUse;
import dev.streamfence.internal.recording.RecordedNode;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the code of a graph has recorded, and the driver's graph of it. Confined to the holder of
 * the graph's lock, except for the structure.
 */
final class GraphContent {
  private static final AtomicLong RECORDED = new AtomicLong();

  private final CudaDriver driver;
  private final GraphHandle handle;
  private final RecordedGraph recording;
  private final GraphInputs inputs;
  private final GraphStructure structure;
  private final Runnable[] checks;
  private final HostTransfer[] transfers;
  private final TotalUse[] uses;

  /** The same for a launch, as far as {@link #hasLaunchUses}. */
  private final Uses launchUses = new Uses();

  /** False once a use has changed, and while an Error has left a part of them. */
  private boolean hasLaunchUses;

  /**
   * The nodes whose arguments the driver does not know yet. With room for all: if the Java heap is
   * full, a node that has changed is marked all the same.
   */
  private final BitSet outdated;

  private boolean isDestroyed;

  /** Creates what a code has recorded that has returned; the driver's graph cannot run yet. */
  GraphContent(CudaDriver driver, String name, RecordedGraph recording, GraphInputs inputs) {
    this.driver = driver;
    this.recording = recording;
    this.inputs = inputs;
    this.structure =
        new GraphStructure(
            RECORDED.incrementAndGet(),
            name,
            recording.nodes().stream().map(GraphContent::node).toList(),
            recording.edges());
    this.outdated = new BitSet(recording.nodes().size());
    this.checks = recording.checks().toArray(new Runnable[0]);
    this.transfers = recording.transfers().toArray(new HostTransfer[0]);
    List<TotalUse> total = recording.totalUses();
    for (int i = 0; i < inputs.count(); i++) {
      Input input = inputs.get(i);
      input.setUse(indexOf(input.region().hazards(), total));
    }
    this.uses = total.toArray(new TotalUse[0]);
    recording.end();
    this.handle = driver.createGraph(recording.outermostNodes());
  }

  private static GraphNode node(RecordedNode node) {
    WorkFacts facts = node.facts();
    return new GraphNode(
        node.index(),
        facts.kind(),
        facts.name(),
        facts.detail(),
        facts.bytes(),
        node.timeline().index(),
        node.parent());
  }

  private static int indexOf(HazardState state, List<TotalUse> uses) {
    int index = uses.size() - 1;
    while (index >= 0 && uses.get(index).state() != state) {
      index--;
    }
    return index;
  }

  /** Lets the driver make it executable. */
  void instantiate() {
    driver.instantiateGraph(handle);
  }

  /**
   * Lets the driver change the executable graph of another content so that it is of this one.
   *
   * @return whether it could; the other one cannot run any more then
   */
  boolean takeOver(GraphContent other) {
    return driver.moveExecutable(other.handle, handle);
  }

  GraphHandle handle() {
    return handle;
  }

  RecordedGraph recording() {
    return recording;
  }

  GraphInputs inputs() {
    return inputs;
  }

  GraphStructure structure() {
    return structure;
  }

  Runnable[] checks() {
    return checks;
  }

  HostTransfer[] transfers() {
    return transfers;
  }

  /** A use of its nodes. */
  TotalUse use(int index) {
    return uses[index];
  }

  /** Lets the nodes use other memory. */
  void setUse(int index, HazardState other) {
    uses[index] = uses[index].of(other);
    hasLaunchUses = false;
  }

  /** What its nodes use, which changes with its inputs. */
  Uses uses() {
    if (!hasLaunchUses) {
      launchUses.clear();
      for (int i = 0; i < uses.length; i++) {
        launchUses.add(uses[i].state(), uses[i].reads(), uses[i].writes(), i);
      }
      hasLaunchUses = true;
    }
    return launchUses;
  }

  BitSet outdated() {
    return outdated;
  }

  /** Destroys the driver's graph, unless that was done. */
  void destroy() {
    if (isDestroyed) {
      return;
    }
    if (driver.sticky().error() == null) {
      // A lost context has taken it along.
      driver.destroyGraph(handle);
    }
    isDestroyed = true;
  }

  /** Releases everything that it has besides. Without the lock: it may call code of the user. */
  void release(Teardown teardown) {
    recording.memory().release(teardown, driver.sticky().error() != null);
  }
}
