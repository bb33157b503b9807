package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.order.Timeline;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The return of freed memory and its cost while more and more is freed. */
final class ReapingTest {
  private static final int BYTES = 1 << 10;
  private static final int ROUNDS = 200;

  /** Allocates, uses and frees in turns, with so many blocks open at the same time. */
  private static void pipeline(BudgetResource budget, SimulatedStreams on, int depth) {
    Deque<Allocation> open = new ArrayDeque<>();
    for (int i = 0; i < ROUNDS; i++) {
      Allocation block = budget.allocate(BYTES, on.a, "");
      on.copies.fill(on.a, Region.of(block).range(0, BYTES), 1, i);
      open.addLast(block);
      if (open.size() == depth) {
        budget.deallocate(open.removeFirst());
      }
    }
    open.forEach(budget::deallocate);
  }

  /** Counts bytes of an allocation whose free is queued. */
  private static void free(Account account, long bytes) {
    account.claim(bytes, "a test");
    account.opened(bytes);
    account.closed(bytes);
  }

  @Test
  void aSteadyPipelineIsReapedWhileItGoesOn() {
    try (SimulatedStreams on = new SimulatedStreams(Schedule.LAZY)) {
      UpstreamResource resource = UpstreamResource.streamOrdered(on.pool, false);
      Deque<Allocation> open = new ArrayDeque<>();
      long reaped = 0;
      for (int i = 0; i < ROUNDS; i++) {
        Allocation block = resource.allocate(BYTES, on.a, "");
        on.copies.fill(on.a, Region.of(block).range(0, BYTES), 1, i);
        on.copies.fill(on.a, Region.of(block).range(0, BYTES), 1, i);
        open.addLast(block);
        if (open.size() == 3) {
          resource.deallocate(open.removeFirst());
        }
        reaped += resource.reap();
        // The device keeps up with what is queued, and is never idle.
        on.a.isIdle();
        on.a.isIdle();
        on.a.isIdle();
        on.a.isIdle();
      }
      assertThat(reaped).isGreaterThan(ROUNDS * BYTES / 2);
      assertThat(on.device.calls(DriverCall.SYNCHRONIZE_STREAM)).isZero();
      assertThat(on.device.calls(DriverCall.SYNCHRONIZE_EVENT)).isZero();
      open.forEach(resource::deallocate);
    }
  }

  @Test
  void aTightBudgetWaitsForTheOldestFreeAndNeverForTheStream() {
    try (SimulatedStreams on = new SimulatedStreams(Schedule.LAZY)) {
      long limit = 5L * BYTES;
      UpstreamResource resource = UpstreamResource.streamOrdered(on.pool, false, limit);
      BudgetResource budget = new BudgetResource(resource, limit);
      Deque<Allocation> open = new ArrayDeque<>();
      for (int i = 0; i < ROUNDS; i++) {
        Allocation block = budget.allocate(BYTES, on.a, "");
        on.copies.fill(on.a, Region.of(block).range(0, BYTES), 1, i);
        open.addLast(block);
        if (open.size() == 3) {
          budget.deallocate(open.removeFirst());
        }
        // Behind the frees that the next allocation may wait for.
        on.copies.fill(on.a, Region.of(block).range(0, BYTES), 1, i);
        if (i > 5) {
          assertThat(on.a.completed()).as("round %d", i).isLessThan(on.a.submitted());
          assertThat(budget.snapshot().reserved()).isGreaterThan(3L * BYTES);
        }
      }
      assertThat(on.device.calls(DriverCall.SYNCHRONIZE_STREAM)).isZero();
      open.forEach(budget::deallocate);
    }
  }

