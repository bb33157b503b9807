package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.simulation.Schedule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class BudgetResourceTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.LAZY);
  private final UpstreamResource backend = UpstreamResource.streamOrdered(on.pool, false);
  private final ScriptedResource inner = new ScriptedResource(backend);
  private final BudgetResource budget = new BudgetResource(inner, 4096);

  @AfterEach
  void close() {
    on.pool.synchronizeAll("the end");
    budget.reap();
    assertThat(budget.snapshot().reserved()).isZero();
    assertThat(backend.bytesOutstanding()).isZero();
    on.close();
  }

  private static void assertRefused(Runnable request, long requested, long current, long limit) {
    assertThatThrownBy(request::run)
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class,
            e -> {
              assertThat(e.requested()).isEqualTo(requested);
              assertThat(e.current()).isEqualTo(current);
              assertThat(e.limit()).isEqualTo(limit);
            });
  }

  @Test
  void exactlyTheRestFitsAndOneByteMoreDoesNot() {
    Allocation block = budget.allocate(4096, on.a, "");
    assertThat(budget.snapshot()).isEqualTo(new Budget(4096, 4096, 0, 0, 4096, 0));
    assertThat(budget.snapshot().remaining()).isZero();
    assertRefused(() -> budget.allocate(1, on.a, ""), 1, 4096, 4096);
    assertThat(budget.snapshot().reserved()).isEqualTo(4096);
    budget.deallocate(block);
  }

  @Test
  void freedBytesStayReservedUntilTheyAreReturned() {
    budget.deallocate(budget.allocate(1024, on.a, ""));
    assertThat(budget.snapshot()).isEqualTo(new Budget(4096, 0, 1024, 0, 1024, 0));
    assertThat(budget.awaitReap(1024)).isEqualTo(1024);
    assertThat(budget.snapshot().reserved()).isZero();
  }

  @Test
  void withDirectMemoryBytesAreReturnedByTheFree() {
    BudgetResource direct = new BudgetResource(UpstreamResource.direct(on.pool, false), 64);
    direct.deallocate(direct.allocate(64, on.a, ""));
    assertThat(direct.snapshot().reserved()).isZero();
  }

  @Test
  void aRequestAboveTheLimitDoesNotReachTheResource() {
    assertRefused(() -> budget.allocate(4097, on.a, ""), 4097, 0, 4096);
    assertThat(inner.allocations).isZero();
    assertThat(inner.reaps).isZero();
  }

  @Test
  void aRequestThatFitsTheLimitButNotTheRestReapsOnce() {
    Allocation block = budget.allocate(4000, on.a, "");
    assertRefused(() -> budget.allocate(97, on.a, ""), 97, 4000, 4096);
    assertThat(inner.reaps).isEqualTo(1);
    assertThat(inner.allocations).isEqualTo(1);
    budget.deallocate(block);
  }

  /** Runs something in a thread of its own, until it has begun to wait. */
  private static Thread waiting(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      assertThat(thread.isAlive()).isTrue();
      Thread.onSpinWait();
    }
    return thread;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aRequestWaitsForAFreeThatAnotherThreadIsQueuing() throws Exception {
    Allocation live = budget.allocate(4096, on.a, "");
    CountDownLatch goOn = new CountDownLatch(1);
    List<Allocation> allocated = Collections.synchronizedList(new ArrayList<>());
    inner.beforeDeallocate = () -> await(goOn);
    Thread freeing = waiting(() -> budget.deallocate(live));
    inner.beforeDeallocate = () -> {};
    AtomicBoolean interrupted = new AtomicBoolean();
    Thread asking =
        waiting(
            () -> {
              allocated.add(budget.allocate(2048, on.b, ""));
              interrupted.set(Thread.currentThread().isInterrupted());
            });
    asking.interrupt();
    goOn.countDown();
    freeing.join();
    asking.join();
    assertThat(allocated).hasSize(1);
    assertThat(interrupted).isTrue();
    allocated.forEach(budget::deallocate);
  }

  @Test
  void aRequestReapsAgainWhenAnotherThreadHasReleasedPostponedFrees() throws Exception {
    Allocation live = budget.allocate(4096, on.a, "");
    CountDownLatch goOn = new CountDownLatch(1);
    List<Allocation> allocated = Collections.synchronizedList(new ArrayList<>());
    inner.whenReleased =
        () -> {
          await(goOn);
          backend.deallocate(live);
        };
    Thread releasing = waiting(budget::releasePostponed);
    Thread asking = waiting(() -> allocated.add(budget.allocate(2048, on.b, "")));
    goOn.countDown();
    releasing.join();
    asking.join();
    assertThat(allocated).hasSize(1);
    allocated.forEach(budget::deallocate);
  }

  @Test
  void bytesThatAnotherThreadHasReapedCanBeAllocatedBeforeItsCallEnds() throws Exception {
    budget.deallocate(budget.allocate(4096, on.a, ""));
    CountDownLatch goOn = new CountDownLatch(1);
    inner.afterReap = () -> await(goOn);
    Thread reaping = waiting(() -> budget.awaitReap(4096));
    inner.afterReap = () -> {};
    budget.deallocate(budget.allocate(4096, on.b, ""));
    assertThat(reaping.isAlive()).isTrue();
    goOn.countDown();
    reaping.join();
  }

  @Test
  void anInterruptInThatWaitIsKeptWhenTheRequestIsRefused() throws Exception {
    Allocation live = budget.allocate(4096, on.a, "");
    CountDownLatch goOn = new CountDownLatch(1);
    inner.afterReap = () -> await(goOn);
    Thread reaping = waiting(budget::reap);
    inner.afterReap = () -> {};
    AtomicBoolean refusedAndInterrupted = new AtomicBoolean();
    Thread asking =
        waiting(
            () -> {
              assertRefused(() -> budget.reserve(1), 1, 4096, 4096);
              refusedAndInterrupted.set(Thread.currentThread().isInterrupted());
            });
    asking.interrupt();
    goOn.countDown();
    reaping.join();
    asking.join();
    assertThat(refusedAndInterrupted).isTrue();
    budget.deallocate(live);
  }

  @Test
  void aRequestWaitsForTheBytesThatAnotherThreadIsFreeing() throws Exception {
    ScriptedResource direct = new ScriptedResource(UpstreamResource.direct(on.pool, false));
    BudgetResource limited = new BudgetResource(direct, 64);
    Allocation block = limited.allocate(64, on.a, "");
    CountDownLatch goOn = new CountDownLatch(1);
    List<Reservation> reservations = Collections.synchronizedList(new ArrayList<>());
    direct.beforeDeallocate = () -> await(goOn);
    Thread freeing = waiting(() -> limited.deallocate(block));
    Thread asking = waiting(() -> reservations.add(limited.reserve(64)));
    goOn.countDown();
    freeing.join();
    asking.join();
    assertThat(reservations).hasSize(1);
    reservations.forEach(Reservation::close);
  }

  @Test
  void aRequestOfTheThreadThatReturnsBytesIsRefusedInsteadOfDeadlocking() {
    Allocation block = budget.allocate(4096, on.a, "");
    inner.afterDeallocate =
        () -> {
          inner.beforeReap = ScriptedResource::fail;
          assertRefused(() -> budget.reserve(1), 1, 4096, 4096);
          inner.beforeReap = () -> {};
        };
    budget.deallocate(block);
  }

  @Test
  void insideALaunchARequestIsRefusedInsteadOfWaiting() throws Exception {
    Allocation live = budget.allocate(4096, on.a, "");
    CountDownLatch goOn = new CountDownLatch(1);
    inner.beforeDeallocate = () -> await(goOn);
    Thread freeing = waiting(() -> budget.deallocate(live));
    inner.beforeDeallocate = () -> {};
    try (Submission launch = on.b.begin(new NamedUse("a launch"))) {
      assertRefused(() -> budget.reserve(1), 1, 4096, 4096);
      assertThat(launch.isHeldByCurrentThread()).isTrue();
    }
    goOn.countDown();
    freeing.join();
    budget.reserve(1).close();
  }

  @Test
  void aRequestIsRefusedWhenTheReapFails() {
    Allocation block = budget.allocate(4000, on.a, "");
    inner.beforeReap = ScriptedResource::fail;
    assertRefused(() -> budget.allocate(97, on.a, ""), 97, 4000, 4096);
    inner.beforeReap = () -> {};
    budget.deallocate(block);
  }

  @Test
  void allocatingAndFreeingTheWholeBudgetNeverFails() {
    for (int i = 0; i < 100; i++) {
      Allocation block = budget.allocate(4096, i % 2 == 0 ? on.a : on.b, "");
      on.copies.fill(on.c, Region.of(block).range(0, 4096), 1, i);
      budget.deallocate(block);
    }
    assertThat(inner.reaps).isEqualTo(99);
  }

  @Test
  void aRequestThatTheResourceRefusesGivesItsBytesBack() {
    inner.beforeAllocate = ScriptedResource::fail;
    assertThatThrownBy(() -> budget.allocate(64, on.a, ""))
        .isInstanceOf(DeviceException.class)
        .hasMessage("as told");
    assertThat(budget.snapshot()).isEqualTo(new Budget(4096, 0, 0, 0, 0, 0));
    inner.beforeAllocate = () -> {};
  }

  @Test
  void refusedRequestsNeverRaiseThePeak() throws Exception {
    // One thread is held between its claim and the resource, while another one is admitted.
    CountDownLatch claimed = new CountDownLatch(1);
    CountDownLatch refuse = new CountDownLatch(1);
    inner.beforeAllocate =
        () -> {
          claimed.countDown();
          try {
            refuse.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          ScriptedResource.fail();
        };
    Future<Allocation> first = CompletableFuture.supplyAsync(() -> budget.allocate(2048, on.b, ""));
    claimed.await();
    inner.beforeAllocate = () -> {};
    Allocation second = budget.allocate(1024, on.a, "");
    assertThat(budget.snapshot().reserved()).isEqualTo(3072);
    assertThat(budget.snapshot().peak()).isEqualTo(1024);
    refuse.countDown();
    assertThatThrownBy(first::get).hasCauseInstanceOf(DeviceException.class);
    assertThat(budget.snapshot()).isEqualTo(new Budget(4096, 1024, 0, 0, 1024, 0));
    budget.deallocate(second);
  }

  @Test
  void aFreeThatFailsReleasesNothing() {
    Allocation block = budget.allocate(64, on.a, "");
    inner.beforeDeallocate = ScriptedResource::fail;
    assertThatThrownBy(() -> budget.deallocate(block)).isInstanceOf(DeviceException.class);
    assertThat(budget.snapshot()).isEqualTo(new Budget(4096, 64, 0, 0, 64, 0));
    inner.beforeDeallocate = () -> {};
    budget.deallocate(block);
    assertThatThrownBy(() -> budget.deallocate(block)).isInstanceOf(UseAfterFreeException.class);
    assertThat(budget.snapshot().reserved()).isEqualTo(64);
  }

  @Test
  void aForeignAllocationReleasesNothing() {
    UpstreamResource other = UpstreamResource.streamOrdered(on.pool, false);
    Allocation foreign = other.allocate(64, on.a, "");
    assertThatThrownBy(() -> budget.deallocate(foreign)).isInstanceOf(StreamMisuseException.class);
    assertThat(budget.snapshot().live()).isZero();
    other.deallocate(foreign);
  }

  @Test
  void bytesOutstandingBeforeTheBudgetCount() {
    UpstreamResource used = UpstreamResource.streamOrdered(on.pool, false);
    Allocation early = used.allocate(96, on.a, "");
    BudgetResource late = new BudgetResource(used, 100);
    assertThat(late.snapshot().remaining()).isEqualTo(4);
    assertRefused(() -> late.allocate(5, on.a, ""), 5, 96, 100);
    assertRefused(() -> used.allocate(5, on.a, ""), 5, 96, 100);
    used.deallocate(early);
  }

  @Test
  void thePeakIsTheMostThatWasOutstandingSinceItsReset() {
    Allocation first = budget.allocate(1024, on.a, "");
    Allocation second = budget.allocate(2048, on.a, "");
    budget.deallocate(second);
    assertThat(budget.snapshot().live()).isEqualTo(1024);
    assertThat(budget.snapshot().peak()).isEqualTo(3072);
    on.a.synchronize("a test");
    budget.reap();
    budget.resetPeak();
    assertThat(budget.snapshot().peak()).isEqualTo(1024);
    Allocation third = budget.allocate(512, on.a, "");
    assertThat(budget.snapshot().peak()).isEqualTo(1536);
    budget.deallocate(first);
    budget.deallocate(third);
    assertThat(budget.snapshot().live()).isZero();
    assertThat(budget.snapshot().peak()).isEqualTo(1536);
  }

  @Test
  void eachFreeIsReportedThatItMayHaveMadeRoom() {
    AtomicInteger reports = new AtomicInteger();
    budget.whenReturned(reports::incrementAndGet);
    Allocation allocation = budget.allocate(1024, on.a, "");
    assertThat(reports).hasValue(0);
    budget.deallocate(allocation);
    assertThat(reports).hasValue(1);
  }

  @Test
  void sizesBelowOneAndNegativeLimitsAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new BudgetResource(backend, -1));
    assertThatIllegalArgumentException().isThrownBy(() -> budget.reserve(0));
    assertRefused(() -> budget.allocate(Long.MAX_VALUE, on.a, ""), Long.MAX_VALUE, 0, 4096);
  }

  @Test
  void theOrdinalAndTheTrackingAreThoseOfTheResource() {
    assertThat(budget.deviceOrdinal()).isEqualTo(7);
    assertThat(budget.tracksUses()).isFalse();
    UpstreamResource tracking = UpstreamResource.streamOrdered(on.pool, false);
    assertThat(new BudgetResource(tracking, 1).tracksUses()).isTrue();
  }

  @Test
  void aResourceHasOneBudget() {
    assertThatThrownBy(() -> new BudgetResource(backend, 64))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("create a part of the first");
    assertThat(budget.snapshot().limit()).isEqualTo(4096);
  }

  @Test
  void atNoMomentIsMoreReservedOrOutstandingThanTheLimit() throws Exception {
    AtomicBoolean running = new AtomicBoolean(true);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      CountDownLatch sampling = new CountDownLatch(1);
      Future<?> sampler =
          threads.submit(
              () -> {
                while (running.get()) {
                  Budget seen = budget.snapshot();
                  assertThat(seen.reserved() + seen.promised()).isBetween(0L, 4096L);
                  assertThat(seen.live()).isLessThanOrEqualTo(seen.reserved());
                  assertThat(backend.bytesOutstanding()).isBetween(0L, 4096L);
                  sampling.countDown();
                }
              });
      sampling.await();
      List<Future<?>> workers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Timeline timeline = on.pool.acquire();
        workers.add(threads.submit(() -> allocateAndFree(timeline)));
      }
      for (Future<?> worker : workers) {
        worker.get();
      }
      running.set(false);
      sampler.get();
    } finally {
      threads.shutdownNow();
    }
    assertThat(budget.snapshot().live()).isZero();
  }

  private Void allocateAndFree(Timeline timeline) {
    for (int i = 0; i < 500; i++) {
      try {
        budget.deallocate(budget.allocate(1500, timeline, ""));
      } catch (OutOfMemoryBudgetException refused) {
        // Two others hold what there is.
      }
    }
    return null;
  }
}
