package dev.streamfence;

/**
 * How much device memory arrays may take at the same time, freed ones included that the device may
 * still use. Immutable.
 */
public final class MemoryBudget {
  private static final MemoryBudget UNLIMITED = new MemoryBudget(RuntimeOptions.NO_BUDGET, 0);

  private final long bytes;

  /** Of the device's memory; 0 where the bytes are counted. */
  private final double share;

  private MemoryBudget(long bytes, double share) {
    this.bytes = bytes;
    this.share = share;
  }

  /**
   * A number of bytes.
   *
   * @param bytes at least 0; with 0 every array that is not empty is refused
   */
  public static MemoryBudget ofBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          "a memory budget of " + bytes + " bytes; it is at least 0");
    }
    return new MemoryBudget(bytes, 0);
  }

  /**
   * A share of the device's memory, whatever others take of it.
   *
   * @param share above 0 and at most 1
   */
  public static MemoryBudget ofDevice(double share) {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException(
          "a memory budget of " + share + " of the device; it is above 0 and at most 1");
    }
    return new MemoryBudget(0, share);
  }

  /** Nothing limits memory but the device; nothing can be reserved then. */
  public static MemoryBudget unlimited() {
    return UNLIMITED;
  }

  /** The budget on a device with so much memory. */
  long inBytes(long deviceBytes) {
    return share > 0 ? (long) (share * deviceBytes) : bytes;
  }

  boolean isUnlimited() {
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
