package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceException;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.simulation.Schedule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A limit within a limit, for one of several users. */
final class BudgetPartTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER);
  private final StreamOrderedResource backend = new StreamOrderedResource(on.pool, false);
  private final ScriptedResource inner = new ScriptedResource(backend);
  private final BudgetResource whole = new BudgetResource(inner, 4096);
  private final BudgetResource part = whole.part(2048, "a part");

  @AfterEach
  void close() {
    part.reap();
    whole.reap();
    assertThat(part.snapshot()).isEqualTo(new Budget(2048, 0, 0, 0, part.snapshot().peak()));
    assertThat(whole.snapshot().reserved()).isZero();
    assertThat(backend.bytesOutstanding()).isZero();
    on.close();
  }

  private static Error planned() {
    return new StackOverflowError("as planned");
  }

  @Test
  void aFreeReturnsItsBytesToThePartAtOnce() {
    Allocation block = part.allocate(1500, on.a, "");
    assertThat(part.bytesOutstanding()).isEqualTo(1500);
    assertThat(part.deallocate(block)).isEqualTo(1500);
    assertThat(part.bytesOutstanding()).isZero();
    assertThat(whole.bytesOutstanding()).isEqualTo(1500);
    assertThat(part.reap()).isZero();
    part.deallocate(part.allocate(2048, on.a, ""));
  }

  @Test
  void bytesOfAFreeThatEndedWithAnErrorComeBackWithTheNextReap() {
    Allocation block = part.allocate(1500, on.a, "");
    inner.afterDeallocate =
        () -> {
          throw planned();
        };
    assertThatThrownBy(() -> part.deallocate(block)).isInstanceOf(StackOverflowError.class);
    inner.afterDeallocate = () -> {};
    assertThat(part.bytesOutstanding()).isEqualTo(1500);
    assertThat(part.snapshot().reserved()).isEqualTo(1500);
    assertThat(part.reap()).isEqualTo(1500);
    assertThat(part.bytesOutstanding()).isZero();
    assertThat(part.reap()).isZero();
  }

  @Test
  void aBlockWhoseFreeEndedWithAnErrorBeforehandStaysInThePart() {
    Allocation block = part.allocate(1500, on.a, "");
    inner.beforeDeallocate =
        () -> {
          throw planned();
        };
    assertThatThrownBy(() -> part.deallocate(block)).isInstanceOf(StackOverflowError.class);
    inner.beforeDeallocate = () -> {};
    assertThat(part.reap()).isZero();
    assertThat(part.snapshot()).isEqualTo(new Budget(2048, 1500, 0, 0, 1500));
    assertThat(whole.snapshot()).isEqualTo(new Budget(4096, 1500, 0, 0, 1500));
    assertThat(part.deallocate(block)).isEqualTo(1500);
  }

  @Test
  void aFreeThatFailsLeavesItsBytesInThePart() {
    Allocation block = part.allocate(1500, on.a, "");
    inner.beforeDeallocate = ScriptedResource::fail;
    assertThatThrownBy(() -> part.deallocate(block)).isInstanceOf(DeviceException.class);
    inner.beforeDeallocate = () -> {};
    assertThat(part.bytesOutstanding()).isEqualTo(1500);
    part.deallocate(block);
  }

  @Test
  void everythingElseIsThatOfTheWhole() {
    assertThat(part.deviceOrdinal()).isEqualTo(7);
    assertThat(part.tracksUses()).isFalse();
    assertThat(new BudgetResource(backend, 64).part(64, "").tracksUses()).isTrue();
    assertThat(part.mayWaitForOthers()).isTrue();
    try (Submission launch = on.a.begin(new NamedUse("a launch"))) {
      assertThat(launch.isHeldByCurrentThread()).isTrue();
      assertThat(part.mayWaitForOthers()).isFalse();
    }
  }
}
