package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.driver.MemoryInfo;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Allocations that the driver refuses, for want of memory or because the device is lost. */
final class ShortOfMemoryTest {
  private static final int OUT_OF_MEMORY = 2;

  private final SimulatedStreams on = new SimulatedStreams(Schedule.LAZY);
  private final UpstreamResource resource = UpstreamResource.streamOrdered(on.pool, false);
  private Allocation live;

  @BeforeEach
  void open() {
    live = resource.allocate(8192, on.a, "");
  }

  @AfterEach
  void close() {
    resource.deallocate(live);
    on.pool.synchronizeAll("the end");
    resource.reap();
    assertThat(resource.bytesOutstanding()).isZero();
    on.close();
  }

  private OutOfMemoryBudgetException refused(String tag) {
    on.device.failCall(DriverCall.ALLOCATE_ASYNC, 1, OUT_OF_MEMORY);
    on.device.failCall(DriverCall.ALLOCATE_ASYNC, 2, OUT_OF_MEMORY);
    return catchThrowableOfType(
        OutOfMemoryBudgetException.class, () -> resource.allocate(64, on.b, tag));
  }

  @Test
  void theSecondAttemptWaitsForQueuedFrees() {
    resource.deallocate(resource.allocate(64, on.a, ""));
    on.device.failCall(DriverCall.ALLOCATE_ASYNC, 1, OUT_OF_MEMORY);
    Allocation block = resource.allocate(64, on.b, "");
    assertThat(on.device.calls(DriverCall.SYNCHRONIZE_STREAM)).isEqualTo(1);
    assertThat(on.a.completed()).isEqualTo(on.a.submitted());
    resource.deallocate(block);
  }

  @Test
  void withNothingFreedThereIsNothingToWaitFor() {
    long before = on.device.calls(DriverCall.ALLOCATE_ASYNC);
    on.device.failCall(DriverCall.ALLOCATE_ASYNC, 1, OUT_OF_MEMORY);
    resource.deallocate(resource.allocate(64, on.b, ""));
    assertThat(on.device.calls(DriverCall.ALLOCATE_ASYNC)).isEqualTo(before + 2);
    assertThat(on.device.calls(DriverCall.SYNCHRONIZE_STREAM)).isZero();
  }

  @Test
  void aRefusalSaysThatTheDriverRefusedAndWithWhichFigures() {
    MemoryInfo memory = on.driver.memoryInfo();
    OutOfMemoryBudgetException refusal = refused("keys");
    assertThat(refusal.isByDriver()).isTrue();
    assertThat(refusal)
        .hasMessage(
            "'keys' needs 64 bytes, which the driver refuses: cuMemAllocAsync answered"
                + " CUDA_ERROR_OUT_OF_MEMORY (2); "
                + memory.freeInBytes()
                + " of "
                + memory.totalInBytes()
                + " bytes of the device are free, this runtime has 8192 in open arrays and 0 freed"
                + " that the device may still use; close arrays of this runtime or of other code on"
                + " the device, or ask for less");
    assertThat(refusal.requested()).isEqualTo(64);
    assertThat(refusal.limit()).isEqualTo(memory.totalInBytes());
    assertThat(refusal.current())
        .isEqualTo(memory.totalInBytes() - memory.freeInBytes())
        .isGreaterThanOrEqualTo(8192);
    assertThat(refusal)
        .cause()
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.code()).isEqualTo(OUT_OF_MEMORY));
  }

  @Test
  void aRefusalByABudgetIsNotTheDrivers() {
    BudgetResource budget = new BudgetResource(resource, 10_000);
    OutOfMemoryBudgetException refusal =
        catchThrowableOfType(
            OutOfMemoryBudgetException.class, () -> budget.allocate(5_000, on.b, ""));
    assertThat(refusal.isByDriver()).isFalse();
    assertThat(refusal.current()).isEqualTo(8192);
    assertThat(refusal.pending()).isZero();
  }

  @Test
  void freesThatWereWaitedForAreNotPending() {
    resource.deallocate(resource.allocate(100, on.a, ""));
    assertThat(refused("").pending()).isZero();
    assertThat(resource.bytesOutstanding()).isEqualTo(8192 + 100);
  }

  @Test
  void aFreeThatIsPostponedIsPending() {
    Allocation block = resource.allocate(100, on.a, "");
    try (Submission launch = on.a.begin(new Purpose(Purpose.Act.CHECK, 100, "", on.a))) {
      launch.use(block.hazards(), true, false, 0);
      launch.preflight();
      resource.deallocate(block);
      launch.commit();
      OutOfMemoryBudgetException refusal = CompletableFuture.supplyAsync(() -> refused("")).join();
      assertThat(refusal.pending()).isEqualTo(100);
      assertThat(refusal).hasMessageContaining("8192 in open arrays and 100 freed that the device");
    }
  }

  @Test
  void theLedgerReplacesFiguresThatTheDriverDoesNotGive() {
    on.device.failCall(DriverCall.MEMORY_INFO, 1, 999);
    OutOfMemoryBudgetException refusal = refused("");
    assertThat(refusal).hasMessageStartingWith("an allocation needs 64 bytes");
    assertThat(refusal).hasMessageContaining("bytes of the device are free is unknown");
    assertThat(refusal.current()).isEqualTo(8192);
    assertThat(refusal.limit()).isEqualTo(on.driver.properties().totalMemoryInBytes());
    assertThat(refusal.getCause().getSuppressed())
        .singleElement()
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> assertThat(e.purpose()).isEqualTo("asking how much memory is free"));
  }

  @Test
  void aSecondAttemptThatFailsOtherwiseSaysHow() {
    on.device.failCall(DriverCall.ALLOCATE_ASYNC, 1, OUT_OF_MEMORY);
    on.device.failCall(DriverCall.ALLOCATE_ASYNC, 2, 1);
    assertThatThrownBy(() -> resource.allocate(64, on.b, ""))
        .isInstanceOfSatisfying(CudaDriverException.class, e -> assertThat(e.code()).isEqualTo(1));
  }

  @Test
  void aLostDeviceIsNotAskedForDirectMemory() {
    try (SimulatedStreams lost = new SimulatedStreams(Schedule.EAGER)) {
      UpstreamResource direct = UpstreamResource.direct(lost.pool, false);
      lost.pool
          .sticky()
          .declareLost(new CudaDriverException("cuLaunchKernel", 700, "a fault"), "a test");
      assertThatThrownBy(() -> direct.allocate(64, lost.a, ""))
          .isInstanceOf(CudaDriverException.class);
      assertThat(lost.device.calls(DriverCall.ALLOCATE)).isZero();
    }
  }

  @Test
  void memoryAloneDoesNotMakeAStreamBusyForOthers() {
    UpstreamResource direct = UpstreamResource.direct(on.pool, false);
    direct.deallocate(direct.allocate(64, on.b, ""));
    resource.deallocate(resource.allocate(64, on.c, ""));
    on.copies.fill(on.a, Region.of(live).range(0, 64), 1, 1);
    // An event would be for another stream that may have to wait.
    assertThat(on.device.calls(DriverCall.RECORD_EVENT)).isZero();
    on.copies.fill(on.b, Region.of(live).range(0, 64), 1, 1);
    on.copies.fill(on.b, Region.of(live).range(0, 64), 1, 1);
    assertThat(on.device.calls(DriverCall.RECORD_EVENT)).isPositive();
  }
}
