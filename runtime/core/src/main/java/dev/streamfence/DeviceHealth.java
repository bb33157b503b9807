package dev.streamfence;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a device can be used. Immutable.
 *
 * @param state whether it can
 * @param fault the error that lost the device, or that the driver has returned to the question;
 *     null if there is none
 * @param overdue the work that runs longer than {@link RuntimeOptions#watchdogLimit}; empty without
 *     a watchdog
 */
public record DeviceHealth(
    State state, @Nullable CudaDriverException fault, List<OverdueWork> overdue) {
  /** Whether a device can be used. */
  public enum State {
    /** It can be used. */
    HEALTHY,
    /** It can be used, but some work runs longer than the watchdog allows. */
    OVERDUE,
    /** An error has ended its context: nothing that the runtime has can be used any more. */
    LOST,
    /** The runtime is closed. */
    CLOSED
  }

  /**
   * Work that runs for long. Immutable.
   *
   * @param work the kernel or copy, with its stream and ticket
   * @param running for how long the device has worked on it
   */
  public record OverdueWork(String work, Duration running) {}

  /** The list is copied. */
  public DeviceHealth {
    overdue = List.copyOf(overdue);
  }

  /** Whether the device can be used and no work is overdue. */
  public boolean isHealthy() {
    return state == State.HEALTHY;
  }
}
