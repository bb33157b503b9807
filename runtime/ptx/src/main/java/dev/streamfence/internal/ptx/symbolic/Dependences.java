package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import java.util.BitSet;

/** From which arrays' addresses each value of a kernel is computed, in whatever way. Immutable. */
public final class Dependences {
  private final BitSet[] arrays;

  public Dependences(NodeGraph nodes, int count) {
    arrays = new BitSet[nodes.size()];
    for (int i = 0; i < arrays.length; i++) {
      arrays[i] = new BitSet(count);
      if (nodes.node(i).is(Operator.BASE)) {
        arrays[i].set((int) nodes.node(i).constant);
      }
    }
    // Only the phis of loops have inputs that are younger than they are.
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int i = 0; i < arrays.length; i++) {
        int before = arrays[i].cardinality();
        for (Node input : nodes.node(i).inputs) {
          arrays[i].or(arrays[input.id]);
        }
        changed |= arrays[i].cardinality() != before;
      }
    }
  }

  /** Whether a value is computed from any array's address. */
  public boolean dependsOnAny(Node node) {
    return node.id < arrays.length && !arrays[node.id].isEmpty();
  }

  public boolean dependsOn(Node node, int array) {
    return node.id < arrays.length && arrays[node.id].get(array);
  }
}
