package dev.streamfence.internal.ptx.run.machine;

import dev.streamfence.internal.ptx.syntax.StateSpace;

/**
 * The windows of the memories other than global memory among generic addresses. The top four bits
 * of an address select a window; if they select none, the address is in global memory.
 */
public final class Windows {
  static final long SHARED = 0x4000_0000_0000_0000L;
  static final long LOCAL = 0x5000_0000_0000_0000L;
  static final long CONST = 0x6000_0000_0000_0000L;
  static final long PARAM = 0x7000_0000_0000_0000L;
  public static final long FUNCTION = 0xF000_0000_0000_0000L;

  private Windows() {}

  /** Returns the memory that a generic address is in. */
  public static StateSpace spaceOf(long address) {
    return switch ((int) (address >>> 60)) {
      case 4 -> StateSpace.SHARED;
      case 5 -> StateSpace.LOCAL;
      case 6 -> StateSpace.CONST;
      case 7 -> StateSpace.PARAM;
      default -> StateSpace.GLOBAL;
    };
  }

  /** Returns the offset to add to an address of a space to make it generic. */
  public static long base(StateSpace space) {
    return switch (space) {
      case SHARED -> SHARED;
      case LOCAL -> LOCAL;
      case CONST -> CONST;
      case PARAM -> PARAM;
      case GLOBAL, GENERIC, REG -> 0;
    };
  }
}
