package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.simulation.Schedule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Budgets near the ends of a {@code long}, where a sum would be negative. */
final class BudgetArithmeticTest {
  private static final long LIVE = 100;

  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER);
  private final UpstreamResource backend = UpstreamResource.streamOrdered(on.pool, false);

  @AfterEach
  void close() {
    on.pool.synchronizeAll("the end");
    backend.awaitReap(Long.MAX_VALUE);
    assertThat(backend.bytesOutstanding()).isZero();
    on.close();
  }

  private static void assertRefused(Runnable request, long bytes, long current, long limit) {
    assertThatThrownBy(request::run)
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class,
            e -> {
              assertThat(e.requested()).isEqualTo(bytes);
              assertThat(e.current()).isEqualTo(current);
              assertThat(e.limit()).isEqualTo(limit);
            });
  }

  @Test
  void whatRemainsIsTheLimitWithoutAllThatCountsAgainstIt() {
    Budget budget = new Budget(1000, 1, 20, 300, 400, 50);
    assertThat(budget.reserved()).isEqualTo(21);
    assertThat(budget.remaining()).isEqualTo(629);
    assertThat(new Budget(100, 1, 20, 300, 400, 50).remaining()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {4096, Long.MAX_VALUE - 1, Long.MAX_VALUE})
  void aRequestThatDoesNotFitBesideLiveBytesIsRefusedWithoutOverflow(long limit) {
    BudgetResource budget = new BudgetResource(backend, limit);
    Allocation block = budget.allocate(LIVE, on.a, "");
    for (long bytes : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MAX_VALUE - LIVE + 1}) {
      assertRefused(() -> budget.reserve(bytes), bytes, LIVE, limit);
      assertRefused(() -> budget.allocate(bytes, on.a, ""), bytes, LIVE, limit);
    }
    assertThat(budget.snapshot()).isEqualTo(new Budget(limit, LIVE, 0, 0, LIVE, 0));
    budget.deallocate(block);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE - 1, Long.MAX_VALUE})
  void exactlyTheRestCanBePromised(long limit) {
    BudgetResource budget = new BudgetResource(backend, limit);
    Allocation block = budget.allocate(LIVE, on.a, "");
    try (Reservation reservation = budget.reserve(limit - LIVE)) {
      assertThat(budget.snapshot()).isEqualTo(new Budget(limit, LIVE, 0, limit - LIVE, LIVE, 0));
      assertRefused(() -> budget.reserve(1), 1, limit, limit);
      assertRefused(() -> budget.allocate(1, on.a, ""), 1, limit, limit);
      assertThat(reservation.remaining()).isEqualTo(limit - LIVE);
    }
    assertThat(budget.snapshot()).isEqualTo(new Budget(limit, LIVE, 0, 0, LIVE, 0));
    budget.deallocate(block);
  }

  @ParameterizedTest
  @ValueSource(longs = {4096, Long.MAX_VALUE})
  void aPartOfABudgetCountsInTheSameWay(long limit) {
    BudgetResource whole = new BudgetResource(backend, 4096);
    BudgetResource part = whole.part(limit, "a part");
    Allocation block = part.allocate(LIVE, on.a, "");
    assertThatThrownBy(() -> part.reserve(Long.MAX_VALUE))
        .isInstanceOf(OutOfMemoryBudgetException.class);
    assertThat(part.snapshot().promised()).isZero();
    assertThat(whole.snapshot()).isEqualTo(new Budget(4096, LIVE, 0, 0, LIVE, 0));
    part.deallocate(block);
  }
}
