package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Failures while memory is guarded, quarantined or freed: no memory and no byte is lost. */
final class GuardFailuresTest {
  private static final int KEPT = 64;

  private final DriverTrap trap = new DriverTrap();
  private final SimulatedStreams on = new SimulatedStreams(Schedule.LAZY, trap);
  private final UpstreamResource backend = UpstreamResource.streamOrdered(on.pool, false);
  private final List<GuardReport> reports = new ArrayList<>();
  private final GuardResource guard = new GuardResource(backend, on.pool, reports::add);

  @AfterEach
  void close() {
    guard.close();
    backend.awaitReap(Long.MAX_VALUE);
    assertThat(guard.bytesOutstanding()).isZero();
    assertThat(backend.bytesOutstanding()).isZero();
    assertThat(backend.live()).isEmpty();
    assertThat(reports).isEmpty();
    on.close();
  }

  private static Error planned() {
    return new StackOverflowError("as planned");
  }

  /** Allocates and frees, and returns how many bytes came back with that. */
  private long freeOne(int bytes) {
    long before = guard.bytesOutstanding();
    guard.deallocate(guard.allocate(bytes, on.a, ""));
    return before + bytes - guard.bytesOutstanding();
  }

  @Test
  void memoryThatCannotBeGuardedIsFreed() {
    on.device.failCall(DriverCall.FILL_8_ASYNC, 1, 1);
    assertThatThrownBy(() -> guard.allocate(100, on.a, "keys"))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> assertThat(e.purpose()).startsWith("guarding 100 bytes for 'keys'"));
    assertThat(backend.live()).isEmpty();
    assertThat(guard.bytesOutstanding()).isZero();
  }

  @Test
  void memoryWhoseGuardingThrowsAnErrorIsFreed() {
    trap.before(1, planned(), "fillAsync");
    assertThatThrownBy(() -> guard.allocate(100, on.a, "")).isInstanceOf(StackOverflowError.class);
    assertThat(backend.live()).isEmpty();
    assertThat(guard.bytesOutstanding()).isZero();
  }

  @Test
  void theNextReapFreesMemoryThatCouldBeNeitherGuardedNorFreed() {
    on.device.failCall(DriverCall.FILL_8_ASYNC, 1, 1);
    on.device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    CudaDriverException failure =
        catchThrowableOfType(CudaDriverException.class, () -> guard.allocate(100, on.a, ""));
    assertThat(failure.code()).isEqualTo(1);
    assertThat(failure.getSuppressed())
        .singleElement()
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.code()).isEqualTo(999));
    assertThat(backend.live()).hasSize(1);
    assertThat(guard.reap()).isZero();
    assertThat(backend.live()).isEmpty();
  }

  @Test
  void quarantinedMemoryIsFreedWhenTheUnderlyingBudgetIsShort() {
    BudgetResource small = new BudgetResource(backend, 4096);
    try (GuardResource guarded = new GuardResource(small, on.pool, reports::add)) {
      for (int i = 0; i < 2; i++) {
        guarded.deallocate(guarded.allocate(1000, on.a, ""));
      }
      // Two pieces of 1000 bytes and their margins are all that the budget has.
      Allocation third = guarded.allocate(1000, on.a, "");
      assertThat(guarded.bytesOutstanding()).isEqualTo(1000);
      guarded.deallocate(third);
      assertThat(guarded.reap()).isEqualTo(1000);
    }
  }

  @Test
  void quarantinedMemoryThatCannotBeFreedIsTriedOnceInAReap() {
    freeOne(100);
    on.device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    assertThatThrownBy(guard::reap).isInstanceOf(CudaDriverException.class);
    assertThat(on.device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
    assertThat(guard.bytesOutstanding()).isEqualTo(100);
    assertThat(guard.reap()).isEqualTo(100);
  }

  @Test
  void insideALaunchQuarantinedMemoryIsNotCheckedAndStays() {
    freeOne(100);
    try (Submission launch = on.b.begin(new NamedUse("a launch"))) {
      assertThat(launch.isHeldByCurrentThread()).isTrue();
      assertThatThrownBy(guard::reap).isInstanceOf(StreamMisuseException.class);
    }
    assertThat(guard.reap()).isEqualTo(100);
    assertThat(on.device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(1);
  }

  @Test
  void anErrorFromAFreeInAReapLosesNoByte() {
    freeOne(100);
    freeOne(200);
    trap.after(2, planned(), "freeAsync");
    assertThatThrownBy(guard::reap).isInstanceOf(StackOverflowError.class);
    // The driver was called for both, so neither is freed again.
    assertThat(guard.bytesOutstanding()).isZero();
    assertThat(guard.reap()).isZero();
    assertThat(on.device.calls(DriverCall.FREE_ASYNC)).isEqualTo(2);
  }

  @Test
  void memoryWhoseCheckEndsWithAnErrorIsCheckedAgain() {
    Allocation first = guard.allocate(100, on.a, "");
    guard.deallocate(first);
    freeOne(200);
    trap.before(2, planned(), "copyToHostAsync");
    assertThatThrownBy(guard::reap).isInstanceOf(StackOverflowError.class);
    assertThat(on.device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
    assertThat(guard.bytesOutstanding()).isEqualTo(200);
    assertThat(guard.reap()).isEqualTo(200);
    assertThat(on.device.calls(DriverCall.FREE_ASYNC)).isEqualTo(2);
  }

  @Test
  void anErrorFromTheUnderlyingResourceLosesNoByte() {
    freeOne(100);
    trap.before(1, planned(), "isEventComplete", "isStreamIdle");
    assertThatThrownBy(guard::reap).isInstanceOf(StackOverflowError.class);
    assertThat(guard.bytesOutstanding()).isZero();
    assertThat(guard.reap()).isZero();
    assertThat(backend.live()).isEmpty();
  }

  @Test
  void aFreeSucceedsEvenIfTheOldestMemoryCannotBeFreed() {
    for (int i = 0; i < KEPT; i++) {
      freeOne(100);
    }
    on.device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    assertThat(freeOne(100)).isZero();
    // Two are too many now, of which one can be given back.
    on.device.failCall(DriverCall.FREE_ASYNC, 2, 999);
    assertThat(freeOne(100)).isEqualTo(100);
    assertThat(guard.bytesOutstanding()).isEqualTo((KEPT + 1) * 100);
    assertThat(guard.reap()).isEqualTo((KEPT + 1) * 100);
  }

  @Test
  void anErrorWhileTheOldestMemoryIsFreedLosesNoByte() {
    for (int i = 0; i < KEPT; i++) {
      freeOne(100);
    }
    on.device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    freeOne(100);
    Allocation last = guard.allocate(100, on.a, "");
    trap.after(2, planned(), "freeAsync");
    assertThatThrownBy(() -> guard.deallocate(last)).isInstanceOf(StackOverflowError.class);
    assertThat(guard.bytesOutstanding()).isEqualTo(KEPT * 100);
    assertThat(guard.reap()).isEqualTo(KEPT * 100);
  }

  @Test
  void aGuardThatIsUsedAfterItsCloseChecksThroughTheSameMemory() {
    freeOne(100);
    guard.close();
    freeOne(100);
    assertThat(guard.reap()).isEqualTo(100);
    assertThat(on.device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(1);
  }

  @Test
  void aFreeThatWouldWaitForAnotherThreadIsRepeatedAndReportsAnOverrunOnce() throws Exception {
    AtomicReference<Runnable> atTheWait = new AtomicReference<>(() -> {});
    SimulatedStreams own =
        new SimulatedStreams(
            Schedule.LAZY,
            (method, call) -> {
              if (method.equals("synchronizeStream")) {
                atTheWait.getAndSet(() -> {}).run();
              }
              return call.proceed();
            });
    UpstreamResource upstream = UpstreamResource.streamOrdered(own.pool, false);
    ExecutorService other = Executors.newSingleThreadExecutor();
    List<GuardReport> overruns = new ArrayList<>();
    try (GuardResource guarded = new GuardResource(upstream, own.pool, overruns::add)) {
      Allocation block = guarded.allocate(100, own.a, "");
      own.driver.fillAsync(block.address() + 100, Byte.BYTES, 0, 1, own.a.stream());
      AtomicReference<Submission> launch = new AtomicReference<>();
      atTheWait.set(
          () ->
              CompletableFuture.runAsync(
                      () -> launch.set(own.a.begin(new NamedUse("a launch"))), other)
                  .join());
      guarded.deallocate(block);
      List<Allocation> live = guarded.live();
      CompletableFuture.runAsync(() -> launch.get().close(), other).join();
      assertThat(block.isOpen()).isFalse();
      assertThat(live).containsExactly(block);
      assertThat(guarded.reap()).isEqualTo(100);
      assertThat(overruns).hasSize(1);
    }
    other.shutdown();
    own.close();
  }
}
