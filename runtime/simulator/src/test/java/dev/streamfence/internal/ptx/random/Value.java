package dev.streamfence.internal.ptx.random;

/**
 * A register of a random kernel.
 *
 * @param least a limit of its number in the launches of {@link RandomLaunch}
 * @param most another one
 * @param isUniform whether it is the same in all threads of a block
 */
record Value(String register, long least, long most, boolean isUniform) {
  /** The same in all launches. */
  static Value constant(long number) {
    return new Value(String.valueOf(number), number, number, true);
  }

  boolean isNatural() {
    return least >= 0;
  }

  /**
   * Whether a kernel may take it for a number without a sign: a proof assumes of numbers of the
   * launch that those are not negative.
   */
  boolean mayBeUnsigned() {
    return isNatural() || !isUniform;
  }

  @Override
  public String toString() {
    return register;
  }
}
