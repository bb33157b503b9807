package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.LogTopic;

/** Threads that do ahead of time what a launch would do otherwise. Stateless. */
final class EarlyThread {
  private EarlyThread() {}

  /** Starts a daemon; where the process may have no more threads, logs that and goes on. */
  static void start(String name, Runnable work) {
    try {
      Thread thread = new Thread(work, name);
      thread.setDaemon(true);
      thread.start();
    } catch (OutOfMemoryError | SecurityException e) {
      LogTopic.DEVICES.info("no thread for " + name + ": " + e);
    }
  }
}
