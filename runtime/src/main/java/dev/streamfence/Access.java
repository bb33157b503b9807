package dev.streamfence;

/** How a launch or a copy touches a block of device memory. Immutable. */
public enum Access {
  /** Reads only; runs at the same time as other reads. */
  READ,
  /** Overwrites without looking; waits for every earlier use. */
  WRITE,
  /** Reads and writes; ordered like {@link #WRITE}. */
  READ_WRITE;

  /** Whether the old content is seen. */
  public boolean reads() {
    return this != WRITE;
  }

  /** Whether the content is changed. */
  public boolean writes() {
    return this != READ;
  }

  /** What one use amounts to that touches a block in both ways. */
  public Access and(Access other) {
    return this == other ? this : READ_WRITE;
  }
}
