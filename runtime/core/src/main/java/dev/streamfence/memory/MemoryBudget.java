package dev.streamfence.memory;

import dev.streamfence.RuntimeOptions;

/**
 * The device memory that arrays may take at the same time, including freed arrays that the device
 * may still use. Immutable.
 */
public final class MemoryBudget {
  private static final MemoryBudget UNLIMITED = new MemoryBudget(RuntimeOptions.NO_BUDGET, 0);

  private final long bytes;

  /** Share of the device's memory; 0 if the budget is a number of bytes. */
  private final double share;

  private MemoryBudget(long bytes, double share) {
    this.bytes = bytes;
    this.share = share;
  }

  /**
   * A number of bytes.
   *
   * @param bytes at least 0; 0 refuses every array that is not empty
   * @throws IllegalArgumentException if it is negative
   */
  public static MemoryBudget ofBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          "a memory budget of " + bytes + " bytes; it is at least 0");
    }
    return new MemoryBudget(bytes, 0);
  }

  /**
   * A share of the device's total memory, regardless of other processes. It is one limit for all
   * runtimes of this process on the device: what the others take counts in it, whatever their
   * budgets.
   *
   * @param share above 0 and at most 1
   * @throws IllegalArgumentException if it is anything else
   */
  public static MemoryBudget ofDevice(double share) {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException(
          "a memory budget of " + share + " of the device; it is above 0 and at most 1");
    }
    return new MemoryBudget(0, share);
  }

  /** Only the device limits memory; reservations are then refused. */
  public static MemoryBudget unlimited() {
    return UNLIMITED;
  }

  /** The budget in bytes on a device with this much memory. */
  public long inBytes(long deviceBytes) {
    return share > 0 ? (long) (share * deviceBytes) : bytes;
  }

  /** Whether it is a share of the device, in which the other runtimes of this process count. */
  public boolean isShareOfDevice() {
    return share > 0;
  }

  /** Whether only the device limits memory. */
  public boolean isUnlimited() {
    return bytes == RuntimeOptions.NO_BUDGET;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MemoryBudget budget
        && budget.bytes == bytes
        && Double.compare(budget.share, share) == 0;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(bytes) ^ Double.hashCode(share);
  }

  @Override
  public String toString() {
    if (isUnlimited()) {
      return "no memory budget";
    }
    return "memory budget of " + (share > 0 ? share + " of the device" : bytes + " bytes");
  }
}
