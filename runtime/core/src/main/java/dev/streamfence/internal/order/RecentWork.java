package dev.streamfence.internal.order;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of a stream's last submissions, as possible causes of a fault. Written by the holder of
 * the submission lock.
 */
final class RecentWork {
  private static final int REMEMBERED = 8;

  private final @Nullable UseLabels[] labels = new UseLabels[REMEMBERED];

  void note(long ticket, UseLabels of) {
    int place = (int) (ticket % REMEMBERED);
    // A comparison is cheaper than storing a reference.
    if (labels[place] != of) {
      labels[place] = of;
    }
  }

  /**
   * Adds descriptions of the work that is submitted and not known to be done, latest first. Racy,
   * benign: another thread may submit meanwhile, which overwrites older entries.
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
