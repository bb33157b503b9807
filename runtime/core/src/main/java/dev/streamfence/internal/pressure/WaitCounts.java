package dev.streamfence.internal.pressure;

import dev.streamfence.internal.pressure.PressureTask.Signal;
import dev.streamfence.memory.PressureStatistics;
import dev.streamfence.memory.SpillStatistics;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How many waits there were, and how they ended. Guarded by the lock of {@link WaitingTasks}. */
final class WaitCounts {
  private long waits;
  private long waitedNanos;
  private long retries;
  private long splits;
  private long refusals;

  void began() {
    waits++;
  }

  /**
   * A wait has ended.
   *
   * @param signal what ended it besides memory; null if nothing did
   */
  void ended(long nanos, boolean hasMemory, @Nullable Signal signal) {
    waitedNanos += nanos;
    if (signal == Signal.RETRY) {
      retries++;
    } else if (signal == Signal.SPLIT) {
      splits++;
    } else if (signal == null && !hasMemory) {
      refusals++;
    }
  }

  /** A task was told to ask for less without a wait. */
  void split() {
    splits++;
  }

  PressureStatistics snapshot(int tasks, int waiting, SpillStatistics spilling) {
    return new PressureStatistics(
        tasks, waiting, waits, Duration.ofNanos(waitedNanos), retries, splits, refusals, spilling);
  }
}
