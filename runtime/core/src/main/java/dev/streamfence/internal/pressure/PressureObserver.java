package dev.streamfence.internal.pressure;

import dev.streamfence.trace.TracedPressure.Kind;
import dev.streamfence.trace.TracedPressure.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Hears of waits for memory, and of arrays that leave the device and come back. Thread-safe; its
 * methods do not wait, and throw nothing.
 */
public interface PressureObserver {
  /**
   * A wait or a copy begins.
   *
   * @return to be passed to {@link #end}, unless the copy fails; null if there is nothing to report
   */
  @Nullable Object begin(Kind kind);

  /**
   * The wait or the copy has ended.
   *
   * @param begun what {@link #begin} has returned
   * @param task the task that has waited; empty for a copy
   * @param what the request or the array, in words
   * @param bytes of the request or the array
   * @param outcome what ended the wait, or where the array was brought or came from
   */
  void end(@Nullable Object begun, String task, String what, long bytes, Outcome outcome);
}
