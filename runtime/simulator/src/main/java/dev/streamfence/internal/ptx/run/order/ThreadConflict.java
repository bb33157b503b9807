package dev.streamfence.internal.ptx.run.order;

import dev.streamfence.internal.ptx.syntax.Instruction;

/**
 * Two unordered accesses of two threads to the same bytes, one of them a store. Immutable.
 *
 * @param first the one that ran first
 * @param second the one that ran second
 * @param sameValue whether both store, and the second what was there
 * @param shared whether the bytes are in the block's shared memory
 * @param address the first byte of the second access, in its memory
 * @param bytes the size of the second access
 */
public record ThreadConflict(
    ConflictingAccess first,
    ConflictingAccess second,
    boolean sameValue,
    boolean shared,
    long address,
    int bytes) {
  /**
   * One of the two accesses.
   *
   * @param block the thread's block, as a linear index in the order in which blocks started
   * @param thread the thread in its block, as a linear index
   * @param stores whether it stores
   * @param instruction the instruction that makes it
   */
  public record ConflictingAccess(int block, int thread, boolean stores, Instruction instruction) {}
}
