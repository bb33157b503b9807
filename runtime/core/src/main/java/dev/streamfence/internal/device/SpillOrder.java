package dev.streamfence.internal.device;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Arrays on the device, from the one that was used least recently. Thread-safe; {@code this} is
 * held for one step, and calls only {@link Entry#lastUse}.
 *
 * <p>A use changes nothing here: it takes its number in the array. An array that has been used is
 * moved when a pass comes to it, so a pass looks at those that it returns, and at those used since
 * an earlier one came to them.
 */
final class SpillOrder<E extends SpillOrder.Entry> {
  /** An array, as the order sees it. */
  abstract static class Entry {
    /** Where it is. Guarded by the order that it is in. */
    long position;

    /** The number of its last use, which no other array has; it grows. */
    abstract long lastUse();
  }

  /** One pass from the first to the last. Used by one thread, while others change the order. */
  final class Pass {
    private final long end;
    private long passed = Long.MIN_VALUE;

    private Pass(long end) {
      this.end = end;
    }

    /** The next array; null after the last. */
    @Nullable E next() {
      synchronized (SpillOrder.this) {
        while (true) {
          Map.Entry<Long, E> found = order.higherEntry(passed);
          if (found == null || found.getKey() > end) {
            return null;
          }
          E next = found.getValue();
          long lastUse = next.lastUse();
          if (lastUse <= next.position) {
            passed = next.position;
            return next;
          }
          move(next, lastUse);
        }
      }
    }
  }

  private final NavigableMap<Long, E> order = new TreeMap<>();

  /** Adds an array, which is on the device from now on. */
  synchronized void add(E array) {
    array.position = array.lastUse();
    order.put(array.position, array);
  }

  /** Removes an array, if it is there. */
  synchronized void remove(E array) {
    order.remove(array.position, array);
  }

  /**
   * Begins a pass.
   *
   * @param end the number of a use: the pass leaves out the arrays that are used after it
   */
  Pass pass(long end) {
    return new Pass(end);
  }

  /** Held: {@code this}. */
  private void move(E array, long position) {
    order.put(position, array);
    order.remove(array.position);
    array.position = position;
  }
}
