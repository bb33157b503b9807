package dev.streamfence.stream;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last submissions of a stream by name, to say what a fault may be the fault of. Written by the
 * holder of the submission lock.
 */
final class RecentWork {
  private static final int REMEMBERED = 8;

  private final @Nullable UseLabels[] labels = new UseLabels[REMEMBERED];

  void note(long ticket, UseLabels of) {
    labels[(int) (ticket % REMEMBERED)] = of;
  }

  /**
   * Adds in words what is submitted and not known to be done, latest first. Racy, benign: meanwhile
   * others may submit, and what they overwrite is older.
   */
  void describe(long completed, long submitted, List<String> descriptions) {
    long oldest = Math.max(completed + 1, submitted - REMEMBERED + 1);
    for (long ticket = submitted; ticket >= oldest; ticket--) {
      UseLabels of = labels[(int) (ticket % REMEMBERED)];
      if (of != null) {
        descriptions.add(of.purpose() + " (ticket " + ticket + ")");
      }
    }
  }
}
