package dev.streamfence.internal.ptx.syntax;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Shares one object among equal values that recur before others replace it: code repeats itself,
 * and separate objects would take far more memory than its text. Confined to one thread.
 */
final class Interner<T> {
  /** Enough for the words, registers and numbers of some hundred lines. */
  private static final int SIZE = 1 << 12;

  private final List<@Nullable T> recent = new ArrayList<>(Collections.nCopies(SIZE, null));
  private final ModelSize size;

  Interner(ModelSize size) {
    this.size = size;
  }

  /**
   * Returns an equal object if one is remembered; otherwise remembers, counts and returns this one.
   *
   * @param parts how much it counts
   */
  T one(T value, int parts) {
    int hash = value.hashCode();
    int place = (hash ^ hash >>> 12 ^ hash >>> 24) & SIZE - 1;
    T earlier = recent.get(place);
    if (earlier != null && value.equals(earlier)) {
      return earlier;
    }
    size.add(parts);
    recent.set(place, value);
    return value;
  }
}
