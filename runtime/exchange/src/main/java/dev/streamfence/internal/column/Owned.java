package dev.streamfence.internal.column;

import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.order.Teardown;
import java.util.List;

/**
 * What a column or table closes, in the order in which it is closed. Everything in it may be closed
 * again without effect. Immutable, so thread-safe.
 */
final class Owned {
  /** Nothing. */
  static final Owned NOTHING = new Owned(List.of());

  private final List<Runnable> closes;

  private Owned(List<Runnable> closes) {
    this.closes = List.copyOf(closes);
  }

  /** What these actions close. */
  static Owned by(List<Runnable> closes) {
    return new Owned(closes);
  }

  /** What these actions close. */
  static Owned by(Runnable... closes) {
    return new Owned(List.of(closes));
  }

  boolean isEmpty() {
    return closes.isEmpty();
  }

  /** Closes everything, goes on after a failure, and throws the first one. */
  void close() {
    Teardown all = new Teardown();
    closes.forEach(all::step);
    all.finish();
  }

  /** Closes everything after another failure, which keeps what fails now. */
  void closeAfter(Throwable failure) {
    try {
      close();
    } catch (Throwable e) {
      Suppressed.add(failure, e);
    }
  }
}
