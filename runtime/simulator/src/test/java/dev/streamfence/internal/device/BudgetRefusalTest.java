package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.memory.AllocationLog;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.RecordedAllocations;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The figures of requests that a budget refuses, and checks that request nothing. */
final class BudgetRefusalTest {
  private static final long LIMIT = 65536;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final RecordedAllocations log = AllocationLog.inMemory();
  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(
          device,
          RuntimeOptions.defaults()
              .withMemoryBudget(MemoryBudget.ofBytes(LIMIT))
              .withAllocationLog(log));
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceMemory memory = gpu.memory();

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private DeviceArray<byte[]> bytes(DeviceMemory from, long length) {
    return from.allocate(stream, byte[].class, length);
  }

  private static void refuses(
      ThrowingCallable request, Consumer<OutOfMemoryBudgetException> figures) {
    assertThatThrownBy(request)
        .isInstanceOfSatisfying(OutOfMemoryBudgetException.class, figures::accept);
  }

  @Test
  void aRefusalHasThePeakBeforeItAndDoesNotRaiseIt() {
    DeviceArray<byte[]> held = bytes(memory, 1024);
    bytes(memory, 2048).close();
    stream.synchronize();
    Consumer<OutOfMemoryBudgetException> figures =
        e -> {
          assertThat(e.peak()).isEqualTo(3072);
          assertThat(e.current()).isEqualTo(1024);
          assertThat(e.requested()).isEqualTo(LIMIT);
          assertThat(e.limit()).isEqualTo(LIMIT);
          assertThat(e.isOverflow()).isFalse();
        };
    refuses(() -> bytes(memory, LIMIT), figures);
    refuses(() -> memory.reserve(LIMIT), figures);
    refuses(() -> memory.checkBudget(LIMIT), figures);
    assertThat(memory.statistics().peakBytes()).isEqualTo(3072);
    held.close();
  }

  @Test
  void aRequestThatNoLongCountsTogetherWithTheBytesInUseIsAnOverflow() {
    DeviceArray<byte[]> held = bytes(memory, 1024);
    refuses(() -> bytes(memory, Long.MAX_VALUE - 1024), e -> assertThat(e.isOverflow()).isFalse());
    refuses(
        () -> bytes(memory, Long.MAX_VALUE - 1023),
        e -> {
          assertThat(e.isOverflow()).isTrue();
          assertThat(e.requested()).isEqualTo(Long.MAX_VALUE - 1023);
          assertThat(e.current()).isEqualTo(1024);
        });
    refuses(() -> memory.checkBudget(Long.MAX_VALUE), e -> assertThat(e.isOverflow()).isTrue());
    assertThat(memory.statistics().liveBytes()).isEqualTo(1024);
    held.close();
  }

  @Test
  void aRefusalOfAPartLeavesTheWholeUntouched() {
    DeviceMemory part = memory.within(4096, "join");
    DeviceArray<byte[]> other = bytes(memory, 512);
    long calls = device.calls();
    int records = log.size();
    refuses(
        () -> bytes(part, 8192),
        e -> {
          assertThat(e.budget()).isEqualTo("join");
          assertThat(e.limit()).isEqualTo(4096);
          assertThat(e.current()).isZero();
          assertThat(e.peak()).isZero();
        });
    assertThat(device.calls()).isEqualTo(calls);
    assertThat(log.size()).isEqualTo(records);
    assertThat(memory.statistics().liveBytes()).isEqualTo(512);
    assertThat(memory.statistics().peakBytes()).isEqualTo(512);
    assertThat(memory.bytesOutstanding()).isEqualTo(512);
    other.close();
  }

  @Test
  void aCheckAdmitsExactlyTheRestAndTakesNothing() {
    memory.checkBudget(LIMIT);
    memory.checkBudget(LIMIT);
    refuses(() -> memory.checkBudget(LIMIT + 1), e -> assertThat(e.current()).isZero());
    assertThat(memory.statistics().allocationRequests()).isZero();
    assertThat(log.size()).isZero();
    assertThat(memory.statistics().promisedBytes()).isZero();

    DeviceArray<byte[]> competitor = bytes(memory, LIMIT / 2);
    memory.checkBudget(LIMIT / 2);
    refuses(() -> memory.checkBudget(LIMIT / 2 + 1), e -> {});
    competitor.close();
  }

  @Test
  void promisedBytesAreNotFreeAndPendingOnesAre() {
    MemoryReservation reservation = memory.reserve(1024);
    refuses(() -> memory.checkBudget(LIMIT - 1023), e -> {});
    reservation.close();
    DeviceArray<byte[]> closed = bytes(memory, LIMIT);
    closed.fill(stream, 1);
    closed.close();
    assertThat(memory.statistics().pendingBytes()).isEqualTo(LIMIT);
    long calls = device.calls();
    memory.checkBudget(LIMIT);
    assertThat(device.calls()).isEqualTo(calls);
    // And so the request is admitted, after a wait.
    bytes(memory, LIMIT).close();
  }

  @Test
  void closedArraysThatAGraphHoldsAreNotFree() {
    DeviceArray<byte[]> closed = bytes(memory, 1024);
    DeviceMemory part = memory.within(LIMIT, "part");
    DeviceArray<byte[]> ofPart = bytes(part, 2048);
    try (KernelGraph graph =
        gpu.graph(
            "fill",
            body -> {
              closed.fill(stream, 1);
              ofPart.fill(stream, 1);
            })) {
      closed.close();
      ofPart.close();
      memory.checkBudget(LIMIT - 3072);
      refuses(() -> bytes(memory, LIMIT - 3071), e -> assertThat(e.pending()).isEqualTo(3072));
      refuses(() -> memory.checkBudget(LIMIT - 3071), e -> assertThat(e.pending()).isEqualTo(3072));
      refuses(() -> part.checkBudget(LIMIT - 3071), e -> assertThat(e.budget()).isEmpty());
      graph.launch(stream);
    }
    // The graph has let go of them, and a request waits until the device has.
    assertThat(memory.statistics().pendingBytes()).isEqualTo(3072);
    memory.checkBudget(LIMIT);
    bytes(memory, LIMIT).close();
  }

  @Test
  void closedArraysOfAnOpenLaunchAreNotFree() {
    DeviceArray<byte[]> closed = bytes(memory, 1024);
    stream.submit(
        "a call",
        uses -> uses.reads(closed),
        call -> {
          closed.close();
          memory.checkBudget(LIMIT - 1024);
          refuses(() -> bytes(memory, LIMIT - 1023), e -> {});
          refuses(() -> memory.checkBudget(LIMIT - 1023), e -> {});
        });
    memory.checkBudget(LIMIT);
    bytes(memory, LIMIT).close();
  }

  @Test
  void aCheckOfAPartAsksTheWholeAsWell() {
    DeviceMemory part = memory.within(LIMIT / 2, "part");
    refuses(() -> part.checkBudget(LIMIT / 2 + 1), e -> assertThat(e.budget()).isEqualTo("part"));
    DeviceArray<byte[]> other = bytes(memory, LIMIT - 16);
    part.checkBudget(16);
    refuses(
        () -> part.checkBudget(17),
        e -> {
          assertThat(e.budget()).isEmpty();
          assertThat(e.limit()).isEqualTo(LIMIT);
        });
    other.close();
  }

  @Test
  void aNegativeCheckAndOneOfAClosedRuntimeAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> memory.checkBudget(-1));
    gpu.close();
    assertThatThrownBy(() -> memory.checkBudget(1)).isInstanceOf(RuntimeClosedException.class);
  }
}
