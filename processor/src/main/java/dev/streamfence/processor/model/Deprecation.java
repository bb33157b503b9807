package dev.streamfence.processor.model;

/** How strongly the use of something is discouraged, from weakest to strongest. */
public enum Deprecation {
  NONE,
  DEPRECATED,
  FOR_REMOVAL;

  /** The stronger of two. */
  public Deprecation or(Deprecation other) {
    return compareTo(other) < 0 ? other : this;
  }
}
