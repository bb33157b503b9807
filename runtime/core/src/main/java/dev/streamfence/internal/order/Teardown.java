package dev.streamfence.internal.order;

import dev.streamfence.internal.Suppressed;
import org.jspecify.annotations.Nullable;

/**
 * The steps of an orderly close: each runs even if an earlier one failed, with whatever it throws.
 * The first failure is thrown at the end, with the others suppressed. Confined to one thread.
 */
public final class Teardown {
  private @Nullable Throwable first;

  /** Carries out one step. */
  public void step(Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      failed(e);
    }
  }

  /** Notes the failure of a step that was carried out elsewhere. */
  public void failed(Throwable failure) {
    first = first(first, failure);
  }

  /** The first failure of two, to which the second one is added. */
  static Throwable first(@Nullable Throwable first, Throwable failure) {
    if (first == null) {
      return failure;
    }
    Suppressed.add(first, failure);
    return first;
  }

  /** Whether a step has failed so far. */
  public boolean hasFailed() {
    return first != null;
  }

  /** Adds the first failure, if any, to another one. */
  public void suppressIn(Throwable other) {
    if (first != null) {
      Suppressed.add(other, first);
    }
  }

  /** Throws the first failure, if any. */
  public void finish() {
    if (first != null) {
      Teardown.<RuntimeException>rethrow(first);
    }
  }

  /** Throws a failure of any kind as it is. */
  @SuppressWarnings("unchecked") // Other code may throw what it does not declare.
  static <T extends Throwable> void rethrow(Throwable failure) throws T {
    throw (T) failure;
  }
}
