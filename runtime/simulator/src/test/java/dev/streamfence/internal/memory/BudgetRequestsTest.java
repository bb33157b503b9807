package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.simulation.Schedule;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The calls of a request to the resource below a budget, and the end of its wait. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class BudgetRequestsTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER);
  private final UpstreamResource backend = UpstreamResource.streamOrdered(on.pool, false);
  private final ScriptedResource inner = new ScriptedResource(backend);
  private final BudgetResource budget = new BudgetResource(inner, 4096);

  @AfterEach
  void close() {
    budget.reap();
    assertThat(budget.snapshot().reserved()).isZero();
    assertThat(budget.snapshot().promised()).isZero();
    on.close();
  }

  @Test
  void aRequestReapsExactlyItsMissingBytes() {
    Allocation live = budget.allocate(1000, on.a, "");
    budget.deallocate(budget.allocate(1500, on.a, ""));
    try (Reservation promised = budget.reserve(500)) {
      Allocation next = budget.allocate(2000, on.a, "");
      assertThat(inner.lastWanted).isEqualTo(2000 - (4096 - 1000 - 1500 - 500));
      assertThat(promised.remaining()).isEqualTo(500);
      budget.deallocate(next);
    }
    budget.deallocate(live);
  }

  @Test
  void aSizeBelowOneDoesNotReachTheResource() {
    assertThatIllegalArgumentException().isThrownBy(() -> budget.allocate(0, on.a, ""));
    assertThatIllegalArgumentException().isThrownBy(() -> budget.allocate(-1, on.a, ""));
    assertThat(inner.allocations).isZero();
  }

  @Test
  void theCauseOfARefusalIsTheFailureOfTheReap() {
    Allocation block = budget.allocate(4000, on.a, "");
    inner.beforeReap = ScriptedResource::fail;
    assertThatThrownBy(() -> budget.allocate(97, on.a, "keys"))
        .isInstanceOf(OutOfMemoryBudgetException.class)
        .hasMessageStartingWith("'keys' needs 97 bytes")
        .cause()
        .isInstanceOf(DeviceException.class)
        .hasMessage("as told");
    assertThatThrownBy(() -> budget.allocate(97, on.a, ""))
        .hasMessageStartingWith("an allocation needs 97 bytes");
    inner.beforeReap = () -> {};
    budget.deallocate(block);
  }

  @Test
  void aRequestThatWaitsIsAdmittedWhenAReservationIsGivenUp() throws Exception {
    Reservation reservation = budget.reserve(4096);
    CountDownLatch goOn = new CountDownLatch(1);
    inner.afterReap = () -> Waiting.await(goOn);
    Thread reaping = Waiting.thread(budget::reap);
    inner.afterReap = () -> {};
    List<Allocation> blocks = new CopyOnWriteArrayList<>();
    Thread asking = Waiting.thread(() -> blocks.add(budget.allocate(64, on.a, "")));
    reservation.close();
    // The other thread is still returning bytes, and does not wake this one.
    asking.join();
    assertThat(blocks).hasSize(1);
    assertThat(reaping.isAlive()).isTrue();
    goOn.countDown();
    reaping.join();
    blocks.forEach(budget::deallocate);
  }

  @Test
  void bytesOfAFreeThatEndedWithAnErrorStayReservedUntilAReap() {
    Allocation block = budget.allocate(64, on.a, "");
    inner.afterDeallocate =
        () -> {
          throw new StackOverflowError("as planned");
        };
    assertThatThrownBy(() -> budget.deallocate(block)).isInstanceOf(StackOverflowError.class);
    inner.afterDeallocate = () -> {};
    assertThat(budget.snapshot()).isEqualTo(new Budget(4096, 0, 64, 0, 64, 0));
    assertThat(budget.reap()).isEqualTo(64);
  }

  @Test
  void anAllocationWhoseFreeFailedBeforeTheDriverStaysLive() {
    Allocation block = budget.allocate(64, on.a, "");
    inner.beforeDeallocate =
        () -> {
          throw new StackOverflowError("as planned");
        };
    assertThatThrownBy(() -> budget.deallocate(block)).isInstanceOf(StackOverflowError.class);
    inner.beforeDeallocate = () -> {};
    assertThat(budget.snapshot()).isEqualTo(new Budget(4096, 64, 0, 0, 64, 0));
    budget.deallocate(block);
  }
}
