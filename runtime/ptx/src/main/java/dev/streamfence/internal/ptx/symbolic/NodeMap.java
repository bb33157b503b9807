package dev.streamfence.internal.ptx.symbolic;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the values of one graph. A graph numbers its nodes from 0, so that this is an
 * array in place of a hash table. Confined to one thread.
 */
public final class NodeMap<V> {
  private final List<@Nullable V> found = new ArrayList<>();

  /** What was put for a node; null if nothing was. */
  public @Nullable V get(Node node) {
    return node.id < found.size() ? found.get(node.id) : null;
  }

  /** Notes something of a node, in place of what was noted before. */
  public void put(Node node, V value) {
    while (found.size() <= node.id) {
      found.add(null);
    }
    found.set(node.id, value);
  }
}
