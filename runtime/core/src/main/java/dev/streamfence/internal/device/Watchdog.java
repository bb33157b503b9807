package dev.streamfence.internal.device;

import dev.streamfence.DeviceHealth.OverdueWork;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Looks again and again for work that runs for long, in a thread of its own until it is closed.
 * Thread-safe.
 */
final class Watchdog {
  private static final long SHORTEST_PAUSE_NANOS = Duration.ofMillis(5).toNanos();

  private final Supplier<List<OverdueWork>> look;
  private final Consumer<OverdueWork> report;
  private final long pauseNanos;
  private final Thread thread;
  private volatile boolean closed;

  /**
   * Creates a watchdog, whose thread {@link #start} starts.
   *
   * @param look finds the work that is overdue and was not found before
   */
  Watchdog(
      String name, Duration limit, Supplier<List<OverdueWork>> look, Consumer<OverdueWork> report) {
    this.look = look;
    this.report = report;
    this.pauseNanos = Math.max(SHORTEST_PAUSE_NANOS, limit.toNanos() / 4);
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void close() {
    closed = true;
    LockSupport.unpark(thread);
  }

  private void run() {
    while (!closed) {
      try {
        look.get().forEach(this::report);
      } catch (Throwable e) {
        // The next look matters more.
      }
      LockSupport.parkNanos(pauseNanos);
    }
  }

  private void report(OverdueWork work) {
    try {
      report.accept(work);
    } catch (Throwable e) {
      // Such as of a handler of the log: the other work is reported still.
    }
  }
}
