package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import org.jspecify.annotations.Nullable;

/**
 * What a declaration says of the numbers that a kernel loads from an array: none is less than a
 * number, and none is greater than a limit that each launch passes. Immutable.
 *
 * @param bytes the size of one such number
 * @param array the array whose length limits them; of no meaning if a number does
 * @param number where the kernel receives the number that limits them; null if a length does
 * @param isBelow whether they are less than that, and not equal to it
 * @param least the least of them
 */
public record NumberLimit(
    int bytes, int array, @Nullable NumberPlace number, boolean isBelow, long least) {
  /** Numbers that the length of an array limits. */
  public static NumberLimit ofLength(int bytes, int array, boolean isBelow, long least) {
    return new NumberLimit(bytes, array, null, isBelow, least);
  }

  /** Numbers that a number limits. */
  public static NumberLimit ofNumber(int bytes, NumberPlace number, boolean isBelow, long least) {
    return new NumberLimit(bytes, -1, number, isBelow, least);
  }
}
