package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.GraphCondition;
import dev.streamfence.internal.driver.GraphNode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import jcuda.driver.CUcontext;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUgraphNode;
import org.jspecify.annotations.Nullable;

/**
 * A graph of the driver, and the executable graph that runs it. Thread-safe like {@link
 * JCudaDevice}.
 */
final class JCudaGraph implements CudaDriver.GraphHandle {
  /** What a node passes on; nothing reads it. */
  static final CudaDriver.StreamHandle NO_STREAM = new CudaDriver.StreamHandle() {};

  /**
   * An executable graph. The driver knows its nodes by those of the graph that it was made of, even
   * when it runs another graph by now; so that one lasts as long as itself. Immutable.
   */
  record Executable(CUgraphExec handle, CUgraph madeOf, List<CUgraphNode> nodes) {}

  private final JCudaDevice owner;
  private final AtomicBoolean destroyed = new AtomicBoolean();
  final CUgraph graph;

  /** What is destroyed with it: its own graph, and the one that its executable graph is made of. */
  final List<CUgraph> owned = new CopyOnWriteArrayList<>();

  /** Null before it is made, and once another graph has it or it is destroyed. */
  private volatile @Nullable Executable executable;

  /** Of a condition first itself, and then what it repeats or leaves out. */
  private final List<CUgraphNode> nodes = new ArrayList<>();

  JCudaGraph(JCudaDevice owner, CUgraph graph) {
    this.owner = owner;
    this.graph = graph;
    owned.add(graph);
  }

  /** Adds its nodes. */
  void add(List<? extends GraphNode> all, CUcontext context) {
    add(all, graph, context);
  }

  /** Says that the driver has made it executable. */
  void made(CUgraphExec handle) {
    executable = new Executable(handle, graph, nodes);
  }

  /** Says that the driver has changed its executable graph so that it runs another graph. */
  void changedInto(JCudaGraph other) {
    Executable moved = executable();
    if (owned.remove(moved.madeOf())) {
      other.owned.add(moved.madeOf());
    }
    other.executable = moved;
    executable = null;
  }

  /** Its executable graph, to destroy it; null if there is none. */
  @Nullable CUgraphExec executableToDestroy() {
    Executable last = executable;
    return last == null ? null : last.handle();
  }

  /** Says that the executable graph is destroyed. */
  void executableDestroyed() {
    executable = null;
  }

  /**
   * Adds each node by one driver call, by two for a cooperative launch, and by three or four for a
   * condition.
   *
   * @param to the graph, or one that a condition repeats or leaves out
   * @return those that no other one comes after
   */
  private CUgraphNode[] add(List<? extends GraphNode> all, CUgraph to, CUcontext context) {
    List<CUgraphNode> here = new ArrayList<>(all.size());
    BitSet last = new BitSet();
    for (GraphNode node : all) {
      int[] after = node.after();
      CUgraphNode[] dependencies = new CUgraphNode[after.length];
      for (int i = 0; i < after.length; i++) {
        dependencies[i] = here.get(after[i]);
        last.clear(after[i]);
      }
      CUgraphNode added = new CUgraphNode();
      last.set(here.size());
      here.add(added);
      nodes.add(added);
      GraphCondition condition = node.condition();
      if (condition == null) {
        node.put(new GraphNodeSink.Adding(owner, context, to, added, dependencies), NO_STREAM);
      } else {
        addCondition(condition, added, to, dependencies, context);
      }
    }
    return last.stream().mapToObj(here::get).toArray(CUgraphNode[]::new);
  }

  private void addCondition(
      GraphCondition condition,
      CUgraphNode added,
      CUgraph to,
      CUgraphNode[] dependencies,
      CUcontext context) {
    Conditions conditions = owner.conditions();
    Conditions.Body body = conditions.add(added, to, dependencies, condition, context);
    CUgraphNode[] last = add(condition.nodes(), body.graph(), context);
    if (condition.isLoop()) {
      conditions.endPass(body, last, condition);
    }
  }

  /** Its executable graph. */
  Executable executable() {
    Executable known = executable;
    if (known == null) {
      throw new IllegalArgumentException(this + " is not executable");
    }
    return known;
  }

  /** This graph, for a call of {@code user}; throws if it is destroyed or another driver's. */
  JCudaGraph use(JCudaDevice user) {
    if (owner != user) {
      throw DriverHandle.foreign(this, user);
    }
    if (destroyed.get()) {
      throw gone();
    }
    return this;
  }

  /** This graph, to destroy it; only one call succeeds. */
  JCudaGraph destroy(JCudaDevice user) {
    JCudaGraph last = use(user);
    if (!destroyed.compareAndSet(false, true)) {
      throw gone();
    }
    return last;
  }

  /** Gives the right to destroy it back, after the driver has refused. */
  void notDestroyed() {
    destroyed.set(false);
  }

  private IllegalArgumentException gone() {
    return new IllegalArgumentException(this + " is destroyed");
  }

  @Override
  public String toString() {
    return "graph of " + nodes.size() + " nodes of " + owner;
  }
}
