package dev.streamfence;

import org.jspecify.annotations.Nullable;

/** A request for device memory exceeds what is left. Nothing was allocated and nothing changed. */
public final class OutOfMemoryBudgetException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final long requested;
  private final long current;
  private final long limit;
  private final String budget;

  /**
   * Creates the exception.
   *
   * @param what the requested array or allocation
   * @param requested bytes requested
   * @param current bytes in use, including those freed but not yet given back
   * @param limit bytes that may be in use
   * @param budget the name of the budget that refuses; empty for that of the runtime or the device
   * @param cause the driver's error if the driver refused, or why freed memory did not come back
   */
  public OutOfMemoryBudgetException(
      String what,
      long requested,
      long current,
      long limit,
      String budget,
      @Nullable Throwable cause) {
    super(
        what
            + " needs "
            + requested
            + " bytes; "
            + current
            + " of "
            + limit
            + " bytes "
            + (budget.isEmpty() ? "" : "of the budget '" + budget + "' ")
            + "are in use; close arrays that are no longer needed or ask for less",
        cause);
    this.requested = requested;
    this.current = current;
    this.limit = limit;
    this.budget = budget;
  }

  /** Bytes requested. */
  public long requested() {
    return requested;
  }

  /** Bytes in use when the request came. */
  public long current() {
    return current;
  }

  /** Bytes that may be in use. */
  public long limit() {
    return limit;
  }

  /** The name of the budget that refuses; empty for that of the runtime or the device. */
  public String budget() {
    return budget;
  }
}
