package dev.streamfence.internal.pressure;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.memory.Account;
import dev.streamfence.internal.memory.BudgetResource;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a task waits for. Immutable.
 *
 * @param what the request, for errors
 * @param bytes of the request, or those that a task needs to begin again
 * @param resource the memory that it is asked from
 * @param isTurn whether the task has given way and waits to begin again, so it asks for nothing yet
 * @param around what it needs from the budget of the whole runtime, which also counts what the task
 *     had in other budgets; null for a request
 */
public record Demand(
    String what, long bytes, BudgetResource resource, boolean isTurn, @Nullable Demand around) {
  /** A request for memory. */
  public Demand(String what, long bytes, BudgetResource resource) {
    this(what, bytes, resource, false, null);
  }

  /** What a task lacks of it that has so many bytes of an account. */
  Demand lacking(ToLongFunction<Account> held) {
    return new Demand(
        what,
        Math.max(0, bytes - held.applyAsLong(resource.account())),
        resource,
        isTurn,
        around == null ? null : around.lacking(held));
  }

  /**
   * Refuses what would not fit now.
   *
   * @param idleBytes of arrays that can leave the device
   * @throws OutOfMemoryBudgetException if a budget has too little room
   */
  void check(long idleBytes) {
    resource.check(Math.max(0, bytes - idleBytes));
    if (around != null) {
      around.check(idleBytes);
    }
  }

  /** The account that has no room for it; null if the device has none, or all have room by now. */
  @Nullable Account refuser(OutOfMemoryBudgetException refusal) {
    if (refusal.isByDriver()) {
      return null;
    }
    Account refuser = resource.refuser(bytes);
    return refuser == null && around != null ? around.refuser(refusal) : refuser;
  }

  @Override
  public String toString() {
    return (isTurn ? "to begin again with " : "for ") + bytes + " bytes for " + what;
  }
}
