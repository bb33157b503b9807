package dev.streamfence.memory;

/**
 * The open arrays with one tag. Immutable.
 *
 * @param arrays how many there are
 * @param bytes the sum of their bytes
 */
public record TagUsage(long arrays, long bytes) {
  /** The usage of both. */
  public TagUsage plus(TagUsage other) {
    return new TagUsage(arrays + other.arrays, bytes + other.bytes);
  }
}
