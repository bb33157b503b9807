package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.UninitializedReadException;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.memory.AllocationLog;
import dev.streamfence.memory.AllocationRecord;
import dev.streamfence.memory.AllocationRecord.Action;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.MemoryStatistics;
import dev.streamfence.memory.RecordedAllocations;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The statistics that a runtime keeps of its memory. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DeviceMemoryTest {
  private static final int LIMIT = 4096;

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

  private DeviceArray<byte[]> bytes(long length) {
    return memory.allocate(stream, byte[].class, length);
  }

  private void assertAccount(long live, long pending, long promised, long peak) {
    MemoryStatistics account = memory.statistics();
    assertThat(account.liveBytes()).isEqualTo(live);
    assertThat(account.pendingBytes()).isEqualTo(pending);
    assertThat(account.promisedBytes()).isEqualTo(promised);
    assertThat(account.peakBytes()).isEqualTo(peak);
    assertThat(account.remainingBytes()).isEqualTo(LIMIT - live - pending - promised);
  }

  @Test
  void aFreshRuntimeHasItsWholeBudget() {
    assertAccount(0, 0, 0, 0);
    assertThat(memory.statistics().limitBytes()).isEqualTo(LIMIT);
    assertThat(gpu.statistics().memory()).isEqualTo(memory.statistics());
  }

  @Test
  void anArrayCountsWithItsElementsTimesTheirSize() {
    DeviceArray<int[]> array = memory.allocate(stream, int[].class, 256);
    assertAccount(1024, 0, 0, 1024);
    array.close();
    assertAccount(0, 1024, 0, 1024);
    stream.synchronize();
    assertThat(memory.reap()).isEqualTo(1024);
    assertAccount(0, 0, 0, 1024);
  }

  @Test
  void aRequestOverTheBudgetChangesNothingAndIsNotLogged() {
    DeviceArray<byte[]> held = bytes(1024);
    log.clear();
    assertThatThrownBy(() -> bytes(LIMIT + 1))
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class,
            e -> {
              assertThat(e.requested()).isEqualTo(LIMIT + 1);
              assertThat(e.current()).isEqualTo(1024);
              assertThat(e.limit()).isEqualTo(LIMIT);
            });
    assertAccount(1024, 0, 0, 1024);
    assertThat(log.size()).isZero();
    assertThat(memory.statistics().allocationRequests()).isEqualTo(2);
    held.close();
  }

  @Test
  void thePeakRestartsFromTheBytesThatAreOutstanding() {
    DeviceArray<byte[]> first = bytes(1024);
    bytes(2048).close();
    assertAccount(1024, 2048, 0, 3072);
    memory.resetPeak();
    assertAccount(1024, 2048, 0, 3072);
    stream.synchronize();
    memory.resetPeak();
    assertAccount(1024, 0, 0, 1024);
    first.close();
  }

  @Test
  void everyRequestCountsEvenIfItIsRefused() {
    bytes(0).close();
    bytes(8).close();
    assertThatThrownBy(() -> memory.allocate(stream, long[].class, Long.MAX_VALUE / 4))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(memory.statistics().allocationRequests()).isEqualTo(3);
    memory.resetAllocationRequests();
    assertThat(memory.statistics().allocationRequests()).isZero();
    assertAccount(0, 8, 0, 8);
  }

  @Test
  void anEmptyArrayCountsNowhereAndIsNotLogged() {
    bytes(0).close();
    assertAccount(0, 0, 0, 0);
    assertThat(log.size()).isZero();
  }

  @Test
  void theLogHasTheTagInsteadOfTheType() {
    memory.allocate(stream, int[].class, 4, "keys").close();
    bytes(3).close();
    assertThat(log.records())
        .extracting(AllocationRecord::tag)
        .containsExactly("keys", "keys", "byte[3]", "byte[3]");
    assertThat(log.records()).extracting(AllocationRecord::stream).containsOnly(stream.id());
  }

  @Test
  void allocatingAndClosingTheWholeBudgetNeverFails() {
    VectorKernels kernels = VectorKernels.on(gpu.streams().acquire());
    for (int i = 0; i < 50; i++) {
      try (DeviceArray<int[]> array = memory.allocateZeroed(stream, int[].class, LIMIT / 4)) {
        kernels.increment(array, LIMIT / 4);
      }
    }
    assertThat(log.records()).filteredOn(r -> r.action() == Action.REAP).hasSize(49);
  }

  @Test
  void aReservationHoldsRoomForSeveralArrays() {
    MemoryReservation reservation = memory.reserve(LIMIT);
    assertAccount(0, 0, LIMIT, 0);
    assertThat(memory.statistics().allocationRequests()).isZero();
    assertThat(log.size()).isZero();
    assertThatThrownBy(() -> bytes(1)).isInstanceOf(OutOfMemoryBudgetException.class);

    DeviceArray<int[]> first = reservation.allocate(stream, int[].class, 512);
    assertThat(reservation.remainingBytes()).isEqualTo(2048);
    assertThatThrownBy(() -> reservation.allocate(stream, int[].class, 513))
        .isInstanceOf(OutOfMemoryBudgetException.class);
    DeviceArray<byte[]> second = reservation.allocate(stream, byte[].class, 1024);
    assertAccount(3072, 0, 1024, 3072);
    reservation.close();
    assertAccount(3072, 0, 0, 3072);
    second.fill(stream, 1);
    first.close();
    second.close();
  }

  @Test
  void withoutABudgetNothingCanBePromised() {
    try (DeviceRuntime unlimited =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(),
            RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.unlimited()))) {
      assertThatIllegalStateException().isThrownBy(() -> unlimited.memory().reserve(1));
      assertThat(unlimited.memory().statistics().limitBytes()).isEqualTo(RuntimeOptions.NO_BUDGET);
    }
  }

  @Test
  void theDefaultBudgetIsFourFifthsOfTheDevice() {
    SimulatedDevice small = SimulatedDevice.builder().memoryInBytes(10_000).build();
    try (DeviceRuntime other = DeviceRuntime.simulated(small)) {
      DeviceStream on = other.streams().acquire();
      assertThat(other.memory().statistics().limitBytes()).isEqualTo(8_000);
      assertThatThrownBy(() -> other.memory().allocate(on, byte[].class, 8_001))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      other.memory().allocate(on, byte[].class, 8_000).close();
    }
  }

  @Test
  void aBudgetOfZeroRefusesEveryNonEmptyArray() {
    try (DeviceRuntime other =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(),
            RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(0)))) {
      DeviceStream on = other.streams().acquire();
      assertThatThrownBy(() -> other.memory().allocate(on, byte[].class, 1))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      other.memory().allocate(on, byte[].class, 0).close();
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -0.5, 1.01, Double.NaN})
  void aShareOutsideItsRangeIsRefused(double share) {
    assertThatIllegalArgumentException().isThrownBy(() -> MemoryBudget.ofDevice(share));
  }

  @Test
  void aPartHasABudgetOfItsOwnAndCountsInTheWhole() {
    DeviceMemory part = memory.within(1024);
    DeviceArray<byte[]> array = part.allocate(stream, byte[].class, 1000);
    assertThat(part.statistics().liveBytes()).isEqualTo(1000);
    assertThat(part.statistics().limitBytes()).isEqualTo(1024);
    assertAccount(1000, 0, 0, 1000);
    assertThatThrownBy(() -> part.allocate(stream, byte[].class, 25))
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class, e -> assertThat(e.limit()).isEqualTo(1024));
    assertAccount(1000, 0, 0, 1000);
    array.close();
    assertThat(part.statistics().liveBytes()).isZero();
    assertThat(part.statistics().remainingBytes()).isEqualTo(1024);
    assertAccount(0, 1000, 0, 1000);
  }

  @Test
  void aPartTakesNoMoreThanTheRestOfTheWhole() {
    DeviceMemory part = memory.within(2 * LIMIT);
    DeviceArray<byte[]> others = bytes(LIMIT - 10);
    assertThatThrownBy(() -> part.allocate(stream, byte[].class, 11))
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class, e -> assertThat(e.limit()).isEqualTo(LIMIT));
    assertThat(part.statistics().liveBytes()).isZero();
    part.allocate(stream, byte[].class, 10).close();
    others.close();
  }

  @Test
  void aReservationOfAPartIsPromisedInBothBudgetsAndGivenUpInBoth() {
    DeviceMemory part = memory.within(1024);
    MemoryReservation reservation = part.reserve(1000);
    assertThat(part.statistics().promisedBytes()).isEqualTo(1000);
    assertAccount(0, 0, 1000, 0);
    DeviceArray<byte[]> drawn = reservation.allocate(stream, byte[].class, 600);
    assertThat(part.statistics().promisedBytes()).isEqualTo(400);
    assertThat(part.statistics().liveBytes()).isEqualTo(600);
    assertAccount(600, 0, 400, 600);
    reservation.close();
    assertThat(part.statistics().promisedBytes()).isZero();
    assertAccount(600, 0, 0, 600);
    drawn.close();
    assertThat(part.statistics().liveBytes()).isZero();
  }

  @Test
  void aReservationThatTheWholeRefusesPromisesNothingInThePart() {
    DeviceMemory part = memory.within(LIMIT);
    DeviceArray<byte[]> others = bytes(LIMIT);
    assertThatThrownBy(() -> part.reserve(1)).isInstanceOf(OutOfMemoryBudgetException.class);
    assertThat(part.statistics().promisedBytes()).isZero();
    others.close();
  }

  @Test
  void aPartOfABudgetedRuntimeCanReserveAndOneOfAnUnlimitedCannot() {
    memory.within(Long.MAX_VALUE).reserve(1).close();
    try (DeviceRuntime unlimited =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(),
            RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.unlimited()))) {
      DeviceMemory part = unlimited.memory().within(1024);
      assertThatIllegalStateException().isThrownBy(() -> part.reserve(1));
    }
  }

  @Test
  void aCopyComesFromTheBudgetOfItsOriginal() {
    DeviceMemory part = memory.within(100);
    try (DeviceArray<byte[]> array = part.allocate(stream, byte[].class, 60)) {
      array.fill(stream, 1);
      assertThatThrownBy(() -> array.copy(stream)).isInstanceOf(OutOfMemoryBudgetException.class);
      assertThat(part.statistics().liveBytes()).isEqualTo(60);
    }
  }

  @Test
  void aLostArrayOfAPartComesBackToThePart() {
    DeviceMemory part = memory.within(1024);
    allocateAndForget(part);
    while (part.statistics().liveBytes() > 0) {
      System.gc();
      Thread.onSpinWait();
    }
    assertThat(memory.statistics().lostArrays()).isEqualTo(1);
  }

  private void allocateAndForget(DeviceMemory part) {
    part.allocate(stream, byte[].class, 100);
  }

  @Test
  void aFreeThatFailsKeepsItsBytesInThePart() {
    DeviceMemory part = memory.within(1024);
    DeviceArray<byte[]> array = part.allocate(stream, byte[].class, 100);
    device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    assertThatThrownBy(array::close).isInstanceOf(CudaDriverException.class);
    assertThat(part.statistics().liveBytes()).isEqualTo(100);
    array.close();
    assertThat(part.statistics().liveBytes()).isZero();
  }

  @Test
  void guardedMemoryRefusesToReadAnUnwrittenArray() {
    RuntimeOptions guarded = RuntimeOptions.defaults().withGuardMemory(true);
    SimulatedDevice other = SimulatedDevice.builder().build();
    try (DeviceRuntime runtime = DeviceRuntime.simulated(other, guarded)) {
      DeviceStream on = runtime.streams().acquire();
      DeviceArray<int[]> array = runtime.memory().allocate(on, int[].class, 4, "totals");
      DeviceArray<int[]> written = runtime.memory().allocateZeroed(on, int[].class, 4);
      VectorKernels kernels = VectorKernels.on(on);
      long before = other.calls();
      assertThatThrownBy(() -> kernels.add(written, array, written, 4))
          .isInstanceOf(UninitializedReadException.class)
          .hasMessageContaining("add: parameter 'b'")
          .hasMessageContaining("'totals'");
      assertThatThrownBy(() -> kernels.increment(array, 4))
          .isInstanceOf(UninitializedReadException.class);
      assertThatThrownBy(() -> kernels.add(written, array, array, 4))
          .isInstanceOf(UninitializedReadException.class)
          .hasMessageContaining("parameter 'b'");
      assertThatThrownBy(() -> array.download(on)).isInstanceOf(UninitializedReadException.class);
      assertThatThrownBy(() -> written.copyFrom(on, array))
          .isInstanceOf(UninitializedReadException.class);
      assertThat(other.calls()).isEqualTo(before);
      kernels.add(written, written, array, 4);
      kernels.increment(array, 4);
      assertThat(array.download(on)).containsExactly(1, 1, 1, 1);
      array.close();
      written.close();
    }
  }

  @Test
  void aFailedCloseKeepsTheBytesLiveAndIsCounted() {
    DeviceArray<byte[]> array = bytes(1024);
    device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    assertThatThrownBy(array::close).isInstanceOf(CudaDriverException.class);
    assertThat(array.isOpen()).isTrue();
    assertAccount(1024, 0, 0, 1024);
    assertThat(memory.statistics().failedFrees()).isEqualTo(1);
    assertThat(memory.statistics().failedFreeBytes()).isEqualTo(1024);
    array.close();
    assertAccount(0, 1024, 0, 1024);
    assertThat(memory.statistics().failedFrees()).isEqualTo(1);
  }

  @Test
  void copiesAreCountedPerCallAndPerByte() {
    try (DeviceArray<int[]> array = memory.upload(stream, new int[] {1, 2, 3});
        DeviceArray<int[]> empty = memory.upload(stream, new int[0])) {
      array.upload(stream, new int[3]);
      array.download(stream);
      empty.download(stream);
      array.copy(stream).close();
      MemoryStatistics counted = memory.statistics();
      assertThat(counted.uploads()).isEqualTo(2);
      assertThat(counted.uploadedBytes()).isEqualTo(24);
      assertThat(counted.downloads()).isEqualTo(1);
      assertThat(counted.downloadedBytes()).isEqualTo(12);
      memory.resetTransfers();
      assertThat(memory.statistics().downloads()).isZero();
      assertThat(memory.statistics().uploadedBytes()).isZero();
    }
  }

  @Test
  void aFailedCopyIsNotCounted() {
    try (DeviceArray<int[]> array = memory.allocate(stream, int[].class, 3)) {
      device.failCall(DriverCall.COPY_TO_DEVICE_ASYNC, 1, 999);
      assertThatThrownBy(() -> array.upload(stream, new int[3]))
          .isInstanceOf(CudaDriverException.class);
      assertThat(memory.statistics().uploads()).isZero();
    }
  }

  @Test
  void downloadsCanBeRefusedBeforeAnythingHappens() {
    try (DeviceArray<int[]> array = memory.upload(stream, new int[] {1, 2});
        DeviceArray<int[]> empty = memory.upload(stream, new int[0])) {
      memory.refuseDownloads(true);
      long before = device.calls();
      assertThatIllegalStateException().isThrownBy(() -> array.download(stream));
      assertThatIllegalStateException().isThrownBy(() -> array.download(stream, new int[2]));
      assertThat(empty.download(stream)).isEmpty();
      assertThat(device.calls()).isEqualTo(before);
      assertThat(memory.statistics().refusedDownloads()).isEqualTo(2);
      assertThat(memory.statistics().downloads()).isZero();
      memory.refuseDownloads(false);
      assertThat(array.download(stream)).containsExactly(1, 2);
    }
  }

  @Test
  void aFailedReapIsThrownAndLogged() {
    bytes(64).close();
    log.clear();
    device.failCall(DriverCall.IS_EVENT_COMPLETE, 1, 999);
    assertThatThrownBy(memory::reap).isInstanceOf(CudaDriverException.class);
    assertThat(log.records().get(0).isOk()).isFalse();
    assertAccount(0, 64, 0, 64);
  }

  @Test
  void guardedArraysReportAnOverrunWhenTheyAreClosed() {
    RuntimeOptions guarded =
        RuntimeOptions.defaults().withGuardMemory(true).withBoundsChecks(false);
    SimulatedDevice other =
        SimulatedDevice.builder().schedule(Schedule.LAZY).checkRaces(false).build();
    try (DeviceRuntime runtime = DeviceRuntime.simulated(other, guarded)) {
      DeviceStream on = runtime.streams().acquire();
      DeviceArray<int[]> array = runtime.memory().allocateZeroed(on, int[].class, 32);
      VectorKernels.on(on).overrun(array, 32);
      assertThat(runtime.memory().statistics().guardViolations()).isZero();
      array.close();
      assertThat(runtime.memory().statistics().guardViolations()).isEqualTo(1);
    }
    assertThat(other.liveObjects()).isZero();
  }

  @Test
  void guardedAndDirectArraysComputeTheSame() {
    RuntimeOptions options = RuntimeOptions.defaults().withGuardMemory(true).withDirectMemory(true);
    SimulatedDevice other = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    try (DeviceRuntime runtime = DeviceRuntime.simulated(other, options)) {
      DeviceStream one = runtime.streams().acquire();
      DeviceStream two = runtime.streams().acquire();
      DeviceArray<int[]> array = runtime.memory().upload(one, new int[] {1, 2, 3});
      VectorKernels.on(two).increment(array, 3);
      VectorKernels.on(one).increment(array, 3);
      assertThat(array.download(two)).containsExactly(3, 4, 5);
      array.close();
      assertThat(runtime.memory().statistics().guardViolations()).isZero();
      assertThat(other.calls(DriverCall.ALLOCATE_ASYNC)).isZero();
    }
    assertThat(other.liveObjects()).isZero();
  }

  @Test
  void tenThousandArraysLeaveAsManyDriverObjectsAsBefore() {
    DeviceStream second = gpu.streams().acquire();
    for (int i = 0; i < 10; i++) {
      useOnce(second);
    }
    gpu.synchronize();
    memory.reap();
    int before = device.liveObjects();
    for (int i = 0; i < 10_000; i++) {
      useOnce(second);
    }
    gpu.synchronize();
    memory.reap();
    assertThat(device.liveObjects()).isEqualTo(before);
    assertAccount(0, 0, 0, memory.statistics().peakBytes());
  }

  private void useOnce(DeviceStream second) {
    try (DeviceArray<int[]> array = memory.allocate(stream, int[].class, 4)) {
      array.fill(stream, 1);
      array.fill(second, 2);
    }
  }
}
