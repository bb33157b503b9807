package dev.streamfence.internal.order;

import java.util.Arrays;

/** What tests do with the locks of hazard states. */
public final class HazardLocks {
  private HazardLocks() {}

  /** Gives streams places of their own for their reads, as if they had met often. */
  public static void share(HazardState state, Timeline... readers) {
    state.lock();
    for (Timeline reader : readers) {
      state.share(reader);
    }
    state.unlock();
  }

  /** Waits until a thread ends, or waits for the lock of a hazard state. */
  static void awaitEndOrLock(Thread thread) throws InterruptedException {
    while (thread.getState() != Thread.State.TERMINATED
        && Arrays.stream(thread.getStackTrace())
            .noneMatch(
                frame ->
                    frame.getClassName().equals(HazardLock.class.getName())
                        && frame.getMethodName().equals("pause"))) {
      Thread.sleep(1);
    }
  }
}
