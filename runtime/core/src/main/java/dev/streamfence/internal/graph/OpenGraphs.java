package dev.streamfence.internal.graph;

import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.recording.GraphMemory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The graphs of a runtime that are not closed; closed with it. Thread-safe. */
final class OpenGraphs implements AutoCloseable {
  private final TrackedRuntime runtime;
  private final Set<TrackedGraph> graphs = Collections.synchronizedSet(new LinkedHashSet<>());

  private final Set<GraphContent> refused = Collections.synchronizedSet(new LinkedHashSet<>());

  private final Set<GraphMemory> inUse = Collections.synchronizedSet(new LinkedHashSet<>());

  OpenGraphs(TrackedRuntime runtime) {
    this.runtime = runtime;
  }

  void add(TrackedGraph graph) {
    graphs.add(graph);
  }

  /** Adds a graph that was not made, and that the driver has refused to destroy. */
  void destroyAtEnd(GraphContent content) {
    refused.add(content);
  }

  /** Adds the memory of a graph that was not made, and that streams may still use. */
  void releaseAtEnd(GraphMemory memory) {
    inUse.add(memory);
  }

  void remove(TrackedGraph graph) {
    graphs.remove(graph);
  }

  @Override
  public void close() {
    List<TrackedGraph> left;
    synchronized (graphs) {
      left = new ArrayList<>(graphs);
    }
    List<TrackedGraph> open = left.stream().filter(TrackedGraph::isOpen).toList();
    if (!open.isEmpty()) {
      runtime.warn(
          LogTopic.LEAKS, runtime + " is closed with " + open.size() + " open graphs: " + open);
    }
    Teardown all = new Teardown();
    left.forEach(graph -> all.step(graph::close));
    for (GraphContent content : List.copyOf(refused)) {
      all.step(
          () -> {
            content.destroy();
            refused.remove(content);
          });
    }
    for (GraphMemory memory : List.copyOf(inUse)) {
      memory.release(all, runtime.sticky().error() != null);
      if (!memory.isInUse()) {
        inUse.remove(memory);
      }
    }
    all.finish();
  }
}
