package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Polynomial;

/**
 * An access to memory that several threads reach.
 *
 * @param memory the index of the memory's base
 * @param isGlobal whether threads of several blocks reach that memory
 * @param offset where it begins in that memory, in bytes
 * @param isExact whether that is the place, unless arithmetic wraps around in 32 bits or more
 */
record SharedAccess(
    MemoryAccess access, int memory, boolean isGlobal, Polynomial offset, boolean isExact) {
  boolean writes() {
    return access.writes();
  }

  int width() {
    return access.width();
  }

  boolean isAtomic() {
    return access.instruction().opcode().equals("atom")
        || access.instruction().opcode().equals("red");
  }

  /**
   * Whether the device orders it with another access to the same bytes: both are atomic, or one is
   * and the other one is a strong load of the same value. PTX ISA, "Data-races": accesses that are
   * morally strong are none; a load of a vector is one of each of its elements.
   */
  boolean isOrderedWith(SharedAccess other) {
    boolean areStrong =
        (isAtomic() && other.isAtomic())
            || (isAtomic() && other.isStrongLoad() && width() == other.width())
            || (isStrongLoad() && other.isAtomic() && width() == other.width());
    return areStrong && !(isGlobal && (isOrderedLocally() || other.isOrderedLocally()));
  }

  private boolean isStrongLoad() {
    return !writes() && !isPlain() && !isVector();
  }

  private boolean isVector() {
    return access.instruction().has("v2")
        || access.instruction().has("v4")
        || access.instruction().has("v8");
  }

  /** Whether only the threads of one block, or of one cluster, take part in that order. */
  private boolean isOrderedLocally() {
    return access.instruction().has("cta") || access.instruction().has("cluster");
  }

  /** Whether it is a load or a store that the compiler may treat as the thread's own. */
  boolean isPlain() {
    return !isAtomic()
        && !access.instruction().has("volatile")
        && !access.instruction().has("relaxed")
        && !access.instruction().has("acquire")
        && !access.instruction().has("release")
        && !access.instruction().has("mmio");
  }
}
