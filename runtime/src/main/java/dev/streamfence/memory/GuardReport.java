package dev.streamfence.memory;

/**
 * Something wrote where it must not. Immutable.
 *
 * @param kind what was found
 * @param block the block that was overrun, or used after its free; it knows where it was allocated
 * @param fact what was found where, in words
 */
public record GuardReport(Kind kind, Block block, String fact) {
  /** What a guard finds. */
  public enum Kind {
    /** Bytes in front of the block were overwritten. */
    BEFORE,
    /** Bytes behind the block were overwritten. */
    BEHIND,
    /** The block was written after it was freed. */
    AFTER_FREE,
    /** The memory of the block is also that of another one. */
    OVERLAP
  }
}
