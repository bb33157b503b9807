package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.KernelValues;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;

/**
 * Whether threads store different values, as far as the code shows: where all lanes of a warp store
 * what they have in common, it does not matter which of them is the last. Confined to one thread.
 */
final class StoredValues {
  private final KernelValues values;

  StoredValues(KernelValues values) {
    this.values = values;
  }

  /**
   * Whether the order of two accesses may matter: not if both are plain stores of values that are
   * the same as far as that takes little to find.
   */
  boolean matters(SharedAccess one, SharedAccess other) {
    List<Node> left = values.stored(one.access());
    List<Node> right = values.stored(other.access());
    if (left.isEmpty() || right.isEmpty()) {
      return true;
    }
    return !isExchanged(left)
        && !isExchanged(right)
        && (!left.equals(right) || left.stream().anyMatch(value -> differs(value, new BitSet())));
  }

  /**
   * Whether what other threads have contributes to values. A sum of a warp is made of what each
   * lane has, and is the same for all of them.
   */
  private boolean isExchanged(List<Node> some) {
    return Node.reached(some, node -> true).stream().anyMatch(values::isExchanged);
  }

  /** Whether a value may differ between threads. */
  private boolean differs(Node node, BitSet seen) {
    if (seen.get(node.id)) {
      return false;
    }
    seen.set(node.id);
    MemoryAccess load = values.load(node);
    boolean isPlace = node.is(Operator.SPECIAL) && node.special().differs();
    return isPlace
        || (load != null && differs(load.address(), seen))
        || node.inputs.stream().anyMatch(input -> differs(input, seen));
  }

  /**
   * Whether two threads store different numbers, or what they load from different places.
   *
   * @param first the thread that makes the first store
   * @param second the thread that makes the other one
   */
  boolean differ(
      SharedAccess one, ConcreteThread first, SharedAccess other, ConcreteThread second) {
    List<Node> left = values.stored(one.access());
    List<Node> right = values.stored(other.access());
    BitSet seen = new BitSet();
    boolean differ = false;
    for (int i = 0; !differ && i < Math.min(left.size(), right.size()); i++) {
      differ = differ(left.get(i), first, right.get(i), second, seen);
    }
    return differ;
  }

  private boolean differ(
      Node one, ConcreteThread first, Node other, ConcreteThread second, BitSet seen) {
    OptionalLong left = first.known(one);
    OptionalLong right = second.known(other);
    if (left.isPresent() && right.isPresent()) {
      return left.getAsLong() != right.getAsLong();
    }
    if (seen.get(one.id)) {
      return false;
    }
    seen.set(one.id);
    MemoryAccess load = values.load(one);
    MemoryAccess otherLoad = values.load(other);
    if (load != null && otherLoad != null) {
      Node base = KernelValues.base(load.address());
      Node otherBase = KernelValues.base(otherLoad.address());
      boolean areInTwo = base != null && otherBase != null && !base.equals(otherBase);
      return areInTwo || differ(load.address(), first, otherLoad.address(), second, seen);
    }
    // Different operations may give the same.
    boolean differ = false;
    for (int i = 0; one.equals(other) && !differ && i < one.inputs.size(); i++) {
      differ = differ(one.input(i), first, other.input(i), second, seen);
    }
    return differ;
  }
}
