package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The line alone, and how often its threads wake. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WaitingLineTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  private final WaitingLine line = new WaitingLine();
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicBoolean isThere = new AtomicBoolean();
  private final List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
  private final List<Thread> served = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void end() throws InterruptedException {
    for (Thread thread : threads) {
      thread.interrupt();
      thread.join();
    }
  }

  private @Nullable Object attempt() {
    attempts.incrementAndGet();
    if (!isThere.get()) {
      return null;
    }
    served.add(Thread.currentThread());
    return this;
  }

  /** Starts a thread that waits, until it sleeps in the line. */
  private Thread waiting(Duration timeout) {
    Thread thread =
        new Thread(
            () -> {
              try {
                line.await(this::attempt, Deadline.after(timeout));
              } catch (InterruptedException e) {
                // The end of the test.
              }
            });
    threads.add(thread);
    thread.start();
    while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    return thread;
  }

  /** How often a thread has begun to wait. */
  private static long waits(Thread thread) {
    return ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId()).getWaitedCount();
  }

  private void awaitAttempts(int more) {
    int wanted = attempts.get() + more;
    while (attempts.get() < wanted) {
      Thread.onSpinWait();
    }
  }

  @Test
  void onlyTheFirstWakesToTryWithoutASignal() {
    waiting(LONG);
    Thread second = waiting(LONG);
    long before = waits(second);
    awaitAttempts(3);
    assertThat(waits(second)).isEqualTo(before);
  }

  @Test
  void aSignalWakesOnlyTheFirst() {
    waiting(LONG);
    Thread second = waiting(LONG);
    long before = waits(second);
    for (int i = 0; i < 10; i++) {
      line.signal();
      awaitAttempts(1);
    }
    assertThat(waits(second)).isEqualTo(before);
  }

  @Test
  void aThreadThatLeavesWakesOnlyTheOneBehindTheFirst() throws Exception {
    Thread first = waiting(LONG);
    Thread second = waiting(LONG);
    Thread third = waiting(LONG);
    Thread last = waiting(LONG);
    long before = waits(last);
    third.interrupt();
    third.join();
    first.interrupt();
    first.join();
    awaitAttempts(3);
    assertThat(waits(last)).isEqualTo(before);
    isThere.set(true);
    second.join();
    last.join();
    assertThat(served).containsExactly(second, last);
  }

  @Test
  void aThreadWhoseTimeIsUpLeavesTheOthersInOrder() throws Exception {
    Thread first = waiting(LONG);
    Thread brief = waiting(Duration.ofMillis(30));
    Thread last = waiting(LONG);
    brief.join();
    isThere.set(true);
    line.signal();
    first.join();
    last.join();
    assertThat(served).containsExactly(first, last);
  }

  /** In some of the rounds the thread in the middle is interrupted while it becomes the first. */
  @Test
  void aThreadThatIsInterruptedWhenItsTurnComesHandsItOn() throws Exception {
    for (int round = 0; round < 200; round++) {
      isThere.set(false);
      Thread first = waiting(LONG);
      Thread middle = waiting(LONG);
      Thread last = waiting(LONG);
      isThere.set(true);
      first.interrupt();
      middle.interrupt();
      // No signal comes, so that a turn that is lost stays lost.
      last.join();
      first.join();
      middle.join();
    }
    assertThat(served).hasSizeGreaterThanOrEqualTo(200);
  }
}
