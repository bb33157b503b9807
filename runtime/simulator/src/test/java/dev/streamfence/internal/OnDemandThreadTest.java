package dev.streamfence.internal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The start and the end of a thread that is not always needed. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OnDemandThreadTest {
  private final Queue<Integer> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger done = new AtomicInteger();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger mostRunning = new AtomicInteger();

  private @Nullable Thread last;

  /** How many more threads cannot be started. */
  private int refused;

  /** What happens once, just before the thread finds no task and ends. */
  private final AtomicReference<Runnable> beforeEnd = new AtomicReference<>(() -> {});

  /** What happens once, after the thread has said that it ends. */
  private final AtomicReference<Runnable> atEnd = new AtomicReference<>(() -> {});

  private final OnDemandThread thread =
      new OnDemandThread(
          run -> {
            if (refused-- > 0) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            last = new Thread(run);
            return last;
          },
          () -> {
            atEnd.getAndSet(() -> {}).run();
            return !tasks.isEmpty();
          },
          this::turn);

  private boolean turn() {
    mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
    try {
      if (tasks.poll() == null) {
        beforeEnd.getAndSet(() -> {}).run();
        return false;
      }
      done.incrementAndGet();
      return true;
    } finally {
      running.decrementAndGet();
    }
  }

  private void add(int task) {
    tasks.add(task);
    thread.ensure();
  }

  private void awaitDone(int count) {
    while (done.get() < count) {
      Thread.yield();
    }
  }

  @Test
  void aThreadThatCannotBeStartedIsTriedAgain() {
    refused = 2;
    assertThatThrownBy(() -> add(1)).isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(() -> add(2)).isInstanceOf(OutOfMemoryError.class);
    add(3);
    awaitDone(3);
  }

  @Test
  void aTaskThatComesWhileTheThreadEndsIsDone() {
    beforeEnd.set(() -> add(2));
    add(1);
    awaitDone(2);
  }

  @Test
  void aTaskThatComesJustAfterTheThreadHasEndedIsDoneByOneThread() {
    atEnd.set(() -> add(2));
    add(1);
    awaitDone(2);
    assertThat(mostRunning.get()).isOne();
  }

  @Test
  void theThreadEndsAndStartsAgain() throws InterruptedException {
    for (int i = 1; i <= 100; i++) {
      add(i);
      awaitDone(i);
      requireNonNull(last).join();
    }
  }
}
