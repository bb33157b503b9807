package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class StreamOrderedMemoryTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER);
  private final UpstreamResource resource = UpstreamResource.streamOrdered(on.pool, true);

  @AfterEach
  void close() {
    on.pool.synchronizeAll("the end");
    resource.reap();
    assertThat(resource.bytesOutstanding()).isZero();
    on.close();
  }

  @Test
  void aReapFindsFinishedFreesWithoutWaiting() {
    resource.deallocate(resource.allocate(1024, on.a, ""));
    assertThat(resource.bytesOutstanding()).isEqualTo(1024);
    assertThat(resource.reap()).isEqualTo(1024);
    assertThat(on.device.calls(DriverCall.SYNCHRONIZE_STREAM)).isZero();
  }

  @Test
  void knownFinishedFreesAreReturnedWithoutADriverCall() {
    resource.deallocate(resource.allocate(1024, on.a, ""));
    on.a.synchronize("knowing");
    long before = on.device.calls();
    assertThat(resource.reap()).isEqualTo(1024);
    assertThat(on.device.calls()).isEqualTo(before);
  }

  @Test
  void freedMemoryComesBackFromAStreamThatIsNeverIdle() {
    try (SimulatedStreams late = new SimulatedStreams(Schedule.LAZY)) {
      UpstreamResource lazy = UpstreamResource.streamOrdered(late.pool, false);
      Allocation busy = lazy.allocate(64, late.a, "");
      lazy.deallocate(lazy.allocate(1024, late.a, ""));
      long reaped = 0;
      for (int i = 0; i < 10 && reaped == 0; i++) {
        late.copies.fill(late.a, Region.of(busy).range(0, 64), 1, i);
        late.copies.fill(late.a, Region.of(busy).range(0, 64), 1, i);
        reaped = lazy.reap();
      }
      assertThat(reaped).isEqualTo(1024);
      assertThat(late.a.isIdle()).isFalse();
      lazy.deallocate(busy);
    }
  }

  @Test
  void aStreamThatCannotBeQueriedDoesNotHideTheBytesOfAnother() {
    resource.deallocate(resource.allocate(1024, on.a, ""));
    resource.deallocate(resource.allocate(2048, on.b, ""));
    on.device.failCall(DriverCall.IS_EVENT_COMPLETE, 1, 999);
    long first = resource.reap();
    assertThat(first).isIn(1024L, 2048L);
    assertThat(resource.bytesOutstanding()).isEqualTo(3072 - first);
    assertThat(resource.reap()).isEqualTo(3072 - first);
  }

  @Test
  void aFailedReapThatReturnsNothingThrowsItsCause() {
    resource.deallocate(resource.allocate(1024, on.a, ""));
    on.device.failCall(DriverCall.IS_EVENT_COMPLETE, 1, 999);
    assertThatThrownBy(resource::reap).isInstanceOf(CudaDriverException.class);
    assertThat(resource.bytesOutstanding()).isEqualTo(1024);
    assertThat(resource.reap()).isEqualTo(1024);
  }

  @Test
  void aRefusalByTheDriverChangesNothing() {
    on.device.failCall(DriverCall.ALLOCATE_ASYNC, 1, 1);
    assertThatThrownBy(() -> resource.allocate(64, on.a, "keys"))
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.purpose()).contains("'keys'", "64"));
    assertThat(resource.bytesOutstanding()).isZero();
    assertThat(resource.live()).isEmpty();
  }

  @Test
  void anAllocationIsRetriedWhenTheDriverIsOutOfMemory() {
    on.device.failCall(DriverCall.ALLOCATE_ASYNC, 1, 2);
    resource.deallocate(resource.allocate(64, on.a, ""));
    assertThat(on.device.calls(DriverCall.ALLOCATE_ASYNC)).isEqualTo(2);
  }

  @Test
  void whenTheDriverStaysOutOfMemoryTheErrorHasTheFigures() {
    on.device.failCall(DriverCall.ALLOCATE_ASYNC, 1, 2);
    on.device.failCall(DriverCall.ALLOCATE_ASYNC, 2, 2);
    on.device.failCall(DriverCall.MEMORY_INFO, 1, 999);
    assertThatThrownBy(() -> resource.allocate(64, on.a, ""))
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class,
            e -> {
              assertThat(e.requested()).isEqualTo(64);
              assertThat(e.limit()).isEqualTo(64 << 20);
            });
  }

  @Test
  void aFreeWhoseWaitFailsLeavesTheAllocationAndCanBeRepeated() {
    Allocation block = resource.allocate(64, on.a, "");
    on.copies.fill(on.a, Region.of(block).range(0, 64), 1, 1);
    Allocation copyB = resource.allocate(64, on.b, "");
    Allocation copyC = resource.allocate(64, on.c, "");
    on.copies.copy(on.b, Region.of(block).range(0, 64), Region.of(copyB).range(0, 64));
    on.copies.copy(on.c, Region.of(block).range(0, 64), Region.of(copyC).range(0, 64));
    on.device.failCall(DriverCall.WAIT_FOR_EVENT, 1, 999);

    assertThatThrownBy(() -> resource.deallocate(block)).isInstanceOf(CudaDriverException.class);
    assertThat(block.hazards().isOpen()).isTrue();
    assertThat(resource.bytesOutstanding()).isEqualTo(192);
    assertThat(on.device.calls(DriverCall.FREE_ASYNC)).isZero();

    resource.deallocate(block);
    resource.deallocate(copyB);
    resource.deallocate(copyC);
  }

  @Test
  void aFreeThatTheDriverRefusesCanBeRepeated() {
    Allocation block = resource.allocate(64, on.a, "");
    on.device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    assertThatThrownBy(() -> resource.deallocate(block)).isInstanceOf(CudaDriverException.class);
    assertThat(resource.live()).containsExactly(block);
    resource.deallocate(block);
    assertThat(resource.live()).isEmpty();
  }

  @Test
  void aPostponedFreeThatFailsIsRepeatedByTheNextReap() {
    Allocation block = resource.allocate(64, on.a, "");
    on.device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    try (Submission submission = on.a.begin(new Purpose(Purpose.Act.CHECK, 64, "", on.a))) {
      submission.use(block.hazards(), true, false, 0);
      submission.preflight();
      resource.deallocate(block);
      submission.commit();
    }
    assertThat(resource.live()).containsExactly(block);
    assertThat(resource.reap()).isEqualTo(64);
    assertThat(resource.live()).isEmpty();
  }

  @Test
  void theBytesOfALostDeviceNoLongerCount() {
    try (SimulatedStreams lost = new SimulatedStreams(Schedule.EAGER)) {
      UpstreamResource gone = UpstreamResource.streamOrdered(lost.pool, false);
      Allocation block = gone.allocate(64, lost.a, "");
      Allocation postponed = gone.allocate(16, lost.a, "");
      gone.deallocate(gone.allocate(32, lost.a, ""));
      try (Submission submission = lost.a.begin(new Purpose(Purpose.Act.CHECK, 16, "", lost.a))) {
        assertThat(submission.isHeldByCurrentThread()).isTrue();
        gone.deallocate(postponed);
      }
      lost.pool
          .sticky()
          .declareLost(new CudaDriverException("cuLaunchKernel", 700, "a fault"), "a test");

      assertThat(gone.reap()).isEqualTo(16 + 32);
      gone.deallocate(block);
      assertThat(gone.bytesOutstanding()).isZero();
      assertThat(gone.live()).isEmpty();
      assertThatThrownBy(() -> gone.allocate(8, lost.a, ""))
          .isInstanceOf(CudaDriverException.class);
      lost.driver.synchronizeStream(lost.a.stream());
      lost.driver.free(block.address());
      lost.driver.free(postponed.address());
    }
  }
}
