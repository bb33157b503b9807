package dev.streamfence;

import dev.streamfence.memory.MemoryTask;
import dev.streamfence.memory.Retry;

/**
 * A {@link MemoryTask} asks for more memory than the other tasks can free: its code closes the
 * arrays that it has allocated, divides its input, and begins again with the first part. {@link
 * Retry} does that. Nothing was allocated.
 */
public final class SplitAndRetryException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final OutOfMemoryBudgetException refusal;

  /**
   * Creates the signal.
   *
   * @param refusal the latest refusal
   */
  public SplitAndRetryException(String message, OutOfMemoryBudgetException refusal) {
    super(message, refusal);
    this.refusal = refusal;
  }

  /** The latest refusal, for code that cannot ask for less. */
  public OutOfMemoryBudgetException refusal() {
    return refusal;
  }
}
