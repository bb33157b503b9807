package dev.streamfence.internal.pressure;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.memory.Account;
import dev.streamfence.internal.memory.BudgetResource;
import org.jspecify.annotations.Nullable;

/**
 * What a task waits for. Immutable.
 *
 * @param what the request, for errors
 * @param bytes of the request, or those that a task needs to begin again
 * @param resource the memory that it is asked from
 * @param isTurn whether the task has given way and waits to begin again, so it asks for nothing yet
 */
public record Demand(String what, long bytes, BudgetResource resource, boolean isTurn) {
  /** The account that has no room for it; null if the device has none, or all have room by now. */
  @Nullable Account refuser(OutOfMemoryBudgetException refusal) {
    return refusal.isByDriver() ? null : resource.refuser(bytes);
  }

  @Override
  public String toString() {
    return (isTurn ? "to begin again with " : "for ") + bytes + " bytes for " + what;
  }
}
