package dev.streamfence.internal.ptx.analysis.lattice;

/**
 * How a value contains one origin: the factor before it in a sum, or that only some of its bits
 * came through.
 */
public enum Multiple {
  /** Not at all. */
  NONE,
  /** Once: the sum is an address in that origin's memory, if all else in it are offsets. */
  ONE,
  MINUS_ONE,
  /** Once, but for some of its bits: aligned, or with a tag taken off. */
  ALIGNED,
  MINUS_ALIGNED,
  /** By a factor above one: an index, not an address. */
  SCALED,
  MINUS_SCALED,
  /** Some of its bits, or what was computed from them: not an address, but a part of one. */
  PART,
  /** In a way that is not known: it may be an address again. */
  TOP;

  Multiple plus(Multiple other) {
    if (this == NONE || other == NONE) {
      return this == NONE ? other : this;
    }
    if ((this == ONE && other == MINUS_ONE) || (this == MINUS_ONE && other == ONE)) {
      return NONE;
    }
    if ((isWhole() && other.negated().isWhole()) || (negated().isWhole() && other.isWhole())) {
      // What one of them has lost is left of the other.
      return PART;
    }
    if (isPositive() && other.isPositive()) {
      return SCALED;
    }
    if (negated().isPositive() && other.negated().isPositive()) {
      return MINUS_SCALED;
    }
    // As when an address is aligned: the part taken off it is its own.
    return (isWhole() && other == PART) || (this == PART && other.isWhole()) ? ALIGNED : TOP;
  }

  /** Returns whether the sum is an address in that origin's memory, if all else are offsets. */
  public boolean isWhole() {
    return this == ONE || this == ALIGNED;
  }

  private boolean isPositive() {
    return isWhole() || this == SCALED;
  }

  Multiple negated() {
    return switch (this) {
      case ONE -> MINUS_ONE;
      case MINUS_ONE -> ONE;
      case ALIGNED -> MINUS_ALIGNED;
      case MINUS_ALIGNED -> ALIGNED;
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
      case ONE, ALIGNED -> SCALED;
      case MINUS_ONE, MINUS_ALIGNED -> MINUS_SCALED;
      // What moves up may be on its way to where it once was.
      case PART -> TOP;
      default -> this;
    };
  }

  /** Returns what some of its bits are, most of which are left: those of an aligned address. */
  Multiple aligned() {
    return switch (this) {
      case ONE -> ALIGNED;
      case MINUS_ONE -> MINUS_ALIGNED;
      default -> this;
    };
  }

  /** Returns what covers both of two possibilities. */
  Multiple join(Multiple other) {
    return covers(other) ? this : other.covers(this) ? other : TOP;
  }

  /** Returns whether whatever the other allows is allowed by this. */
  boolean covers(Multiple other) {
    return this == other
        || this == TOP
        || (this == ALIGNED && other == ONE)
        || (this == MINUS_ALIGNED && other == MINUS_ONE);
  }

  /** Returns whether the sum may be an address in that origin's memory. */
  public boolean mayBeAddress() {
    return isWhole() || this == TOP;
  }
}
