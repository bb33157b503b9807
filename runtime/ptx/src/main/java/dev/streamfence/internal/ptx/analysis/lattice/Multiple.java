package dev.streamfence.internal.ptx.analysis.lattice;

/**
 * The way in which a value contains one origin: the factor in a sum, or the loss of some bits. A
 * small lattice of its own.
 */
public enum Multiple {
  /** Not at all. */
  NONE,
  /** Once: the sum is an address in the origin's memory if the rest of it is offsets. */
  ONE,
  MINUS_ONE,
  /** Once, without some of its bits: aligned, or with a tag removed. */
  ALIGNED,
  MINUS_ALIGNED,
  /** By a factor above one: an index, not an address. */
  SCALED,
  MINUS_SCALED,
  /** Some of its bits, or a number computed from them: part of an address, but not an address. */
  PART,
  /** A number below 128 that is counted from its bits: too small to be a part of an address. */
  COUNT,
  /** The greatest element: in an unknown way. The value may be an address again. */
  TOP;

  Multiple plus(Multiple other) {
    if (this == NONE || other == NONE) {
      return this == NONE ? other : this;
    }
    if ((this == ONE && other == MINUS_ONE) || (this == MINUS_ONE && other == ONE)) {
      return NONE;
    }
    if ((isWhole() && other.negated().isWhole()) || (negated().isWhole() && other.isWhole())) {
      // The bits that one of them has lost remain of the other.
      return PART;
    }
    if (isPositive() && other.isPositive()) {
      return SCALED;
    }
    if (negated().isPositive() && other.negated().isPositive()) {
      return MINUS_SCALED;
    }
    // Code aligns an address by subtracting a part of the same address.
    return (isWhole() && other == PART) || (this == PART && other.isWhole()) ? ALIGNED : TOP;
  }

  /** Returns whether the sum is an address in the origin's memory if the rest of it is offsets. */
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

  /** Returns the multiple after a multiplication by a factor other than 0, 1 and -1. */
  Multiple times(long factor) {
    return factor < 0 ? scaled().negated() : scaled();
  }

  /** Returns the multiple after a multiplication by a factor above one. */
  Multiple scaled() {
    return switch (this) {
      case ONE, ALIGNED -> SCALED;
      case MINUS_ONE, MINUS_ALIGNED -> MINUS_SCALED;
      // Bits that move up may return to their original position.
      case PART, COUNT -> TOP;
      default -> this;
    };
  }

  /** Returns the multiple after the loss of a few bits, as in an aligned address. */
  Multiple aligned() {
    return switch (this) {
      case ONE -> ALIGNED;
      case MINUS_ONE -> MINUS_ALIGNED;
      default -> this;
    };
  }

  /** Returns the least multiple that covers both. */
  Multiple join(Multiple other) {
    return covers(other) ? this : other.covers(this) ? other : TOP;
  }

  /** Returns whether this is equal to or above the other in the lattice. */
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
