package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.internal.LogTopic;

/** Threads that do ahead of time what a launch would do otherwise. Stateless. */
final class EarlyThread {
  private EarlyThread() {}

  /** Starts a thread as a daemon; where the process may have no more, logs that and goes on. */
  static void start(Thread thread) {
    try {
      thread.setDaemon(true);
      thread.start();
    } catch (OutOfMemoryError | SecurityException e) {
      LogTopic.DEVICES.info("no thread for " + thread.getName() + ": " + e);
    }
  }
}