  @Test
  void anAllocationShortOfMemoryLeavesTheRestOfTheStreamQueued() {
    try (SimulatedStreams on = new SimulatedStreams(Schedule.LAZY)) {
      long limit = 4L * BYTES;
      UpstreamResource resource = UpstreamResource.streamOrdered(on.pool, false, limit);
      BudgetResource budget = new BudgetResource(resource, limit);
      Allocation kept = budget.allocate(BYTES, on.a, "");
      for (int i = 0; i < 3; i++) {
        budget.deallocate(budget.allocate(BYTES, on.a, ""));
        on.copies.fill(on.a, Region.of(kept).range(0, BYTES), 1, i);
      }
      Allocation next = budget.allocate(BYTES, on.a, "");
      // One free was enough, so that two others are still counted.
      assertThat(budget.snapshot().reserved()).isEqualTo(4L * BYTES);
      assertThat(on.a.isIdle()).isFalse();
      budget.deallocate(next);
      budget.deallocate(kept);
    }
  }

  @Test
  void aRoomyBudgetRecordsNoEventForFrees() {
    try (SimulatedStreams on = new SimulatedStreams(Schedule.EAGER)) {
      UpstreamResource resource = UpstreamResource.streamOrdered(on.pool, false);
      pipeline(new BudgetResource(resource, Long.MAX_VALUE), on, 3);
      assertThat(on.device.calls(DriverCall.RECORD_EVENT)).isZero();
      resource.reap();
    }
  }

  @Test
  void theOldestFreeOfAllStreamsIsWaitedForFirst() {
    try (SimulatedStreams on = new SimulatedStreams(Schedule.LAZY)) {
      long limit = 2L * BYTES;
      UpstreamResource resource = UpstreamResource.streamOrdered(on.pool, false, limit);
      BudgetResource budget = new BudgetResource(resource, limit);
      Allocation onB = budget.allocate(BYTES, on.b, "");
      Allocation onA = budget.allocate(BYTES, on.a, "");
      budget.deallocate(onB);
      budget.deallocate(onA);
      Allocation next = budget.allocate(BYTES, on.c, "");
      assertThat(on.b.completed()).isPositive();
      assertThat(on.a.completed()).isZero();
      budget.deallocate(next);
    }
  }

  @Test
  void theListOfPendingFreesIsBoundedAndMergingLosesNoByte() {
    try (SimulatedStreams on = new SimulatedStreams(Schedule.EAGER)) {
      Account account = new Account();
      PendingFrees pending = new PendingFrees(account, Long.MAX_VALUE);
      SplittableRandom random = new SplittableRandom(5);
      long freed = 0;
      long largest = 0;
      for (long ticket = 1; ticket <= 10_000; ticket++) {
        long bytes = 1 + random.nextInt(BYTES);
        free(account, bytes);
        pending.add(bytes, on.a, ticket, true);
        freed += bytes;
        assertThat(pending.apart(on.a)).isLessThanOrEqualTo(PendingFrees.MAX_APART);
      }
      assertThat(account.outstanding()).isEqualTo(freed);
      // As the device gets on, memory comes back in parts of a sixteenth at most.
      long returned = 0;
      for (PendingFrees.PendingFree oldest = pending.oldest(on.a);
          oldest != null;
          oldest = pending.oldest(on.a)) {
        on.finish(on.a, oldest.ticket());
        long part = pending.reapKnown(on.a);
        largest = Math.max(largest, part);
        returned += part;
      }
      assertThat(returned).isEqualTo(freed);
      assertThat(largest).isLessThanOrEqualTo(freed / 16 + BYTES);
      assertThat(account.outstanding()).isZero();
    }
  }

  @Test
  void freesOfTwoThreadsThatComeInTheOtherOrderAreBothKept() {
    try (SimulatedStreams on = new SimulatedStreams(Schedule.EAGER)) {
      Account account = new Account();
      PendingFrees pending = new PendingFrees(account, Long.MAX_VALUE);
      Timeline stream = on.a;
      free(account, 30);
      pending.add(20, stream, 2, true);
      pending.add(10, stream, 1, true);
      on.finish(stream, 1);
      assertThat(pending.reapKnown()).isZero();
      on.finish(stream, 2);
      assertThat(pending.reapKnown()).isEqualTo(30);
    }
  }
}
