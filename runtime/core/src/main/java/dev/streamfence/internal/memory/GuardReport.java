package dev.streamfence.internal.memory;

/**
 * A violation that a guard has detected. Immutable.
 *
 * @param violation the kind of violation
 * @param allocation the allocation concerned, which says where it was allocated
 * @param fact a description of the violation
 */
public record GuardReport(Violation violation, Allocation allocation, String fact) {
  /** The kinds of violation. */
  public enum Violation {
    /** Bytes before the allocation were overwritten. */
    BEFORE,
    /** Bytes after the allocation were overwritten. */
    BEHIND,
    /** The allocation was written after it was freed. */
    AFTER_FREE,
    /** The allocation's memory overlaps another one's. */
    OVERLAP
  }
}
