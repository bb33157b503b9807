package dev.streamfence.internal.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.corpus.Effort;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.PendingUse;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that meet the return of memory to the caching pool by another thread. */
final class ReturnsToThePoolTest {
  private static final UseLabels LAUNCH = new NamedUse("a launch");

  private volatile boolean isHeldUp;
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final SimulatedStreams on =
      new SimulatedStreams(
          Schedule.LAZY,
          (method, call) -> {
            if (isHeldUp && method.equals("waitForEvent")) {
              isHeldUp = false;
              Waiting.await(goOn);
            }
            return call.proceed();
          });
  private final CachingPool pool =
      new CachingPool(DriverMemory.pooled(on.driver), Long.MAX_VALUE, Long.MAX_VALUE);
  private final UpstreamResource pooled =
      UpstreamResource.of(on.pool, pool, UnaryOperator.identity(), false, Long.MAX_VALUE);

  /** A free on a stream that this thread has taken is carried out later. */
  private void postpone(BudgetResource budget, Allocation allocation) {
    try (Submission launch = on.a.begin(LAUNCH)) {
      assertThat(launch.isHeldByCurrentThread()).isTrue();
      budget.deallocate(allocation);
    }
  }

  /** Lets two streams read an allocation, so that its free is work on one of them. */
  private void readOnTwoStreams(BudgetResource budget, Allocation read) {
    Allocation onA = budget.allocate(256, on.a, "");
    Allocation onB = budget.allocate(256, on.b, "");
    on.copies.fill(on.a, Region.of(read).range(0, read.sizeInBytes()), 1, 1);
    on.copies.copy(on.b, Region.of(read).range(0, 256), Region.of(onB).range(0, 256));
    on.copies.copy(on.a, Region.of(read).range(0, 256), Region.of(onA).range(0, 256));
  }

  @Test
  void aRequestWaitsForAPostponedFreeThatAnotherThreadIsQueuing() {
    BudgetResource budget = new BudgetResource(pooled, 4608);
    Allocation postponed = budget.allocate(2048, on.a, "");
    Allocation closed = budget.allocate(2048, on.c, "");
    readOnTwoStreams(budget, postponed);
    postpone(budget, postponed);
    isHeldUp = true;
    Waiting.thread(() -> budget.deallocate(closed));

    CompletableFuture<Allocation> both = new CompletableFuture<>();
    Waiting.thread(() -> both.completeAsync(() -> budget.allocate(4096, on.c, ""), Runnable::run));
    goOn.countDown();

    assertThat(both.join().sizeInBytes()).isEqualTo(4096);
  }

  @Test
  void aCloseWithoutWorkNeedsNoStreamAlsoWhileFreesArePostponed() throws InterruptedException {
    BudgetResource budget = new BudgetResource(pooled, 8192);
    Allocation postponed = budget.allocate(2048, on.a, "");
    Allocation onC = budget.allocate(1024, on.c, "");
    readOnTwoStreams(budget, postponed);
    CountDownLatch isTaken = new CountDownLatch(1);
    Waiting.thread(
        () -> {
          try (Submission other = on.c.begin(LAUNCH)) {
            assertThat(other.isHeldByCurrentThread()).isTrue();
            isTaken.countDown();
            Waiting.await(goOn);
          }
        });
    isTaken.await();
    try (Submission launch = on.a.begin(LAUNCH)) {
      assertThat(launch.isHeldByCurrentThread()).isTrue();
      budget.deallocate(postponed);
      assertThat(pooled.hasPostponed()).isTrue();
      budget.deallocate(onC);
      assertThat(budget.bytesOutstanding()).isEqualTo(2048 + 2 * 256);
    }
    goOn.countDown();
    budget.releasePostponed();
    assertThat(budget.bytesOutstanding()).isEqualTo(2 * 256);
  }

  @Test
  void aRequestWaitsForACloseThatHasBegun() {
    BudgetResource budget = new BudgetResource(pooled, 2048);
    AtomicReference<Allocation> closing = new AtomicReference<>();
    int rounds = Effort.of(1000, 10_000);
    CompletableFuture<Void> requests =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < rounds; i++) {
                Allocation seen = closing.get();
                while (seen == null || seen.isOpen()) {
                  Thread.onSpinWait();
                  seen = closing.get();
                }
                budget.deallocate(budget.allocate(2048, on.a, ""));
                closing.set(null);
              }
            });
    for (int i = 0; i < rounds && !requests.isDone(); i++) {
      Allocation next = budget.allocate(2048, on.a, "");
      closing.set(next);
      budget.deallocate(next);
      while (closing.get() != null && !requests.isDone()) {
        Thread.onSpinWait();
      }
    }
    requests.join();
    assertThat(budget.bytesOutstanding()).isZero();
  }

  @Test
  void aRefusalOfAPartLeavesAPostponedFreeAlone() {
    UpstreamResource driver = UpstreamResource.streamOrdered(on.pool, false);
    BudgetResource budget = new BudgetResource(driver, 4096);
    BudgetResource part = budget.part(128, "part");
    postpone(budget, budget.allocate(2048, on.a, ""));
    assertThatThrownBy(() -> part.allocate(4097, on.b, ""))
        .isInstanceOf(OutOfMemoryBudgetException.class);
    assertThat(on.device.calls(DriverCall.FREE_ASYNC)).isZero();
  }

  @Test
  void aReturnThatFailsLeavesTheArrayOpenAndCounted() {
    BudgetResource budget = new BudgetResource(pooled, 4096);
    Allocation allocation = budget.allocate(2048, on.a, "");
    // The pool does not know the memory any more.
    pool.putReturned(
        pool.keeper(requireNonNull(allocation.place())), new PendingUse(on.a, on.a.submitted()));
    pooled.trim();

    assertThatThrownBy(() -> budget.deallocate(allocation))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no memory of");

    assertThat(allocation.isOpen()).isTrue();
    assertThat(pooled.live()).containsExactly(allocation);
    assertThat(budget.snapshot().live()).isEqualTo(2048);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 20})
  void memoryThatIsHandedOutAgainIsKnown(int times) {
    BudgetResource budget = new BudgetResource(pooled, 1 << 20);
    Allocation other = budget.allocate(2048, on.b, "");
    for (int i = 0; i < times; i++) {
      budget.deallocate(budget.allocate(2048, on.a, ""));
    }
    Allocation last = budget.allocate(2048, on.a, "");
    assertThat(pooled.live()).containsExactlyInAnyOrder(other, last);
    assertThat(pooled.overlapping(last.address() + 2047, 1)).isSameAs(last);
    budget.deallocate(last);
    assertThat(pooled.live()).containsExactly(other);
    assertThat(pooled.overlapping(last.address(), 2048)).isNull();
    // Work of another stream makes the next close an ordinary one.
    Allocation shared = budget.allocate(2048, on.a, "");
    on.readOn(shared, on.b);
    budget.deallocate(shared);
    Allocation next = budget.allocate(2048, on.a, "");
    assertThat(pooled.live()).containsExactlyInAnyOrder(other, next);
    assertThat(pooled.overlapping(next.address(), 2048)).isSameAs(next);
  }
}
