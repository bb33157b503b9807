package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.bounds.CertainAccess.Way;
import dev.streamfence.internal.ptx.symbolic.Node;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a {@link Witness} needs of a kernel's values and loops. Immutable. */
final class WitnessPlan {
  /**
   * A range in which a value has to lie for its formula to be exact.
   *
   * @param value the formula
   */
  record Check(CompiledSum value, long least, long most) {}

  /** The end of a loop, see {@link LoopEnd}. */
  record End(CompiledSum first, CompiledSum step, boolean untilZero, List<Check> checks) {}

  /** The growth of a phi in each iteration of its loop. */
  record Growth(CompiledSum step, List<Check> checks) {}

  /**
   * A difference that the wanted thread makes as small as possible without making it negative.
   *
   * @param dimension 0 for x to 2 for z
   * @param rest the difference for the first thread, block and iteration
   * @param perBlock by how much it falls from one block to the next
   * @param perThread by how much it falls from one thread to the next
   * @param perIteration by how much it falls in each iteration of a loop; null if in none
   */
  record Target(
      int dimension,
      CompiledSum rest,
      CompiledSum perBlock,
      CompiledSum perThread,
      @Nullable CompiledSum perIteration) {}

  /**
   * A {@link CertainAccess} with what it takes to find threads that make it.
   *
   * @param access the access as errors name it
   * @param width how many bytes it touches
   * @param conditions where all predicates have the wanted values, the access is made
   * @param loops the indexes of the loops around it, the outermost first
   * @param choices the threads that are worth following
   */
  record Followed(
      ReachedAccess access,
      int width,
      List<Way> conditions,
      List<Integer> loops,
      Node address,
      List<Target> targets,
      List<Witness.Choice> choices) {
    /** The same with another list of equal targets. */
    Followed withTargets(List<Target> same) {
      return new Followed(access, width, conditions, loops, address, same, choices);
    }
  }

  private final List<Node> nodes;
  private final int[] loops;
  private final BitSet addresses;
  private final @Nullable Growth[] growths;
  private final @Nullable End[] ends;

  /**
   * Creates a plan.
   *
   * @param nodes the values, by their ids
   * @param loops for each value the loop at whose header it is a phi; negative if it is none
   * @param addresses the values that are computed from an array's address
   * @param growths how each value grows; may end early
   * @param ends for each loop its end; null if it is not known
   */
  WitnessPlan(
      List<Node> nodes,
      int[] loops,
      BitSet addresses,
      @Nullable Growth[] growths,
      @Nullable End[] ends) {
    this.nodes = List.copyOf(nodes);
    this.loops = loops;
    this.addresses = addresses;
    this.growths = Arrays.copyOf(growths, nodes.size());
    this.ends = ends;
  }

  int nodes() {
    return nodes.size();
  }

  Node node(int id) {
    return nodes.get(id);
  }

  /** Whether a value is computed from an array's address, which is known to the launch alone. */
  boolean hasAddress(Node node) {
    return addresses.get(node.id);
  }

  int loops() {
    return ends.length;
  }

  @Nullable End end(int loop) {
    return ends[loop];
  }

  /** The growth of a phi; null if it grows unevenly, or its loop has no such phi. */
  @Nullable Growth growth(Node phi) {
    return growths[phi.id];
  }

  /** The loop at whose header a phi lies; negative if it lies at none. */
  int loopOf(Node phi) {
    return loops[phi.id];
  }
}
