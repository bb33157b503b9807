package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.RuntimeClosedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Entering, leaving and closing, step by step; two threads take turns. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LifeTest {
  private static final Duration HOUR = Duration.ofHours(1);

  // One place, so that the second thread inside has its visit in the map.
  private final Life life = new Life(() -> "a runtime", new Visits(1));
  private final ExecutorService other = Executors.newSingleThreadExecutor();

  @AfterEach
  void end() {
    other.shutdownNow();
  }

  private <T> T inOther(Callable<T> work) throws Exception {
    try {
      return other.submit(work).get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofMillis(20));
  }

  private List<Visit> stillInside(Deadline deadline) throws InterruptedException {
    List<Visit> visits = new ArrayList<>();
    assertThat(life.awaitAlone(visits::add, deadline)).isEqualTo(visits.isEmpty());
    return visits;
  }

  @Test
  void aThreadIsInsideFromItsFirstEntryToItsLastLeave() {
    assertThat(life.isEntered()).isFalse();
    life.enter();
    life.enter();
    life.leave();
    assertThat(life.isEntered()).isTrue();
    life.leave();
    assertThat(life.isEntered()).isFalse();
    life.leave();
    assertThat(life.isEntered()).isFalse();
  }

  @Test
  void threadsThatShareAPlaceEnterAndLeaveIndependently() throws Exception {
    life.enter();
    assertThat(inOther(life::isEntered)).isFalse();
    assertThat(inOther(life::tryEnter)).isTrue();
    assertThat(inOther(life::isEntered)).isTrue();
    inOther(
        () -> {
          life.enter();
          life.leave();
          return null;
        });
    assertThat(inOther(life::isEntered)).isTrue();
    life.leave();
    assertThat(inOther(life::isEntered)).isTrue();
    inOther(
        () -> {
          life.leave();
          return null;
        });
    assertThat(inOther(life::isEntered)).isFalse();
    assertThat(inOther(life::tryEnter)).isTrue();
  }

  @Test
  void aThreadThatMustNotWaitMayAgainAfterItLeft() {
    assertThat(life.mayWait()).isTrue();
    assertThat(life.tryEnterWithoutWaiting()).isTrue();
    assertThat(life.mayWait()).isFalse();
    life.leave();
    assertThat(life.mayWait()).isTrue();
    life.enter();
    assertThat(life.mayWait()).isTrue();
  }

  @Test
  void whileOneThreadClosesTheOthersAreRefusedByName() throws Exception {
    assertThat(inOther(() -> life.beginClosing(null))).isTrue();
    assertThat(life.isOpen()).isFalse();
    assertThat(life.isClosed()).isFalse();
    assertThatThrownBy(life::enter)
        .isInstanceOfSatisfying(
            RuntimeClosedException.class, e -> assertThat(e.runtime()).isEqualTo("a runtime"));
    assertThatThrownBy(life::requireOpen).isInstanceOf(RuntimeClosedException.class);
    assertThat(life.tryEnter()).isFalse();
    assertThat(life.tryEnterWithoutWaiting()).isFalse();
    assertThat(life.isEntered()).isFalse();
  }

  @Test
  void theThreadThatClosesGoesOnUsingTheRuntimeUntilTheEnd() throws Exception {
    assertThat(life.beginClosing(null)).isTrue();
    life.requireOpen();
    life.enter();
    assertThat(stillInside(soon())).isEmpty();
    life.leave();
    assertThat(life.beginClosing(null)).isFalse();
    life.endClosing();
    assertThat(life.isClosed()).isTrue();
    assertThat(life.tryEnter()).isFalse();
    assertThat(life.beginClosing(null)).isFalse();
  }

  @Test
  void anOperationThatBeganBeforeTheEndMayBeginOthers() throws Exception {
    life.enter();
    assertThat(inOther(() -> life.beginClosing(null))).isTrue();
    life.enter();
    life.leave();
    assertThat(life.isEntered()).isTrue();
    life.leave();
    assertThat(life.tryEnter()).isFalse();
  }

  @Test
  void closingSeesEveryThreadInsideUntilItsDeadline() throws Exception {
    inOther(life::tryEnter);
    Thread inside = inOther(Thread::currentThread);
    CountDownLatch entered = new CountDownLatch(1);
    Thread second =
        new Thread(
            () -> {
              life.enter();
              entered.countDown();
            });
    second.start();
    entered.await();
    second.join();
    life.beginClosing(null);
    assertThat(stillInside(soon())).extracting(Visit::owner).contains(inside, second);
    inOther(
        () -> {
          life.leave();
          return null;
        });
    List<Visit> left = stillInside(soon());
    assertThat(left).extracting(Visit::owner).containsOnly(second);
    life.evict(left.get(0));
    assertThat(stillInside(soon())).isEmpty();
    assertThat(stillInside(Deadline.after(HOUR))).isEmpty();
  }

  @Test
  void closingGoesOnWhenTheLastThreadLeaves() throws Exception {
    life.enter();
    Future<Boolean> alone =
        other.submit(() -> life.beginClosing(null) && life.awaitAlone(visit -> {}, null));
    while (life.isOpen()) {
      Thread.onSpinWait();
    }
    assertThat(alone).isNotDone();
    life.leave();
    assertThat(alone.get()).isTrue();
  }

  @Test
  void anInterruptEndsTheWaitForOthersOnlyIfItHasADeadline() throws Exception {
    inOther(life::tryEnter);
    life.beginClosing(null);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> life.awaitAlone(visit -> {}, Deadline.after(HOUR)))
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
    Thread.currentThread().interrupt();
    int[] looks = {0};
    assertThat(
            life.awaitAlone(
                visit -> {
                  if (++looks[0] == 4) {
                    life.evict(visit);
                  }
                },
                null))
        .isTrue();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aSecondCloserWaitsUntilTheEndOrItsDeadline() throws Exception {
    inOther(() -> life.beginClosing(null));
    assertThat(life.beginClosing(soon())).isFalse();
    assertThat(life.isClosed()).isFalse();
    Future<Boolean> second =
        Executors.newSingleThreadExecutor(LifeTest::daemon)
            .submit(() -> life.beginClosing(Deadline.after(HOUR)));
    inOther(
        () -> {
          life.endClosing();
          return null;
        });
    assertThat(second.get()).isFalse();
    assertThat(life.isClosed()).isTrue();
  }

  @Test
  void theNextCloseContinuesAPostponedOne() throws Exception {
    inOther(() -> life.beginClosing(null));
    Future<Boolean> second =
        Executors.newSingleThreadExecutor(LifeTest::daemon).submit(() -> life.beginClosing(null));
    assertThat(second.isDone()).isFalse();
    inOther(
        () -> {
          life.pauseClosing();
          return null;
        });
    assertThat(second.get()).isTrue();
    assertThat(life.isOpen()).isFalse();
    assertThat(life.isClosed()).isFalse();
  }

  @Test
  void theTimeForClosingCountsFromItsFirstBeginning() throws Exception {
    life.beginClosing(null);
    Thread.sleep(20);
    life.pauseClosing();
    life.beginClosing(null);
    assertThat(life.afterClosingBegan(Duration.ofMillis(20)).hasPassed()).isTrue();
    assertThat(life.afterClosingBegan(HOUR).hasPassed()).isFalse();
  }

  @Test
  void aCloserWaitsForTheEndOnlyWhileAnotherThreadCloses() throws Exception {
    life.awaitClosed();
    life.beginClosing(null);
    life.awaitClosed();
    Future<Boolean> waiting =
        other.submit(
            () -> {
              life.awaitClosed();
              return life.isClosed();
            });
    TimeUnit.MILLISECONDS.sleep(10);
    assertThat(waiting.isDone()).isFalse();
    life.endClosing();
    assertThat(waiting.get()).isTrue();
    life.awaitClosed();
  }

  private static Thread daemon(Runnable run) {
    Thread thread = new Thread(run);
    thread.setDaemon(true);
    return thread;
  }
}
