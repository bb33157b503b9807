package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import java.util.Arrays;
import java.util.BitSet;

/**
 * From which addresses of arrays and variables each value of a kernel is computed, in whatever way.
 * Values that are added to the graph later are computed from none. Immutable.
 */
public final class Dependences {
  private static final BitSet NONE = new BitSet();

  /** For each value; values that are computed from the same addresses share them. */
  private final BitSet[] bases;

  public Dependences(NodeGraph nodes) {
    bases = new BitSet[nodes.size()];
    Arrays.fill(bases, NONE);
    // Only the phis of loops have inputs that are younger than they are.
    boolean isDone = false;
    while (!isDone) {
      for (int i = 0; i < bases.length; i++) {
        bases[i] = found(nodes.node(i));
      }
      isDone = true;
      for (int i = 0; isDone && i < bases.length; i++) {
        Node node = nodes.node(i);
        isDone = !node.isCarried || found(node).equals(bases[i]);
      }
    }
  }

  private BitSet found(Node node) {
    BitSet found = bases[node.id];
    if (node.is(Operator.BASE)) {
      found = new BitSet();
      found.set((int) node.constant);
    }
    for (int i = 0; i < node.inputs.size(); i++) {
      BitSet more = bases[node.input(i).id];
      if (found.isEmpty()) {
        found = more;
      } else if (!more.isEmpty() && !found.equals(more)) {
        BitSet all = (BitSet) found.clone();
        all.or(more);
        found = all.equals(found) ? found : all;
      }
    }
    return found;
  }

  /** Whether a value is computed from any address. */
  public boolean dependsOnAny(Node node) {
    return node.id < bases.length && !bases[node.id].isEmpty();
  }

  /** Whether a value is computed from any of some addresses. */
  boolean dependsOnAny(Node node, BitSet some) {
    return node.id < bases.length && bases[node.id].intersects(some);
  }

  /** The addresses that a value is computed from; not to be changed. */
  public BitSet bases(Node node) {
    return node.id < bases.length ? bases[node.id] : NONE;
  }

  public boolean dependsOn(Node node, int base) {
    return node.id < bases.length && bases[node.id].get(base);
  }
}
