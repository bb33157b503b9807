package dev.streamfence.internal.order;

import dev.streamfence.graph.GraphStructure;
import dev.streamfence.trace.WorkKind;
import org.jspecify.annotations.Nullable;

/**
 * What a piece of work is, for observers. Immutable.
 *
 * @param kind its kind
 * @param name the method that declares the kernel, the call, or the kind in words
 * @param qualifiedName the name with the interface that declares the kernel
 * @param bytes how many bytes it moves, fills, allocates or frees; 0 if it has no size
 * @param detail what else there is to say in a few words; may be empty
 * @param graph the graph that runs; null for other work
 */
public record WorkFacts(
    WorkKind kind,
    String name,
    String qualifiedName,
    long bytes,
    String detail,
    @Nullable GraphStructure graph) {
  /** Facts of work that no interface declares. */
  public WorkFacts(WorkKind kind, String name, long bytes, String detail) {
    this(kind, name, name, bytes, detail, null);
  }

  /** The same with more to say. */
  WorkFacts and(String more) {
    return new WorkFacts(
        kind, name, qualifiedName, bytes, detail.isEmpty() ? more : detail + "; " + more, graph);
  }
}
