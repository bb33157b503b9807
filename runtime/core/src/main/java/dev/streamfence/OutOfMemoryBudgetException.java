package dev.streamfence;

import org.jspecify.annotations.Nullable;

/**
 * A request for device memory exceeds the rest of a budget or, if {@link #isByDriver}, of the
 * device. Nothing was allocated and nothing changed.
 */
public final class OutOfMemoryBudgetException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final long requested;
  private final long current;
  private final long pending;
  private final long peak;
  private final long limit;
  private final String budget;
  private final boolean byDriver;

  /**
   * Creates the exception of a budget.
   *
   * @param what the requested array or allocation
   * @param requested bytes requested
   * @param current bytes that this runtime uses, including those pending
   * @param pending bytes freed that the device may still use
   * @param peak the most bytes of open arrays, and of closed ones that the device might still use,
   *     before the request
   * @param limit bytes that may be in use
   * @param budget the name of the budget that refuses; empty for the runtime's budget
   * @param others bytes of other runtimes of this process that count in the limit as well
   * @param cause why freed memory was not returned, if it was not
   */
  public OutOfMemoryBudgetException(
      String what,
      long requested,
      long current,
      long pending,
      long peak,
      long limit,
      String budget,
      long others,
      @Nullable Throwable cause) {
    this(
        what
            + " needs "
            + requested
            + " bytes; "
            + current
            + " of "
            + limit
            + " bytes "
            + (budget.isEmpty() ? "" : "of the budget '" + budget + "' ")
            + "are in use"
            + (pending == 0
                ? ""
                : ", " + pending + " of them freed, though the device may still use them")
            + (others == 0
                ? ""
                : ", and " + others + " by other runtimes of this process on the device")
            + "; close arrays that are no longer needed or ask for less",
        requested,
        current,
        pending,
        peak,
        limit,
        budget,
        false,
        cause);
  }

  private OutOfMemoryBudgetException(
      String message,
      long requested,
      long current,
      long pending,
      long peak,
      long limit,
      String budget,
      boolean byDriver,
      @Nullable Throwable cause) {
    super(message, cause);
    this.requested = requested;
    this.current = current;
    this.pending = pending;
    this.peak = peak;
    this.limit = limit;
    this.budget = budget;
    this.byDriver = byDriver;
  }

  /**
   * Creates the exception of a request that fits the budget but that the driver refuses: other code
   * uses the rest of the device, or the free pieces are too small.
   *
   * @param what the requested array or allocation
   * @param refuser the name of what refuses the request, such as {@code the driver}
   * @param requested bytes requested
   * @param open bytes of the runtime's open allocations
   * @param pending bytes that the runtime has freed, and the device may still use
   * @param peak the most bytes of the runtime's open arrays, and of closed ones that the device
   *     might still use, before the request
   * @param free bytes that are free on the device according to the driver; negative if unknown
   * @param total bytes of the device
   * @param error the driver's error
   */
  public static OutOfMemoryBudgetException byDriver(
      String what,
      String refuser,
      long requested,
      long open,
      long pending,
      long peak,
      long free,
      long total,
      CudaDriverException error) {
    String figures =
        (free < 0 ? "how many of " : free + " of ")
            + total
            + " bytes of the device are free"
            + (free < 0 ? " is unknown" : "");
    return new OutOfMemoryBudgetException(
        what
            + " needs "
            + requested
            + " bytes, which "
            + refuser
            + " refuses: "
            + error.call()
            + " answered "
            + error.codeName()
            + " ("
            + error.code()
            + "); "
            + figures
            + ", this runtime has "
            + open
            + " in open arrays and "
            + pending
            + " freed that the device may still use; close arrays of this runtime or of other code"
            + " on the device, or ask for less",
        requested,
        free < 0 ? open + pending : total - free,
        pending,
        peak,
        total,
        "",
        true,
        error);
  }

  /**
   * The same refusal, with this one as its cause and an account of what was tried to avoid it.
   *
   * @param account follows the message
   */
  public OutOfMemoryBudgetException after(String account) {
    return new OutOfMemoryBudgetException(
        getMessage() + "; " + account,
        requested,
        current,
        pending,
        peak,
        limit,
        budget,
        byDriver,
        this);
  }

  /**
   * Whether the driver, or a memory resource of the user, refused a request that the budget admits:
   * the cause is that error, and {@link #current} and {@link #limit} are the device's. Otherwise
   * they are a budget's.
   */
  public boolean isByDriver() {
    return byDriver;
  }

  /** Bytes requested. */
  public long requested() {
    return requested;
  }

  /** Bytes in use when the request came, including those {@link #pending}. */
  public long current() {
    return current;
  }

  /** Bytes that were freed, and that the device may still use. */
  public long pending() {
    return pending;
  }

  /** Bytes that may be in use. */
  public long limit() {
    return limit;
  }

  /**
   * The most bytes of open arrays, and of closed ones that the device might still use, at the same
   * time before the request, since the beginning or the last {@link DeviceMemory#resetPeak}. A
   * refused request does not change it.
   */
  public long peak() {
    return peak;
  }

  /** Whether the sum of the bytes requested and the bytes in use exceeds a {@code long}. */
  public boolean isOverflow() {
    return requested > Long.MAX_VALUE - current;
  }

  /** The name of the budget that refuses; empty for the runtime's budget, or for the device. */
  public String budget() {
    return budget;
  }
}
