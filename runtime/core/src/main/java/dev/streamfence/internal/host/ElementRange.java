package dev.streamfence.internal.host;

/** Checks of ranges of elements, and how errors name them. */
public final class ElementRange {
  private ElementRange() {}

  /**
   * Refuses a range that is not within an array.
   *
   * @param array the array, for errors
   * @param operation the operation, for errors
   */
  public static void require(long from, long count, long length, Object array, String operation) {
    if (from < 0 || count < 0 || from > length - count) {
      throw new IllegalArgumentException(
          operation + " of " + inWords(from, count) + " of " + array + ", which has " + length);
    }
  }

  /** Refuses a range that is not within a host array. */
  public static void requireOnHost(long from, long count, long length, String operation) {
    if (from < 0 || count < 0 || from > length - count) {
      throw new IllegalArgumentException(
          operation + " with " + inWords(from, count) + " of the host array, which has " + length);
    }
  }

  /** A range of elements, such as {@code elements 10 to 19}. */
  public static String inWords(long from, long count) {
    return count <= 0 || from > Long.MAX_VALUE - count
        ? count + " elements from " + from
        : "elements " + from + " to " + (from + count - 1);
  }
}
