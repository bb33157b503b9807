package dev.streamfence.internal.ptx.analysis;

/**
 * A kernel's use of a variable of its module. An access that is not reported does not happen.
 *
 * @param reads whether it may load from it
 * @param writes whether it may store to it
 */
public record VariableUse(boolean reads, boolean writes) {
  static final VariableUse NONE = new VariableUse(false, false);

  /** Returns whether there is an access. */
  public boolean isAny() {
    return reads || writes;
  }
}
