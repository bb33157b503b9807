package dev.streamfence.internal.ptx.bounds;

/**
 * The bytes of an array that an instruction may touch, as steps of a {@link RangeProgram}.
 *
 * @param range the offsets of the first byte
 * @param guards what the guards on the way leave; if one is empty, the access never happens
 * @param checks whether the offsets are those of the formula
 * @param width how many bytes it touches
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared, and the arrays never change.
record TouchedRange(int range, int[] guards, int[] checks, int width) {
  /** Whether some guard on the way never holds in a launch. */
  boolean isUnreachable(RangeProgram.Results results) {
    for (int guard : guards) {
      if (results.isEmpty(guard)) {
        return true;
      }
    }
    return false;
  }
}
