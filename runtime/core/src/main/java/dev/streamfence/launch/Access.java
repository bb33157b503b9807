package dev.streamfence.launch;

/** How a launch or a copy accesses an allocation of device memory. Immutable. */
public enum Access {
  /** Reads only; runs at the same time as other reads. */
  READ,
  /** Overwrites without reading; waits for every earlier use. */
  WRITE,
  /** Reads and writes; ordered like {@link #WRITE}. */
  READ_WRITE;

  /** Whether it reads the old content. */
  public boolean reads() {
    return this != WRITE;
  }

  /** Whether it changes the content. */
  public boolean writes() {
    return this != READ;
  }

  /** The access of one use that combines both. */
  public Access and(Access other) {
    return this == other ? this : READ_WRITE;
  }
}
