package dev.streamfence.internal.ptx.analysis.lattice;

/**
 * An origin of a value: a parameter (or one field of a structure), or the address of an object such
 * as a variable. An origin is an int, so that many of them stay cheap. Stateless.
 */
public final class Origin {
  /** More than any module needs; the bits from here on hold the role. */
  public static final int MAX_INDEX = 1 << 28;

  private static final int ROLE_SHIFT = 28;
  private static final int NUMBER = 1;
  private static final int NARROW = 3;
  private static final int TABLE = 4;
  private static final int OBJECT = 7;

  private Origin() {}

  public static int parameter(int index, ParameterRole role) {
    return index | code(role) << ROLE_SHIFT;
  }

  /** Returns a number that is narrower than an address. */
  public static int narrow(int index) {
    return index | NARROW << ROLE_SHIFT;
  }

  public static boolean isNarrow(int origin) {
    return origin >>> ROLE_SHIFT == NARROW;
  }

  public static int object(int index) {
    return index | OBJECT << ROLE_SHIFT;
  }

  public static boolean isObject(int origin) {
    return origin >>> ROLE_SHIFT == OBJECT;
  }

  public static boolean isTable(int origin) {
    return origin >>> ROLE_SHIFT == TABLE;
  }

  /** Returns whether an origin has a role; a table is also a buffer. */
  public static boolean is(int origin, ParameterRole role) {
    int code = origin >>> ROLE_SHIFT;
    return (code == NARROW ? NUMBER : code) == code(role)
        || (code == TABLE && role == ParameterRole.BUFFER);
  }

  private static int code(ParameterRole role) {
    return switch (role) {
      case BUFFER -> 0;
      case NUMBER -> NUMBER;
      case EITHER -> 2;
      case TABLE -> TABLE;
    };
  }

  public static int index(int origin) {
    return origin & MAX_INDEX - 1;
  }
}
