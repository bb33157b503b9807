package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.memory.GuardReport.Violation;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.transfer.Bytes;
import dev.streamfence.simulation.Schedule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class GuardResourceTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.LAZY);
  private final UpstreamResource backend = UpstreamResource.streamOrdered(on.pool, true);
  private final List<GuardReport> reports = new ArrayList<>();
  private final GuardResource guard = new GuardResource(backend, on.pool, reports::add);

  @AfterEach
  void close() {
    guard.close();
    assertThat(guard.bytesOutstanding()).isZero();
    assertThat(backend.live()).isEmpty();
    assertThat(guard.violations()).isEqualTo(reports.size());
    on.close();
  }

  /** A write that a kernel makes without declaring it. */
  private void strayWrite(Timeline timeline, long address, int value) {
    on.driver.fillAsync(address, Byte.BYTES, value, 1, timeline.stream());
  }

  /**
   * The content of an allocation, read directly from the driver, since its resource refuses the
   * read.
   */
  private byte[] content(Allocation block) {
    byte[] seen = new byte[(int) block.sizeInBytes()];
    HostMemory host = on.driver.allocateHost(seen.length);
    on.driver.copyToHostAsync(host, 0, block.address(), seen.length, on.a.stream());
    on.driver.synchronizeStream(on.a.stream());
    host.buffer().get(0, seen);
    on.driver.freeHost(host);
    return seen;
  }

  @Test
  void aFreshAllocationIsFilledWithAKnownByte() {
    Allocation block = guard.allocate(100, on.a, "");
    assertThat(content(block)).containsOnly(0xA7);
    guard.deallocate(block);
    assertThat(reports).isEmpty();
  }

  @Test
  void aWriteAfterTheEndIsReportedWithTagAndAllocationSite() {
    Allocation block = guard.allocate(100, on.a, "keys");
    strayWrite(on.a, block.address() + 100 + 3, 0);
    guard.deallocate(block);
    assertThat(reports).hasSize(1);
    GuardReport report = reports.get(0);
    assertThat(report.violation()).isEqualTo(Violation.BEHIND);
    assertThat(report.allocation()).isSameAs(block);
    assertThat(report.fact()).contains("'keys'", "byte 3 behind");
    assertThat(report.allocation().allocatedAt()).isNotNull();
  }

  @Test
  void aWriteBeforeTheStartIsReported() {
    Allocation block = guard.allocate(100, on.a, "");
    strayWrite(on.a, block.address() - 8, 0);
    guard.deallocate(block);
    assertThat(reports).extracting(GuardReport::violation).containsExactly(Violation.BEFORE);
    assertThat(reports.get(0).fact()).contains("8 bytes before");
  }

  @Test
  void theFirstAndTheLastGuardedByteAreSeen() {
    for (long offset : new long[] {-GuardResource.MARGIN, -1, 100, 99 + GuardResource.MARGIN}) {
      Allocation block = guard.allocate(100, on.a, "");
      strayWrite(on.a, block.address() + offset, 0);
      guard.deallocate(block);
    }
    assertThat(reports)
        .extracting(GuardReport::violation)
        .containsExactly(Violation.BEFORE, Violation.BEFORE, Violation.BEHIND, Violation.BEHIND);
  }

  @Test
  void aWriteAfterTheFreeIsReportedWhenTheMemoryLeavesQuarantine() {
    Allocation block = guard.allocate(100, on.a, "keys");
    guard.deallocate(block);
    assertThat(guard.bytesOutstanding()).isEqualTo(100);
    strayWrite(on.a, block.address() + 42, 0);
    assertThat(guard.reap()).isEqualTo(100);
    assertThat(reports).extracting(GuardReport::violation).containsExactly(Violation.AFTER_FREE);
    assertThat(reports.get(0).fact()).contains("'keys'", "byte 42 ");
  }

  @Test
  void aWriteBesideTheAllocationAfterTheFreeIsReportedAsWell() {
    Allocation block = guard.allocate(100, on.a, "");
    guard.deallocate(block);
    strayWrite(on.a, block.address() + 100, 0);
    guard.reap();
    assertThat(reports).extracting(GuardReport::violation).containsExactly(Violation.AFTER_FREE);
  }

  @Test
  void aViolationReportedAtTheFreeIsNotReportedAgain() {
    Allocation block = guard.allocate(100, on.a, "");
    strayWrite(on.a, block.address() + 100, 0);
    guard.deallocate(block);
    guard.reap();
    assertThat(reports).hasSize(1);
  }

  @Test
  void marginsAreCheckedAfterTheUsesOnEveryStream() {
    Allocation block = guard.allocate(64, on.a, "");
    Allocation copy = guard.allocate(64, on.b, "");
    on.copies.upload(on.b, Bytes.of(64, 1), Region.of(block).range(0, 64));
    on.copies.copy(on.b, Region.of(block).range(0, 64), Region.of(copy).range(0, 64));
    // Behind the copy on its stream, and part of it as far as anybody knows: the device has done
    // none of it when the block is freed.
    strayWrite(on.b, block.address() + 64, 0);
    on.copies.copy(on.b, Region.of(block).range(0, 64), Region.of(copy).range(0, 64));
    on.copies.copy(on.c, Region.of(block).range(0, 64), Region.of(copy).range(0, 64));
    guard.deallocate(block);
    assertThat(reports).extracting(GuardReport::violation).containsExactly(Violation.BEHIND);
    guard.deallocate(copy);
  }

  @Test
  void quarantinedMemoryIsNotAllocatedAgain() {
    Allocation first = guard.allocate(100, on.a, "");
    guard.deallocate(first);
    for (int i = 0; i < 60; i++) {
      Allocation next = guard.allocate(100, on.a, "");
      assertThat(next.address()).isNotEqualTo(first.address());
      guard.deallocate(next);
    }
  }

  @Test
  void theQuarantineIsBounded() {
    for (int i = 0; i < 200; i++) {
      guard.deallocate(guard.allocate(100, on.a, ""));
    }
    assertThat(guard.bytesOutstanding()).isEqualTo(64 * 100);
  }

  @Test
  void aReapCountsTheBytesThatAPostponedFreeForcesOutOfTheQuarantine() {
    Allocation postponed = guard.allocate(100, on.a, "");
    for (int i = 0; i < 64; i++) {
      guard.deallocate(guard.allocate(100, on.a, ""));
    }
    try (Submission launch = on.a.begin(new NamedUse("a launch"))) {
      assertThat(launch.isHeldByCurrentThread()).isTrue();
      guard.deallocate(postponed);
    }
    assertThat(guard.reap()).isEqualTo(65 * 100);
  }

  @Test
  @Tag("long")
  void whenMemoryIsShortTheQuarantineIsEmptied() {
    try (SimulatedStreams small = new SimulatedStreams(Schedule.LAZY, 1 << 20)) {
      UpstreamResource little = UpstreamResource.streamOrdered(small.pool, true);
      try (GuardResource guarded = new GuardResource(little, small.pool, reports::add)) {
        for (int i = 0; i < 8; i++) {
          guarded.deallocate(guarded.allocate(320 << 10, small.a, ""));
        }
        assertThat(reports).isEmpty();
      }
    }
  }

  @Test
  void marginsDoNotCountAsOutstanding() {
    Allocation block = guard.allocate(1, on.a, "");
    assertThat(guard.bytesOutstanding()).isEqualTo(1);
    guard.deallocate(block);
    assertThat(guard.bytesOutstanding()).isEqualTo(1);
  }

  @Test
  void memoryThatIsAllocatedTwiceIsReportedAndLosesTheDevice() {
    try (SimulatedStreams lost = new SimulatedStreams(Schedule.EAGER)) {
      UpstreamResource real = UpstreamResource.streamOrdered(lost.pool, false);
      List<GuardReport> found = new ArrayList<>();
      List<Allocation> made = new ArrayList<>();
      AllocationResource overlapping =
          new AllocationResource() {
            @Override
            public Allocation allocate(long bytes, Timeline timeline, String tag, Account payer) {
              long shift = made.isEmpty() ? 0 : made.get(0).address() + 700;
              Allocation block =
                  shift == 0
                      ? real.allocate(bytes, timeline, tag, payer)
                      : new Allocation(
                          shift, bytes, tag, timeline, 0, b -> {}, true, payer, null, null);
              made.add(block);
              return block;
            }

            @Override
            public void deallocate(Allocation block) {
              real.deallocate(block);
            }

            @Override
            public Account account() {
              return real.account();
            }

            @Override
            public int deviceOrdinal() {
              return 0;
            }

            @Override
            public boolean tracksUses() {
              return true;
            }
          };
      GuardResource guarded = new GuardResource(overlapping, lost.pool, found::add);
      guarded.allocate(100, lost.a, "first");
      assertThatThrownBy(() -> guarded.allocate(100, lost.a, "second"))
          .isInstanceOf(CudaDriverException.class);
      assertThat(found).extracting(GuardReport::violation).containsExactly(Violation.OVERLAP);
      assertThat(lost.pool.sticky().error()).isNotNull();
      lost.driver.freeAsync(made.get(0).address(), lost.a.stream());
    }
  }

  @Test
  void aResourceThatDoesNotTrackCannotBeGuarded() {
    AllocationResource untracking = new UntrackingResource(on.pool);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new GuardResource(untracking, on.pool, reports::add));
  }

  @Test
  void everyDriverCallOfAFreeMayFailAndTheFreeBeRepeated() {
    for (int call = 1; ; call++) {
      Allocation block = guard.allocate(100, on.a, "");
      on.copies.fill(on.b, Region.of(block).range(0, 100), 1, 1);
      long before = on.device.calls();
      on.device.failCall(call, 999);
      try {
        guard.deallocate(block);
      } catch (CudaDriverException e) {
        assertThat(block.hazards().isOpen()).isTrue();
        guard.deallocate(block);
        continue;
      }
      if (on.device.calls() - before < call) {
        assertThat(call).isGreaterThan(4);
        useUpThePlannedFailure();
        break;
      }
    }
    assertThat(reports).isEmpty();
  }

  private void useUpThePlannedFailure() {
    for (int i = 0; i < 100; i++) {
      try {
        on.driver.memoryInfo();
      } catch (CudaDriverException planned) {
        return;
      }
    }
  }
}
