package dev.streamfence.internal.order;

import java.time.Duration;
import java.util.Objects;

/** The moment at which a wait gives up. Immutable. */
public final class Deadline {
  /** The longest timeout: {@link System#nanoTime} cannot count much further. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

  private final long nanos;

  private Deadline(long nanos) {
    this.nanos = nanos;
  }

  /**
   * The moment {@code timeout} from now.
   *
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public static Deadline after(Duration timeout) {
    return from(System.nanoTime(), timeout);
  }

  /**
   * The moment {@code timeout} after another.
   *
   * @param startNanos the other moment, by {@link System#nanoTime}
   */
  static Deadline from(long startNanos, Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("a timeout of " + timeout + "; it is at least 0");
    }
    long nanos = timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : timeout.toNanos();
    return new Deadline(startNanos + nanos);
  }

  /** Whether the moment has come. */
  public boolean hasPassed() {
    return remainingNanos() == 0;
  }

  /** The time left; 0 once the moment has come. */
  public long remainingNanos() {
    return Math.max(0, nanos - System.nanoTime());
  }
}
