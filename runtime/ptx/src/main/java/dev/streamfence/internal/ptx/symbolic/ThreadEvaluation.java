package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.syntax.BlockLimit;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The values of a kernel that the thread's place and the block's shape decide, and no others.
 * Confined to one thread.
 */
public final class ThreadEvaluation extends Evaluation {
  private final BlockLimit block;
  private final Dependences dependences;
  public final int x;
  public final int y;
  public final int z;

  /**
   * Creates the values of a thread.
   *
   * @param dependences which values are computed from addresses
   * @param x the thread's number in x
   */
  public ThreadEvaluation(
      NodeGraph nodes, Dependences dependences, BlockLimit block, int x, int y, int z) {
    super(nodes.size());
    this.block = block;
    this.dependences = dependences;
    this.x = x;
    this.y = y;
    this.z = z;
    begin();
  }

  /** Whether a predicate holds; empty if that is unknown. Without a predicate it does. */
  public Optional<Boolean> holds(@Nullable Node predicate) {
    if (predicate == null) {
      return Optional.of(true);
    }
    OptionalLong value = known(predicate);
    return value.isPresent() ? Optional.of(value.getAsLong() != 0) : Optional.empty();
  }

  /** A value, as its register holds it with its sign; empty if it is unknown. */
  public OptionalLong known(Node node) {
    long value = value(node);
    if (!hasFailed()) {
      return OptionalLong.of(value);
    }
    begin();
    return OptionalLong.empty();
  }

  @Override
  protected long special(Node.Special special) {
    if (special.isBlock || special.countsBlocks) {
      return fail();
    }
    return switch (special.dimension) {
      case 0 -> special.isThread ? x : block.x();
      case 1 -> special.isThread ? y : block.y();
      default -> special.isThread ? z : block.z();
    };
  }

  @Override
  protected boolean hasAddress(Node node) {
    return dependences.dependsOnAny(node);
  }

  /** Addresses of shared memory have 32 bits or more. */
  @Override
  protected boolean keepsAddress(Node node) {
    return switch (node.operation) {
      case SIGN_EXTEND, ZERO_EXTEND, TRUNCATE ->
          node.bits >= Integer.SIZE && node.input(0).bits >= Integer.SIZE;
      default -> false;
    };
  }
}
