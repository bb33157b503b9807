package dev.streamfence.internal.order;

import org.jspecify.annotations.Nullable;

/**
 * The steps of an orderly close: each runs even if an earlier one failed, even with an {@link
 * Error}. The first failure is thrown at the end, with the others suppressed. Confined to one
 * thread.
 */
public final class Teardown {
  private @Nullable Throwable first;

  /** Carries out one step. */
  public void step(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      if (first == null) {
        first = e;
      } else if (first != e) {
        first.addSuppressed(e);
      }
    }
  }

  /** Whether a step has failed so far. */
  public boolean hasFailed() {
    return first != null;
  }

  /** Adds the first failure, if any, to another one. */
  public void suppressIn(Throwable other) {
    if (first != null) {
      other.addSuppressed(first);
    }
  }

  /** Throws the first failure, if any. */
  public void finish() {
    if (first instanceof Error error) {
      throw error;
    }
    if (first instanceof RuntimeException exception) {
      throw exception;
    }
  }
}
