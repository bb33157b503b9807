package dev.streamfence.internal.ptx.symbolic;

import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The values of a kernel in one thread, as far as what is known of the thread and its launch
 * decides them. Confined to one thread.
 */
public abstract class ThreadEvaluation extends Evaluation {
  private final Dependences dependences;

  /**
   * Creates the values of a thread.
   *
   * @param dependences which values are computed from addresses
   */
  protected ThreadEvaluation(NodeGraph nodes, Dependences dependences) {
    super(nodes.size());
    this.dependences = dependences;
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
    resume();
    return OptionalLong.empty();
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
