package dev.streamfence;

import dev.streamfence.memory.MemoryTask;
import dev.streamfence.memory.Retry;
import org.jspecify.annotations.Nullable;

/**
 * All tasks wait for memory that other tasks hold, and this one has to give way: its code closes
 * the arrays that it has allocated, calls {@link MemoryTask#awaitTurn}, and begins again. {@link
 * Retry} does that. Nothing was allocated.
 */
public final class RetryAllocationException extends DeviceException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the signal.
   *
   * @param cause the latest refusal; null if the request only waited behind others
   */
  public RetryAllocationException(String message, @Nullable OutOfMemoryBudgetException cause) {
    super(message, cause);
  }
}
