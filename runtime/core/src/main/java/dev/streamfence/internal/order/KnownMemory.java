package dev.streamfence.internal.order;

/** Memory as its hazard state knows it. Thread-safe. */
public interface KnownMemory {
  /** The name that its user has given it; may be empty. */
  String tag();

  /** Where it begins. */
  long address();

  /** How long it is. */
  long sizeInBytes();

  /**
   * Whether other memory of the device may stand for it: it is no host memory, belongs to no other
   * code, and no margins are around it.
   */
  boolean isReplaceable();
}
