package dev.streamfence.internal.ptx.symbolic;

import java.util.List;

/**
 * What a declaration says of the numbers that a kernel loads from an array: none is less than a
 * number, and none is greater than limits that each launch passes. Immutable.
 *
 * @param bytes the size of one such number
 * @param least the least of them
 * @param limits at least one; all of them hold
 */
public record NumberLimits(int bytes, long least, List<Limit> limits) {
  public NumberLimits {
    limits = List.copyOf(limits);
  }

  /** What none of the numbers is greater than. */
  public sealed interface Limit {
    /** Whether they are less than that, and not equal to it. */
    boolean isBelow();
  }

  /**
   * How many elements an array has.
   *
   * @param array its index
   */
  public record ArrayLength(int array, boolean isBelow) implements Limit {}

  /**
   * A number that a launch passes.
   *
   * @param place where the kernel receives it
   */
  public record PassedNumber(NumberPlace place, boolean isBelow) implements Limit {}
}
