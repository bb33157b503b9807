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
   * Whether the order of two accesses may matter: unless both store the same value, as far as that
   * takes little to find.
   */
  boolean matters(SharedAccess one, SharedAccess other) {
    boolean areStores = one.writes() && other.writes() && !one.isAtomic() && !other.isAtomic();
    return !areStores || (mayDiffer(one) && mayDiffer(other));
  }

  private boolean mayDiffer(SharedAccess store) {
    List<Node> own = values.stored(store.access());
    // A sum of a warp is made of what each lane has, and is the same for all of them.
    boolean isReceived = Node.reached(own, node -> true).stream().anyMatch(values::isReceivedAlike);
    BitSet seen = new BitSet();
    return !isReceived && own.stream().anyMatch(value -> differs(value, seen));
  }

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
   * Whether two threads store different values, or what they load from different places. What they
   * receive from other threads may be the same.
   *
   * @param first the thread that makes the first store
   * @param second the thread that makes the other one
   */
  boolean differ(
      SharedAccess one, ConcreteThread first, SharedAccess other, ConcreteThread second) {
    List<Node> left = values.stored(one.access());
    List<Node> right = values.stored(other.access());
    BitSet seen = new BitSet();
    boolean differ = left.size() != right.size();
    for (int i = 0; !differ && i < left.size(); i++) {
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
    if (seen.get(one.id) || values.isReceivedAlike(one) || values.isReceivedAlike(other)) {
      return false;
    }
    seen.set(one.id);
    MemoryAccess load = values.load(one);
    MemoryAccess otherLoad = values.load(other);
    if (load != null && otherLoad != null) {
      Node base = KernelValues.base(load.address());
      return base == null
          || !base.equals(KernelValues.base(otherLoad.address()))
          || differ(load.address(), first, otherLoad.address(), second, seen);
    }
    boolean areAlike =
        load == null
            && otherLoad == null
            && one.operation == other.operation
            && one.inputs.size() == other.inputs.size();
    boolean differ = !areAlike;
    for (int i = 0; !differ && i < one.inputs.size(); i++) {
      differ = differ(one.input(i), first, other.input(i), second, seen);
    }
    return differ;
  }
}
