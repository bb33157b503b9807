package dev.streamfence.internal.driver.jcuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Threads that do ahead of time what a launch would do otherwise. */
final class EarlyThreadTest {
  @Test
  void theyAreDaemons() throws Exception {
    CompletableFuture<Boolean> isDaemon = new CompletableFuture<>();

    EarlyThread.start(new Thread(() -> isDaemon.complete(Thread.currentThread().isDaemon())));

    assertThat(isDaemon.get(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void whereTheProcessMayHaveNoMoreThreadsItGoesOnWithout() {
    Thread failing =
        new Thread("one too many") {
          @Override
          public synchronized void start() {
            throw new OutOfMemoryError("unable to create native thread");
          }
        };

    assertThatCode(() -> EarlyThread.start(failing)).doesNotThrowAnyException();
  }
}
