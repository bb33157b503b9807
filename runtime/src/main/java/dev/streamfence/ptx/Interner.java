package dev.streamfence.ptx;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives things that are equal one object, if they come again before others take their place: code
 * repeats itself, and its text is small beside as many objects. Confined to one thread.
 */
final class Interner<T> {
  /** Enough for the words, the registers and the numbers of some hundred lines. */
  private static final int SIZE = 1 << 12;

  private final List<@Nullable T> recent = new ArrayList<>(Collections.nCopies(SIZE, null));
  private final ModelSize size;

  Interner(ModelSize size) {
    this.size = size;
  }

  /**
   * Returns an equal object, or this one, which then counts.
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
