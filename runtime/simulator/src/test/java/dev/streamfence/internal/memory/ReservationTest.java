package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.simulation.Schedule;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ReservationTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER);
  private final UpstreamResource backend = UpstreamResource.streamOrdered(on.pool, false);
  private final ScriptedResource inner = new ScriptedResource(backend);
  private final BudgetResource budget = new BudgetResource(inner, 4096);

  @AfterEach
  void close() {
    budget.reap();
    assertThat(budget.snapshot().reserved()).isZero();
    assertThat(budget.snapshot().promised()).isZero();
    assertThat(budget.snapshot().remaining()).isEqualTo(4096);
    on.close();
  }

  @Test
  void promisedBytesBelongToTheirReservationAlone() {
    try (Reservation reservation = budget.reserve(4096)) {
      assertThat(inner.allocations).isZero();
      assertThat(budget.snapshot()).isEqualTo(new Budget(4096, 0, 0, 4096, 0, 0));
      assertThatThrownBy(() -> budget.allocate(1, on.a, ""))
          .isInstanceOfSatisfying(
              OutOfMemoryBudgetException.class, e -> assertThat(e.current()).isEqualTo(4096));
      budget.deallocate(reservation.allocate(4096, on.a, ""));
    }
  }

  @Test
  void aReservationIsDrawnExactlyAndNoFurther() {
    Reservation reservation = budget.reserve(4096);
    Allocation first = reservation.allocate(2048, on.a, "");
    Allocation second = reservation.allocate(2048, on.a, "");
    assertThat(reservation.remaining()).isZero();
    assertThatThrownBy(() -> reservation.allocate(1, on.a, ""))
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class,
            e -> {
              assertThat(e.requested()).isEqualTo(1);
              assertThat(e.current()).isEqualTo(4096);
              assertThat(e.limit()).isEqualTo(4096);
            });
    assertThat(budget.snapshot()).isEqualTo(new Budget(4096, 4096, 0, 0, 4096, 0));
    budget.deallocate(first);
    reservation.close();
    budget.deallocate(second);
  }

  @Test
  void bytesThatAreDrawnStayInUseWhenTheReservationIsClosed() {
    Reservation reservation = budget.reserve(4096);
    Allocation block = reservation.allocate(4096, on.a, "");
    reservation.close();
    assertThatThrownBy(() -> budget.allocate(1, on.a, ""))
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class, e -> assertThat(e.current()).isEqualTo(4096));
    budget.deallocate(block);
  }

  @Test
  void aRefusalSaysHowMuchOfTheReservationIsDrawn() {
    try (Reservation reservation = budget.reserve(4096)) {
      Allocation drawn = reservation.allocate(3072, on.a, "");
      assertThatThrownBy(() -> reservation.allocate(2048, on.a, "keys"))
          .isInstanceOfSatisfying(
              OutOfMemoryBudgetException.class,
              e -> {
                assertThat(e.current()).isEqualTo(3072);
                assertThat(e.limit()).isEqualTo(4096);
              })
          .hasMessageStartingWith("'keys' from a reservation needs 2048 bytes");
      budget.deallocate(drawn);
    }
  }

  @Test
  void aSizeBelowOneDoesNotReachTheResource() {
    try (Reservation reservation = budget.reserve(64)) {
      assertThatIllegalArgumentException().isThrownBy(() -> reservation.allocate(0, on.a, ""));
      assertThatIllegalArgumentException().isThrownBy(() -> reservation.allocate(-64, on.a, ""));
      assertThat(inner.allocations).isZero();
    }
  }

  @Test
  void aReservationThatDoesNotFitChangesNothing() {
    assertThatThrownBy(() -> budget.reserve(4097)).isInstanceOf(OutOfMemoryBudgetException.class);
    assertThat(budget.snapshot()).isEqualTo(new Budget(4096, 0, 0, 0, 0, 0));
    assertThat(inner.reaps).isZero();
  }

  @Test
  void aFailedAllocationGivesItsBytesBackToTheReservation() {
    Reservation reservation = budget.reserve(4096);
    inner.beforeAllocate = ScriptedResource::fail;
    assertThatThrownBy(() -> reservation.allocate(4096, on.a, ""))
        .isInstanceOf(DeviceException.class)
        .hasMessage("as told");
    inner.beforeAllocate = () -> {};
    assertThat(reservation.remaining()).isEqualTo(4096);
    assertThat(budget.snapshot()).isEqualTo(new Budget(4096, 0, 0, 4096, 0, 0));
    budget.deallocate(reservation.allocate(1024, on.a, ""));
    reservation.close();
  }

  @Test
  void aFailedAllocationOfAClosedReservationGivesItsBytesBackToAll() {
    Reservation reservation = budget.reserve(4096);
    inner.beforeAllocate =
        () -> {
          reservation.close();
          ScriptedResource.fail();
        };
    assertThatThrownBy(() -> reservation.allocate(4096, on.a, ""))
        .isInstanceOf(DeviceException.class);
    assertThat(budget.snapshot().promised()).isZero();
  }

  @Test
  void eachByteComesBackOnceInEitherOrderOfClosing() {
    Reservation first = budget.reserve(1000);
    Allocation ofFirst = first.allocate(300, on.a, "");
    first.close();
    first.close();
    budget.deallocate(ofFirst);
    Reservation second = budget.reserve(1000);
    Allocation ofSecond = second.allocate(300, on.a, "");
    budget.deallocate(ofSecond);
    second.close();
  }

  @Test
  void ordinaryAndReservedRequestsShareOneLimit() {
    Allocation ordinary = budget.allocate(1096, on.a, "");
    try (Reservation reservation = budget.reserve(3000)) {
      assertThat(budget.snapshot().remaining()).isZero();
      budget.deallocate(reservation.allocate(3000, on.a, ""));
    }
    budget.deallocate(ordinary);
  }

  @Test
  void pendingBytesAreWaitedForBeforeAReservationIsRefused() {
    budget.deallocate(budget.allocate(4096, on.a, ""));
    budget.reserve(4096).close();
    assertThat(inner.reaps).isEqualTo(1);
  }

  @Test
  void oneOfTwoThreadsGetsTheLastBytes() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 200; round++) {
        CyclicBarrier start = new CyclicBarrier(2);
        Callable<Long> reserving =
            () -> {
              start.await();
              try {
                return budget.reserve(4096).remaining();
              } catch (OutOfMemoryBudgetException e) {
                return 0L;
              }
            };
        long promised = 0;
        for (var one : threads.invokeAll(List.of(reserving, reserving))) {
          promised += one.get();
        }
        assertThat(promised).isEqualTo(4096);
        budget.account().withdrawPromise(4096);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
