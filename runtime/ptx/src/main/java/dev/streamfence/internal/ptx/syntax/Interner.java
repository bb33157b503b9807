package dev.streamfence.internal.ptx.syntax;

import org.jspecify.annotations.Nullable;

/**
 * Shares one object among equal values that recur before others replace it: code repeats itself,
 * and separate objects would take far more memory than its text. Confined to one thread.
 */
final class Interner<T> {
  /** Enough for the words, registers and numbers of some hundred lines. */
  private static final int SIZE = 1 << 12;

  private final @Nullable Object[] recent = new Object[SIZE];
  private final ModelSize size;

  Interner(ModelSize size) {
    this.size = size;
  }

  /**
   * Returns an equal object if one is remembered; otherwise remembers, counts and returns this one.
   *
   * @param parts how much it counts
   */
  @SuppressWarnings("unchecked") // What equals a value of this type is one that was put here.
  T one(T value, int parts) {
    int hash = value.hashCode();
    int place = (hash ^ hash >>> 12 ^ hash >>> 24) & SIZE - 1;
    Object earlier = recent[place];
    if (earlier != null && value.equals(earlier)) {
      return (T) earlier;
    }
    size.add(parts);
    recent[place] = value;
    return value;
  }
}
