package dev.streamfence.ptx;

import java.util.Locale;
import java.util.Optional;

/** Where a variable lives, and which memory an address is relative to. */
enum StateSpace {
  REG,
  GLOBAL,
  SHARED,
  LOCAL,
  CONST,
  PARAM,
  /** No space written: the address itself says which memory it is in. */
  GENERIC;

  /**
   * Returns the space written as {@code .name}. A sub-qualifier as in {@code shared::cta} is taken
   * as the space itself where it means this block's own memory.
   */
  static Optional<StateSpace> named(String name) {
    return switch (name) {
      case "reg" -> Optional.of(REG);
      case "global" -> Optional.of(GLOBAL);
      case "shared", "shared::cta" -> Optional.of(SHARED);
      case "local" -> Optional.of(LOCAL);
      case "const" -> Optional.of(CONST);
      case "param", "param::entry", "param::func" -> Optional.of(PARAM);
      default -> Optional.empty();
    };
  }

  @Override
  public String toString() {
    return "." + name().toLowerCase(Locale.ROOT);
  }
}
