package dev.streamfence.arrow;

import dev.streamfence.internal.Suppressed;
import java.util.List;

/** Closes what was made before a failure. */
final class Closing {
  private Closing() {}

  /** Closes everything; the failure keeps what fails now. */
  static void closeAfter(Throwable failure, List<? extends AutoCloseable> made) {
    for (AutoCloseable each : made) {
      try {
        each.close();
      } catch (Throwable e) {
        Suppressed.add(failure, e);
      }
    }
  }
}
