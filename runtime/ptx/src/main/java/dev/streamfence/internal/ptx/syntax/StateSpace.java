package dev.streamfence.internal.ptx.syntax;

import java.util.Locale;
import java.util.Optional;

/** A state space: the memory in which a variable lies, and to which an address is relative. */
public enum StateSpace {
  REG,
  GLOBAL,
  SHARED,
  LOCAL,
  CONST,
  PARAM,
  /** No space is written: the address itself determines the memory. */
  GENERIC;

  /**
   * Returns the space written as {@code .name}. A sub-qualifier as in {@code shared::cta} is
   * accepted if it means this block's own memory.
   */
  public static Optional<StateSpace> named(String name) {
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
