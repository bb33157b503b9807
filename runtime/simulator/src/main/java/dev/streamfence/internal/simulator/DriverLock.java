package dev.streamfence.internal.simulator;

import java.util.function.Supplier;

/**
 * Admits one driver call at a time, of all devices that share the lock. A refused call has changed
 * nothing; a call that ends with an {@link Error} may have done part of its work, so it ends the
 * device.
 */
final class DriverLock {
  private final DeviceState state;
  private final WaitingThreads waiting;

  /**
   * Whether a call has begun and not ended. The next call sees this if stack or memory did not even
   * suffice to record the reason.
   */
  private boolean inside;

  /**
   * Creates the lock of a device.
   *
   * @param waiting the threads that wait for it; the lock of the devices that share them
   */
  DriverLock(DeviceState state, WaitingThreads waiting) {
    this.state = state;
    this.waiting = waiting;
  }

  <T> T call(Supplier<T> call) {
    // An interruption does not end the wait for a monitor, but the kernel that is waited for.
    waiting.add();
    return locked(call);
  }

  private <T> T locked(Supplier<T> call) {
    synchronized (waiting) {
      waiting.remove();
      enter();
      try {
        T answer = call.get();
        inside = false;
        return answer;
      } catch (RuntimeException refusal) {
        inside = false;
        throw refusal;
      } catch (Error e) {
        state.breakDown(e);
        inside = false;
        throw e;
      }
    }
  }

  void run(Runnable call) {
    boolean done =
        call(
            () -> {
              call.run();
              return true;
            });
    assert done;
  }

  private void enter() {
    if (inside) {
      state.breakDown(new IllegalStateException("an earlier call was cut short"));
    }
    inside = true;
  }
}
