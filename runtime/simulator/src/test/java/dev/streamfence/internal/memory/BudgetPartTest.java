package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.simulation.Schedule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A limit within a limit, for one of several users. */
final class BudgetPartTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER);
  private final UpstreamResource backend = UpstreamResource.streamOrdered(on.pool, false);
  private final ScriptedResource inner = new ScriptedResource(backend);
  private final BudgetResource whole = new BudgetResource(inner, 4096);
  private final BudgetResource part = whole.part(2048, "a part");

  @AfterEach
  void close() {
    part.reap();
    whole.reap();
    assertThat(part.snapshot()).isEqualTo(new Budget(2048, 0, 0, 0, part.snapshot().peak(), 0));
    assertThat(whole.snapshot().reserved()).isZero();
    assertThat(backend.bytesOutstanding()).isZero();
    on.close();
  }

  private static Error planned() {
    return new StackOverflowError("as planned");
  }

  @Test
  void aFreeImmediatelyReturnsItsBytesToThePart() {
    Allocation allocation = part.allocate(1500, on.a, "");
    assertThat(part.bytesOutstanding()).isEqualTo(1500);
    part.deallocate(allocation);
    assertThat(part.bytesOutstanding()).isZero();
    assertThat(whole.bytesOutstanding()).isEqualTo(1500);
    part.deallocate(part.allocate(2048, on.a, ""));
  }

  @Test
  void aFreeThatEndedWithAnErrorAfterwardsReturnsItsBytesToThePart() {
    Allocation allocation = part.allocate(1500, on.a, "");
    inner.afterDeallocate =
        () -> {
          throw planned();
        };
    assertThatThrownBy(() -> part.deallocate(allocation)).isInstanceOf(StackOverflowError.class);
    inner.afterDeallocate = () -> {};
    assertThat(part.snapshot()).isEqualTo(new Budget(2048, 0, 0, 0, 1500, 0));
    assertThat(whole.snapshot()).isEqualTo(new Budget(4096, 0, 1500, 0, 1500, 0));
  }

  @Test
  void anAllocationMadeByOneUserAndFreedByAnotherLeavesItsPart() {
    BudgetResource other = whole.part(2048, "another part");
    Allocation allocation = part.allocate(1500, on.a, "");
    other.deallocate(allocation);
    assertThat(part.snapshot().live()).isZero();
    assertThat(other.snapshot().live()).isZero();
    assertThat(whole.snapshot()).isEqualTo(new Budget(4096, 0, 1500, 0, 1500, 0));
  }

  @Test
  void anAllocationIsPaidByItsPartAndByTheWhole() {
    BudgetResource other = whole.part(2048, "another part");
    Allocation ofPart = part.allocate(1500, on.a, "");
    Allocation ofWhole = whole.allocate(64, on.a, "");
    assertThat(part.pays(ofPart)).isTrue();
    assertThat(whole.pays(ofPart)).isTrue();
    assertThat(other.pays(ofPart)).isFalse();
    assertThat(part.pays(ofWhole)).isFalse();
    assertThat(whole.pays(ofWhole)).isTrue();
    part.deallocate(ofPart);
    whole.deallocate(ofWhole);
  }

  @Test
  void aRequestIsRefusedByTheFirstBudgetWithoutRoom() {
    assertThat(part.refuser(2048)).isNull();
    assertThat(part.refuser(2049)).isSameAs(part.account());
    Allocation ofWhole = whole.allocate(3000, on.a, "");
    assertThat(part.refuser(1096)).isNull();
    assertThat(part.refuser(1097)).isSameAs(whole.account());
    assertThat(part.refuser(2049)).isSameAs(part.account());
    assertThat(part.remaining()).isEqualTo(1096);
    whole.deallocate(ofWhole);
  }

  @Test
  void theWholeRefusesWhatThePartAdmitsAndThePartForgetsIt() {
    Allocation allocation = whole.allocate(3000, on.a, "");
    assertThatThrownBy(() -> part.allocate(2000, on.a, "keys"))
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class,
            e -> {
              assertThat(e.current()).isEqualTo(3000);
              assertThat(e.limit()).isEqualTo(4096);
            });
    assertThatThrownBy(() -> part.reserve(2000)).isInstanceOf(OutOfMemoryBudgetException.class);
    assertThat(part.snapshot()).isEqualTo(new Budget(2048, 0, 0, 0, 0, 0));
    assertThat(whole.snapshot()).isEqualTo(new Budget(4096, 3000, 0, 0, 3000, 0));
    whole.deallocate(allocation);
  }

  @Test
  void aReservationOfAPartIsPromisedInBoth() {
    Reservation reservation = part.reserve(2000);
    assertThat(part.snapshot()).isEqualTo(new Budget(2048, 0, 0, 2000, 0, 0));
    assertThat(whole.snapshot()).isEqualTo(new Budget(4096, 0, 0, 2000, 0, 0));
    Allocation allocation = reservation.allocate(1500, on.a, "");
    assertThat(part.snapshot()).isEqualTo(new Budget(2048, 1500, 0, 500, 1500, 0));
    assertThat(whole.snapshot()).isEqualTo(new Budget(4096, 1500, 0, 500, 1500, 0));
    reservation.close();
    part.deallocate(allocation);
    assertThat(whole.snapshot().promised()).isZero();
  }

  @Test
  void anAllocationWhoseFreeFailedBeforeTheDriverStaysInThePart() {
    Allocation block = part.allocate(1500, on.a, "");
    inner.beforeDeallocate =
        () -> {
          throw planned();
        };
    assertThatThrownBy(() -> part.deallocate(block)).isInstanceOf(StackOverflowError.class);
    inner.beforeDeallocate = () -> {};
    assertThat(part.snapshot()).isEqualTo(new Budget(2048, 1500, 0, 0, 1500, 0));
    assertThat(whole.snapshot()).isEqualTo(new Budget(4096, 1500, 0, 0, 1500, 0));
    part.deallocate(block);
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
  void otherPropertiesOfAPartAreThoseOfTheWhole() {
    assertThat(part.deviceOrdinal()).isEqualTo(7);
    assertThat(part.tracksUses()).isFalse();
    UpstreamResource tracking = UpstreamResource.streamOrdered(on.pool, false);
    assertThat(new BudgetResource(tracking, 64).part(64, "").tracksUses()).isTrue();
    assertThat(part.mayWaitForOthers()).isTrue();
    try (Submission launch = on.a.begin(new NamedUse("a launch"))) {
      assertThat(launch.isHeldByCurrentThread()).isTrue();
      assertThat(part.mayWaitForOthers()).isFalse();
    }
  }
}
