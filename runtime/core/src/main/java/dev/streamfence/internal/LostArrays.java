package dev.streamfence.internal;

import java.lang.ref.Cleaner;

/**
 * The cleaner of arrays that become unreachable without being closed, and of downloads whose values
 * no caller has asked for, with one thread for all runtimes of the process.
 */
public final class LostArrays {
  public static final Cleaner CLEANER =
      Cleaner.create(
          action -> {
            Thread thread = new Thread(action, "streamfence lost arrays");
            thread.setDaemon(true);
            return thread;
          });

  private LostArrays() {}
}
