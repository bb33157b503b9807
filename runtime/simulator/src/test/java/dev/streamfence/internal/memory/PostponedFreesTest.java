package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Postponed frees, and the later calls that complete them. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PostponedFreesTest {
  private static final UseLabels LAUNCH = new NamedUse("a launch");

  private final DriverTrap trap = new DriverTrap();
  private final SimulatedStreams on = new SimulatedStreams(Schedule.LAZY, trap);
  private final UpstreamResource resource = UpstreamResource.streamOrdered(on.pool, false);

  @AfterEach
  void close() {
    resource.awaitReap(Long.MAX_VALUE);
    assertThat(resource.live()).isEmpty();
    assertThat(resource.bytesOutstanding()).isZero();
    on.close();
  }

  private long frees() {
    return on.device.calls(DriverCall.FREE_ASYNC);
  }

  private Allocation freedInsideALaunchOn(Timeline timeline) {
    Allocation block = resource.allocate(64, timeline, "");
    long outstanding = resource.bytesOutstanding();
    try (Submission launch = timeline.begin(LAUNCH)) {
      assertThat(launch.isHeldByCurrentThread()).isTrue();
      resource.deallocate(block);
      assertThat(resource.bytesOutstanding()).isEqualTo(outstanding);
    }
    assertThat(resource.live()).contains(block);
    return block;
  }

  /** Frees a block at the end of a launch that uses it. */
  private void freeAtTheEndOfALaunch(Allocation block) {
    try (Submission launch = on.a.begin(LAUNCH)) {
      launch.use(block.hazards(), true, false, 0);
      launch.preflight();
      resource.deallocate(block);
      launch.commit();
    }
  }

  @Test
  void theNextAllocationFrees() {
    freedInsideALaunchOn(on.a);
    assertThat(frees()).isZero();
    Allocation next = resource.allocate(32, on.b, "");
    assertThat(frees()).isEqualTo(1);
    resource.deallocate(next);
  }

  @Test
  void theNextFreeFreesToo() {
    Allocation other = resource.allocate(32, on.b, "");
    freedInsideALaunchOn(on.a);
    resource.deallocate(other);
    assertThat(frees()).isEqualTo(2);
  }

  @Test
  void aThreadInsideALaunchLeavesAPostponedFreeToOthers() {
    freedInsideALaunchOn(on.a);
    try (Submission launch = on.b.begin(LAUNCH)) {
      assertThat(launch.isHeldByCurrentThread()).isTrue();
      assertThat(resource.reap()).isZero();
      assertThat(frees()).isZero();
    }
  }

  @Test
  void aPostponedFreeThatFailsAgainIsTriedOnceInACall() {
    Allocation block = resource.allocate(64, on.a, "");
    on.device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    freeAtTheEndOfALaunch(block);
    on.device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    assertThat(resource.reap()).isZero();
    assertThat(frees()).isEqualTo(2);
    assertThat(resource.live()).containsExactly(block);
    assertThat(resource.awaitReap(64)).isEqualTo(64);
    assertThat(frees()).isEqualTo(3);
  }

  @Test
  void aPostponedFreeLeavesTheThreadOutsideTheRuntime() {
    freedInsideALaunchOn(on.a);
    resource.reap();
    assertThat(frees()).isEqualTo(1);
    assertThat(on.pool.life().isEntered()).isFalse();
  }

  /** Holds a stream in a thread of its own. */
  private static Thread launching(Timeline timeline, CountDownLatch goOn) {
    return Waiting.thread(
        () -> {
          try (Submission launch = timeline.begin(LAUNCH)) {
            assertThat(launch.isHeldByCurrentThread()).isTrue();
            Waiting.await(goOn);
          }
        });
  }

  @Test
  void aFreeIsPostponedAgainIfAnotherThreadHoldsTheStream() throws Exception {
    freedInsideALaunchOn(on.a);
    CountDownLatch goOn = new CountDownLatch(1);
    Thread launching = launching(on.a, goOn);
    Allocation next = resource.allocate(32, on.b, "");
    assertThat(frees()).isZero();
    goOn.countDown();
    launching.join();
    resource.deallocate(next);
    assertThat(frees()).isEqualTo(2);
  }

  @Test
  void outsideALaunchAFreeWaitsForTheThreadThatHoldsTheStream() throws Exception {
    Allocation block = resource.allocate(64, on.a, "");
    CountDownLatch goOn = new CountDownLatch(1);
    Thread launching = launching(on.a, goOn);
    Thread freeing = Waiting.thread(() -> resource.deallocate(block));
    assertThat(frees()).isZero();
    goOn.countDown();
    launching.join();
    freeing.join();
    assertThat(frees()).isEqualTo(1);
  }

  @Test
  void anErrorBeforeTheDriverLeavesTheFreeToTheNextCall() {
    Allocation block = resource.allocate(64, on.a, "");
    Allocation copy = resource.allocate(64, on.b, "");
    on.copies.fill(on.a, Region.of(block).range(0, 64), 1, 1);
    on.copies.copy(on.b, Region.of(block).range(0, 64), Region.of(copy).range(0, 64));
    trap.before(1, new StackOverflowError("as planned"), "waitForEvent");
    assertThatThrownBy(() -> freeAtTheEndOfALaunch(block)).isInstanceOf(StackOverflowError.class);
    assertThat(frees()).isZero();
    resource.reap();
    assertThat(frees()).isEqualTo(1);
    resource.deallocate(copy);
  }

  /** The driver may have freed it before the error came, and given it to another one since. */
  @Test
  void afterAnErrorFromTheDriverTheMemoryIsNotFreedAgain() {
    Allocation block = resource.allocate(64, on.a, "");
    trap.after(1, new StackOverflowError("as planned"), "freeAsync");
    assertThatThrownBy(() -> freeAtTheEndOfALaunch(block)).isInstanceOf(StackOverflowError.class);
    assertThat(resource.bytesOutstanding()).isZero();
    assertThat(resource.reap()).isZero();
    assertThat(frees()).isEqualTo(1);
  }

  @Test
  void bytesOfAFreeThatEndedWithAnErrorComeBack() {
    Allocation block = resource.allocate(64, on.a, "");
    trap.after(1, new StackOverflowError("as planned"), "freeAsync");
    assertThatThrownBy(() -> resource.deallocate(block)).isInstanceOf(StackOverflowError.class);
    assertThat(block.hazards().isOpen()).isFalse();
    assertThat(resource.live()).isEmpty();
    assertThat(resource.bytesOutstanding()).isZero();
  }

  @Test
  void theEndFreesOpenAndClosedAllocations() {
    resource.allocate(64, on.a, "open");
    Allocation closed = resource.allocate(32, on.a, "closed");
    on.device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    freeAtTheEndOfALaunch(closed);
    Teardown teardown = new Teardown();
    resource.freeAll(teardown);
    teardown.finish();
    assertThat(resource.live()).isEmpty();
    assertThat(frees()).isEqualTo(3);
  }

  @Test
  void theEndFreesASingleClosedAllocation() {
    Allocation closed = resource.allocate(32, on.a, "closed");
    on.device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    freeAtTheEndOfALaunch(closed);
    Teardown teardown = new Teardown();
    resource.freeAll(teardown);
    teardown.finish();
    assertThat(resource.live()).isEmpty();
    assertThat(frees()).isEqualTo(2);
  }

  @Test
  void anAllocationThatTheEndCannotFreeIsReported() {
    Allocation first = resource.allocate(64, on.a, "");
    Allocation second = resource.allocate(32, on.a, "");
    on.device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    Teardown teardown = new Teardown();
    resource.freeAll(teardown);
    assertThatThrownBy(teardown::finish).isInstanceOf(CudaDriverException.class);
    assertThat(resource.live()).hasSize(1).containsAnyOf(first, second);
    resource.live().forEach(resource::deallocate);
  }

  @Test
  void directMemoryThatIsFreedLateComesBackWithAReap() {
    UpstreamResource direct = UpstreamResource.direct(on.pool, false);
    Allocation block = direct.allocate(64, on.a, "");
    try (Submission launch = on.a.begin(LAUNCH)) {
      assertThat(launch.isHeldByCurrentThread()).isTrue();
      direct.deallocate(block);
    }
    assertThat(direct.reap()).isEqualTo(64);
    Allocation closed = direct.allocate(32, on.a, "");
    on.device.failCall(DriverCall.FREE, 1, 999);
    try (Submission launch = on.a.begin(LAUNCH)) {
      launch.use(closed.hazards(), true, false, 0);
      launch.preflight();
      direct.deallocate(closed);
    }
    assertThat(direct.live()).containsExactly(closed);
    Teardown teardown = new Teardown();
    direct.freeAll(teardown);
    teardown.finish();
    assertThat(direct.live()).isEmpty();
    assertThat(direct.bytesOutstanding()).isZero();
  }
}
