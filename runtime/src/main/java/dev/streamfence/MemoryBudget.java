package dev.streamfence;

/**
 * How much device memory arrays may take at the same time, freed ones included that the device may
 * still use. Immutable.
 */
public sealed interface MemoryBudget {
  /**
   * A number of bytes.
   *
   * @param bytes at least 0; with 0 every array that is not empty is refused
   */
  record Bytes(long bytes) implements MemoryBudget {
    /** Checks the number. */
    public Bytes {
      if (bytes < 0) {
        throw new IllegalArgumentException(
            "a memory budget of " + bytes + " bytes; it is at least 0");
      }
    }

    @Override
    public long inBytes(long deviceBytes) {
      return bytes;
    }
  }

  /**
   * A share of the device's memory, whatever others take of it.
   *
   * @param share above 0 and at most 1
   */
  record Share(double share) implements MemoryBudget {
    /** Checks the share. */
    public Share {
      if (!(share > 0 && share <= 1)) {
        throw new IllegalArgumentException(
            "a memory budget of " + share + " of the device; it is above 0 and at most 1");
      }
    }

    @Override
    public long inBytes(long deviceBytes) {
      return (long) (share * deviceBytes);
    }
  }

  /** Nothing limits memory but the device; nothing can be reserved then. */
  record Unlimited() implements MemoryBudget {
    @Override
    public long inBytes(long deviceBytes) {
      return RuntimeOptions.NO_BUDGET;
    }
  }

  /** A number of bytes, see {@link Bytes}. */
  static MemoryBudget ofBytes(long bytes) {
    return new Bytes(bytes);
  }

  /** A share of the device's memory, see {@link Share}. */
  static MemoryBudget ofDevice(double share) {
    return new Share(share);
  }

  /** No budget, see {@link Unlimited}. */
  static MemoryBudget unlimited() {
    return new Unlimited();
  }

  /** The budget on a device with so much memory. */
  long inBytes(long deviceBytes);
}
