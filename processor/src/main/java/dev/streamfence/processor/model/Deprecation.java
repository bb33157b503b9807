package dev.streamfence.processor.model;

/** How much using something is discouraged, from not at all to the most. */
public enum Deprecation {
  NONE,
  DEPRECATED,
  FOR_REMOVAL;

  /** The stronger one of two. */
  public Deprecation or(Deprecation other) {
    return compareTo(other) < 0 ? other : this;
  }
}
