package dev.streamfence.internal.ptx.symbolic;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something of most values of one graph, whose nodes are numbered from 0: an array in place of a
 * hash table. Confined to one thread.
 */
public final class NodeMap<V> {
  private final List<@Nullable V> found = new ArrayList<>();

  /** What was put for a node; null if nothing was. */
  public @Nullable V get(Node node) {
    return node.id < found.size() ? found.get(node.id) : null;
  }

  public void put(Node node, V value) {
    while (found.size() <= node.id) {
      found.add(null);
    }
    found.set(node.id, value);
  }
}
