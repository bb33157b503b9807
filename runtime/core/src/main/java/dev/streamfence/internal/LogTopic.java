package dev.streamfence.internal;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the runtime logs, by topic: each has a logger of its own, whose name is part of the
 * documentation. Thread-safe.
 */
public enum LogTopic {
  /** Which devices, drivers and libraries there are. */
  DEVICES,
  /** Kernel modules that are skipped, not checked, or made from another version of their source. */
  KERNELS,
  /** Launches that were left open or abandoned. */
  LAUNCHES,
  /** Arrays, exports and memory that were not given back. */
  LEAKS,
  /** Guarded memory that was written outside of arrays. */
  GUARDS,
  /** Code of others that failed when it was called back. */
  CALLBACKS,
  /** Work that takes longer than the watchdog allows. */
  WATCHDOG,
  /** What the simulated device finds. */
  SIMULATION;

  private static final String PREFIX = "dev.streamfence.";

  /** The name of its logger. */
  public String loggerName() {
    return PREFIX + name().toLowerCase(Locale.ROOT);
  }

  /** Logs a warning. */
  public void warn(String fact) {
    warn(fact, null);
  }

  /** Logs a warning with what shows where it comes from; null for nothing. */
  public void warn(String fact, @Nullable Throwable origin) {
    log(System.Logger.Level.WARNING, fact, origin);
  }

  /** Logs an error. */
  public void error(String fact, @Nullable Throwable origin) {
    log(System.Logger.Level.ERROR, fact, origin);
  }

  /** Logs information. */
  public void info(String fact) {
    log(System.Logger.Level.INFO, fact, null);
  }

  private void log(System.Logger.Level level, String fact, @Nullable Throwable origin) {
    System.getLogger(loggerName()).log(level, fact, origin);
  }
}
