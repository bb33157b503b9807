package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.Evaluation;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The values of a kernel in one thread of one launch, as far as the thread's place and the numbers
 * of the launch decide them; one thread after another. Confined to one thread.
 */
final class ConcreteThread extends Evaluation {
  private final Dependences dependences;
  private TrialLaunch launch;
  private int number;

  /** Creates the first thread of a launch. */
  ConcreteThread(int values, Dependences dependences, TrialLaunch launch) {
    super(values);
    this.dependences = dependences;
    this.launch = launch;
    begin();
  }

  /** Becomes another thread, by its place among all threads of a launch. */
  void become(TrialLaunch other, int place) {
    launch = other;
    number = place;
    begin();
  }

  /** A value; empty if it is not known before the launch. */
  OptionalLong known(Node node) {
    long value = value(node);
    if (!hasFailed()) {
      return OptionalLong.of(value);
    }
    begin();
    return OptionalLong.empty();
  }

  /** Whether a predicate holds; empty if that is unknown. Without a predicate it does. */
  Optional<Boolean> holds(@Nullable Node predicate) {
    if (predicate == null) {
      return Optional.of(true);
    }
    OptionalLong value = known(predicate);
    return value.isPresent() ? Optional.of(value.getAsLong() != 0) : Optional.empty();
  }

  @Override
  protected long special(Special special) {
    return launch.special(special, number);
  }

  @Override
  protected long argument(int index) {
    return launch.argument(index);
  }

  @Override
  protected boolean hasAddress(Node node) {
    return dependences.dependsOnAny(node);
  }

  @Override
  protected boolean keepsAddress(Node node) {
    return switch (node.operation) {
      case SIGN_EXTEND, ZERO_EXTEND, TRUNCATE ->
          node.bits >= Integer.SIZE && node.input(0).bits >= Integer.SIZE;
      default -> false;
    };
  }
}
