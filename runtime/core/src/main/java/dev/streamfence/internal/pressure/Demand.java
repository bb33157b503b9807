package dev.streamfence.internal.pressure;

import dev.streamfence.internal.memory.BudgetResource;

/**
 * What a task waits for. Immutable.
 *
 * @param what the request, for errors
 * @param bytes of the request, or those that a task needs to begin again
 * @param resource the memory that it is asked from
 * @param isTurn whether the task has given way and waits to begin again, so it asks for nothing yet
 */
public record Demand(String what, long bytes, BudgetResource resource, boolean isTurn) {
  @Override
  public String toString() {
    return (isTurn ? "to begin again with " : "for ") + bytes + " bytes for " + what;
  }
}
