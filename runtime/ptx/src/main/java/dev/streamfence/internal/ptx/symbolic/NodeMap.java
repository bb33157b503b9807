package dev.streamfence.internal.ptx.symbolic;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the values of one graph. A graph numbers its nodes from 0, so that this is an
 * array in place of a hash table. Confined to one thread.
 */
public final class NodeMap<V> {
  private @Nullable Object[] found = new Object[64];

  /** What was put for a node; null if nothing was. */
  @SuppressWarnings("unchecked") // Only put stores there.
  public @Nullable V get(Node node) {
    return node.id < found.length ? (V) found[node.id] : null;
  }

  /** Notes something of a node, in place of what was noted before. */
  public void put(Node node, V value) {
    if (node.id >= found.length) {
      found = Arrays.copyOf(found, Math.max(node.id + 1, 2 * found.length));
    }
    found[node.id] = value;
  }
}
