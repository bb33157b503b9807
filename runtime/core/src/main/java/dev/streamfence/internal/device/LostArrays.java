package dev.streamfence.internal.device;

import java.lang.ref.Cleaner;

/**
 * The cleaner of arrays that become unreachable without being closed, with one thread for all
 * runtimes of the process.
 */
final class LostArrays {
  static final Cleaner CLEANER =
      Cleaner.create(
          action -> {
            Thread thread = new Thread(action, "streamfence lost arrays");
            thread.setDaemon(true);
            return thread;
          });

  private LostArrays() {}
}
