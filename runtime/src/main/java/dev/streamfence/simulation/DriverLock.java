package dev.streamfence.simulation;

import java.util.function.Supplier;

/**
 * Lets in one driver call at a time. A call that is refused has changed nothing; one that an {@link
 * Error} ends may have done a part of its work, so that the device ends with it.
 */
final class DriverLock {
  private final DeviceState state;

  /**
   * Whether a call has begun and not ended, which the next call sees if there was not even the
   * stack or the memory to note why.
   */
  private boolean inside;

  DriverLock(DeviceState state) {
    this.state = state;
  }

  synchronized <T> T call(Supplier<T> call) {
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
