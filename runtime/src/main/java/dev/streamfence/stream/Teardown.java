package dev.streamfence.stream;

import org.jspecify.annotations.Nullable;

/**
 * The steps of an orderly close: each is carried out whatever became of those before, be it an
 * {@link Error}, and the first failure is thrown at the end with the others suppressed. Confined to
 * one thread.
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

  /** Throws the first failure, if there was one. */
  public void finish() {
    if (first instanceof Error error) {
      throw error;
    }
    if (first instanceof RuntimeException exception) {
      throw exception;
    }
  }
}
