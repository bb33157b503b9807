package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.memory.GuardReport.Violation;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads of margins and quarantined memory: the uses that they wait for, and their pieces. */
final class GuardChecksTest {
  private static final int WINDOW = 256 << 10;
  private static final int BOTH_MARGINS = 2 * GuardResource.MARGIN;

  private final SimulatedStreams on = new SimulatedStreams(Schedule.LAZY);
  private final UpstreamResource backend = UpstreamResource.streamOrdered(on.pool, false);
  private final List<GuardReport> reports = new ArrayList<>();
  private final GuardResource guard = new GuardResource(backend, on.pool, reports::add);

  @AfterEach
  void close() {
    guard.close();
    assertThat(backend.live()).isEmpty();
    on.close();
  }

  private void strayWrite(Timeline timeline, long address) {
    on.driver.fillAsync(address, Byte.BYTES, 0, 1, timeline.stream());
  }

  private Allocation freed(int bytes) {
    Allocation block = guard.allocate(bytes, on.a, "");
    guard.deallocate(block);
    return block;
  }

  @Test
  void marginsAreReadAfterTheReadersThatDoNotWaitForEachOther() {
    Allocation block = guard.allocate(64, on.a, "");
    Allocation onB = guard.allocate(64, on.b, "");
    Allocation onC = guard.allocate(64, on.c, "");
    on.copies.fill(on.a, Region.of(block).range(0, 64), 1, 1);
    on.copies.copy(on.b, Region.of(block).range(0, 64), Region.of(onB).range(0, 64));
    // Part of the second copy as far as the guard knows; the last one is on the other stream.
    strayWrite(on.b, block.address() + 64);
    on.copies.copy(on.b, Region.of(block).range(0, 64), Region.of(onB).range(0, 64));
    on.copies.copy(on.c, Region.of(block).range(0, 64), Region.of(onC).range(0, 64));
    guard.deallocate(block);
    assertThat(reports).extracting(GuardReport::violation).containsExactly(Violation.BEHIND);
    guard.deallocate(onB);
    guard.deallocate(onC);
  }

  @Test
  void oneWindowIsEnoughForAllChecksOfAThread() {
    for (int i = 0; i < 4; i++) {
      freed(100);
      freed(100);
      guard.reap();
    }
    assertThat(on.device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(1);
  }

  @Test
  void aViolationOfTheFirstByteIsReportedOnce() {
    Allocation block = guard.allocate(100, on.a, "");
    strayWrite(on.a, block.address() - GuardResource.MARGIN);
    guard.deallocate(block);
    guard.reap();
    assertThat(reports).extracting(GuardReport::violation).containsExactly(Violation.BEFORE);
  }

  @Test
  void aViolationOfTheFirstByteAfterTheEndIsReportedOnce() {
    Allocation block = guard.allocate(100, on.a, "");
    strayWrite(on.a, block.address() + 100);
    guard.deallocate(block);
    guard.reap();
    assertThat(reports).extracting(GuardReport::violation).containsExactly(Violation.BEHIND);
  }

  @Test
  void aLateWriteIsFoundInEveryPieceOfLargeMemory() {
    Allocation block = freed(WINDOW + 1000);
    strayWrite(on.a, block.address() + WINDOW + 7);
    assertThat(guard.reap()).isEqualTo(WINDOW + 1000);
    assertThat(reports).extracting(GuardReport::violation).containsExactly(Violation.AFTER_FREE);
    assertThat(reports.get(0).fact()).contains("byte " + (WINDOW + 7) + " was overwritten");
  }

  @Test
  void aLateWriteBeyondTheEndOfLargeMemoryIsFound() {
    Allocation block = freed(WINDOW + 1000);
    strayWrite(on.a, block.address() + WINDOW + 1000 + GuardResource.MARGIN - 1);
    guard.reap();
    assertThat(reports).extracting(GuardReport::violation).containsExactly(Violation.AFTER_FREE);
  }

  @Test
  void largeMemoryThatIsIntactIsReadInPiecesAndNotReported() {
    freed(WINDOW + 1000);
    long before = on.device.calls(DriverCall.COPY_TO_HOST_ASYNC);
    guard.reap();
    assertThat(on.device.calls(DriverCall.COPY_TO_HOST_ASYNC) - before).isEqualTo(2);
    assertThat(reports).isEmpty();
  }

  @Test
  void theFirstOfSeveralLateWritesIsReportedAlone() {
    Allocation block = freed(WINDOW + 1000);
    strayWrite(on.a, block.address() + 5);
    strayWrite(on.a, block.address() + WINDOW + 7);
    guard.reap();
    assertThat(reports).hasSize(1);
    assertThat(reports.get(0).fact()).contains("byte 5 was overwritten");
  }

  @Test
  void memoryThatFillsAWindowIsReadInOnePiece() {
    freed(WINDOW - BOTH_MARGINS);
    long before = on.device.calls(DriverCall.COPY_TO_HOST_ASYNC);
    guard.reap();
    assertThat(on.device.calls(DriverCall.COPY_TO_HOST_ASYNC) - before).isEqualTo(1);
    assertThat(reports).isEmpty();
  }

  @Test
  void guardingAloneDoesNotMakeAStreamBusyForOthers() {
    Allocation onA = guard.allocate(64, on.a, "");
    Allocation onB = guard.allocate(64, on.b, "");
    on.copies.fill(on.b, Region.of(onB).range(0, 64), 1, 1);
    assertThat(on.device.calls(DriverCall.RECORD_EVENT)).isZero();
    guard.deallocate(onA);
    guard.deallocate(onB);
  }
}
