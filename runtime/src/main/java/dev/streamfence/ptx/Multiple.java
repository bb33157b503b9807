package dev.streamfence.ptx;

/**
 * How a value contains one origin: the factor before it in a sum, or that only some of its bits
 * came through.
 */
enum Multiple {
  /** Not at all. */
  NONE,
  /** Once: the sum is an address in that origin's memory, if all else in it are offsets. */
  ONE,
  MINUS_ONE,
  /** By a factor above one: an index, not an address. */
  SCALED,
  MINUS_SCALED,
  /** Some of its bits, or what was computed from them: not an address, but a part of one. */
  PART,
  /** In a way that is not known: it may be an address again. */
  ANY;

  Multiple plus(Multiple other) {
    if (this == NONE || other == NONE) {
      return this == NONE ? other : this;
    }
    if (this == other) {
      return switch (this) {
        case ONE, SCALED -> SCALED;
        case MINUS_ONE, MINUS_SCALED -> MINUS_SCALED;
        default -> ANY;
      };
    }
    if (is(other, ONE, MINUS_ONE)) {
      return NONE;
    }
    if (is(other, ONE, SCALED)) {
      return SCALED;
    }
    if (is(other, MINUS_ONE, MINUS_SCALED)) {
      return MINUS_SCALED;
    }
    // As when an address is aligned: the part taken off it is its own.
    return is(other, ONE, PART) ? ONE : ANY;
  }

  private boolean is(Multiple other, Multiple a, Multiple b) {
    return (this == a && other == b) || (this == b && other == a);
  }

  Multiple negated() {
    return switch (this) {
      case ONE -> MINUS_ONE;
      case MINUS_ONE -> ONE;
      case SCALED -> MINUS_SCALED;
      case MINUS_SCALED -> SCALED;
      default -> this;
    };
  }

  /** Returns what a factor other than 0, 1 and -1 makes of it. */
  Multiple times(long factor) {
    return factor < 0 ? scaled().negated() : scaled();
  }

  /** Returns what a factor above one makes of it. */
  Multiple scaled() {
    return switch (this) {
      case ONE -> SCALED;
      case MINUS_ONE -> MINUS_SCALED;
      // What moves up may be on its way to where it once was.
      case PART -> ANY;
      default -> this;
    };
  }

  /** Returns what covers both of two possibilities. */
  Multiple or(Multiple other) {
    return this == other ? this : ANY;
  }

  /** Returns whether the sum may be an address in that origin's memory. */
  boolean mayBeAddress() {
    return this == ONE || this == ANY;
  }
}
