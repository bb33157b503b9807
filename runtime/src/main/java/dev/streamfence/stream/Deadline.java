package dev.streamfence.stream;

import java.time.Duration;
import java.util.Objects;

/** A moment until which something is waited for. Immutable. */
public final class Deadline {
  /** More than this {@link System#nanoTime} cannot count. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

  private final long nanos;

  private Deadline(long nanos) {
    this.nanos = nanos;
  }

  /**
   * The moment after a time from now.
   *
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public static Deadline after(Duration timeout) {
    return from(System.nanoTime(), timeout);
  }

  /**
   * The moment after a time from another moment.
   *
   * @param startNanos by {@link System#nanoTime}
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

  /** How long it is until then; 0 once the moment has come. */
  public long remainingNanos() {
    return Math.max(0, nanos - System.nanoTime());
  }
}
