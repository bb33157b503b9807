package dev.streamfence.internal;

/** Adds failures to the first one, which is thrown. Thread-safe. */
public final class Suppressed {
  private Suppressed() {}

  /**
   * Adds a later failure to the first one, unless it is the same object: when the Java heap is
   * full, the JVM throws an {@link OutOfMemoryError} that it has made in advance, and may do so
   * twice.
   */
  public static void add(Throwable first, Throwable later) {
    if (first == later) {
      return;
    }
    try {
      first.addSuppressed(later);
    } catch (OutOfMemoryError e) {
      // There is no room for it, and the first one matters more.
    }
  }
}
