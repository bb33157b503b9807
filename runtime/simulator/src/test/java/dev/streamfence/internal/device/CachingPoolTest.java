package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.PoolStatistics;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import dev.streamfence.trace.Trace;
import dev.streamfence.trace.WorkKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The caching pool: which requests cost driver calls, what it joins, keeps and gives back. */
final class CachingPoolTest {
  private static final int MIB = 1 << 20;
  private static final RuntimeOptions OPTIONS = RuntimeOptions.defaults().withCachingPool(true);

  private final SimulatedDevice device =
      SimulatedDevice.builder().schedule(Schedule.LAZY).memoryInBytes(64L << 20).build();
  private DeviceRuntime gpu = open(OPTIONS);
  private DeviceStream a = gpu.streams().acquire();
  private DeviceStream b = gpu.streams().acquire();

  private boolean isLost;

  private DeviceRuntime open(RuntimeOptions options) {
    return DeviceRuntime.simulated(device, options);
  }

  private void reopen(RuntimeOptions options) {
    gpu.close();
    gpu = open(options);
    a = gpu.streams().acquire();
    b = gpu.streams().acquire();
  }

  @AfterEach
  void everythingGoesBackToTheDriver() {
    gpu.close();
    if (isLost) {
      return;
    }
    RuntimeOptions all = RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.unlimited());
    try (DeviceRuntime next = open(all);
        DeviceStream stream = next.streams().acquire()) {
      next.memory().allocate(stream, byte[].class, 64 * MIB).close();
    }
    assertThat(device.findings()).isEmpty();
  }

  private DeviceArray<byte[]> allocate(DeviceStream stream, int bytes) {
    return gpu.memory().allocate(stream, byte[].class, bytes);
  }

  private PoolStatistics pool() {
    return gpu.memory().pool().orElseThrow();
  }

  private static long callsOf(SimulatedDevice device) {
    return device.calls()
        - device.calls(DriverCall.MAKE_CURRENT)
        - device.calls(DriverCall.CREATE_EVENT); // once per stream
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 4096, MIB, 3 * MIB, 40 * MIB})
  void aStreamGetsItsOwnMemoryBackWithoutADriverCall(int bytes) {
    allocate(a, bytes).close();
    long before = callsOf(device);
    for (int i = 0; i < 100; i++) {
      allocate(a, bytes).close();
    }
    assertThat(callsOf(device)).isEqualTo(before);
    assertThat(pool().reuses()).isEqualTo(100);
    assertThat(pool().driverAllocations()).isEqualTo(1);
  }

  @Test
  void aRequestThatTheBudgetRefusesLeavesTheMemoryInThePool() {
    reopen(OPTIONS.withMemoryBudget(MemoryBudget.ofBytes(3 * MIB)));
    allocate(a, MIB).close();
    PoolStatistics before = pool();
    long calls = callsOf(device);
    MemoryReservation most = gpu.memory().reserve(3 * MIB - MIB / 2);
    assertThatThrownBy(() -> allocate(a, MIB)).isInstanceOf(OutOfMemoryBudgetException.class);
    most.close();
    assertThat(pool()).isEqualTo(before);
    assertThat(gpu.memory().statistics().peakBytes()).isEqualTo(MIB);
    allocate(a, MIB).close();
    assertThat(callsOf(device)).isEqualTo(calls);
    assertThat(pool().reuses()).isEqualTo(before.reuses() + 1);
  }

  @Test
  void memoryOfThePoolCountsInTheBudgetOfOneOfSeveralUsers() {
    DeviceMemory own = gpu.memory().within(MIB, "one user");
    own.allocate(a, byte[].class, MIB).close();
    DeviceArray<byte[]> half = own.allocate(a, byte[].class, MIB / 2);
    PoolStatistics before = pool();
    assertThatThrownBy(() -> own.allocate(a, byte[].class, MIB))
        .isInstanceOf(OutOfMemoryBudgetException.class)
        .hasMessageContaining("one user");
    assertThat(pool()).isEqualTo(before);
    half.close();
    DeviceArray<byte[]> again = own.allocate(a, byte[].class, MIB);
    assertThat(pool().reuses()).isEqualTo(before.reuses() + 1);
    assertThat(own.statistics().liveBytes()).isEqualTo(MIB);
    assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(MIB);
    again.close();
    assertThat(own.statistics().liveBytes()).isZero();
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
    assertThat(gpu.memory().statistics().pendingBytes()).isZero();
  }

  @Test
  void aCloseAsksTheDriverWithoutTheAccountsLock() {
    AtomicInteger questions = new AtomicInteger();
    gpu.close();
    CudaDriver asking =
        InterceptedDriver.of(
            Inside.open(device),
            (method, call) -> {
              if (method.equals("isCapturing")) {
                questions.incrementAndGet();
                CompletableFuture.runAsync(() -> gpu.memory().statistics())
                    .get(20, TimeUnit.SECONDS);
              }
              return call.proceed();
            });
    gpu = RuntimeOverDriver.open(asking, OPTIONS);
    DeviceStream adopted = gpu.streams().adopt(device.library("other").createStream());
    DeviceArray<byte[]> array = allocate(adopted, MIB);
    questions.set(0);
    array.close();
    assertThat(questions).hasPositiveValue();
  }

  @Test
  void anArrayOfTheSameStreamsMemoryIsNoWorkOnTheStream() {
    allocate(a, MIB).close();
    long submitted = Inside.timeline(a).submitted();
    for (int i = 0; i < 10; i++) {
      allocate(a, MIB).close();
    }
    assertThat(Inside.timeline(a).submitted()).isEqualTo(submitted);
  }

  @Test
  void itsFirstUseOnAnotherStreamWaitsForWhatTheMemoryWasUsedFor() {
    try (DeviceArray<byte[]> array = allocate(a, MIB)) {
      array.fill(a, 1);
    }
    try (DeviceArray<byte[]> again = allocate(a, MIB)) {
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isZero();
      again.fill(b, 2);
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(1);
      assertThat(again.download(b, 0, 1)).containsExactly(2);
    }
  }

  @Test
  void memoryThatTwoStreamsHaveUsedComesBackAfterBoth() {
    reopen(OPTIONS.withMemoryBudget(MemoryBudget.ofBytes(3 * MIB)));
    try (DeviceArray<byte[]> result = allocate(b, MIB)) {
      try (DeviceArray<byte[]> array = allocate(a, MIB)) {
        array.fill(a, 1);
        result.copyFrom(b, array);
      }
      DeviceStream c = gpu.streams().acquire();
      try (DeviceArray<byte[]> onA = allocate(a, MIB);
          DeviceArray<byte[]> onC = allocate(c, MIB)) {
        onA.fill(a, 2);
        onC.fill(c, 3);
        assertThat(result.download(b)).containsOnly(1);
      }
    }
    assertThat(pool().heldBytes()).isLessThanOrEqualTo(4 * MIB);
  }

  @Test
  void memoryThatItsOwnStreamUsedLastComesBackAfterTheReaderToo() {
    try (DeviceArray<byte[]> result = allocate(b, MIB)) {
      try (DeviceArray<byte[]> array = allocate(a, MIB)) {
        array.fill(a, 1);
        result.copyFrom(b, array);
        array.copy(a).close();
      }
      try (DeviceArray<byte[]> onA = allocate(a, MIB)) {
        onA.fill(a, 2);
        a.synchronize();
        assertThat(result.download(b)).containsOnly(1);
      }
    }
  }

  @Test
  void memoryThatTwoStreamsWroteInPartsComesBackAfterBoth() {
    DeviceArray<byte[]> array = allocate(a, MIB);
    try (DeviceParts<byte[]> parts = array.split(MIB / 4, MIB / 2)) {
      parts.get(0).fill(a, 1);
      parts.get(1).fill(b, 2);
      parts.get(2).fill(a, 3);
    }
    array.close();
    // Unordered with one of the two fills if the pool took only the other one into account.
    try (DeviceArray<byte[]> onA = allocate(a, MIB);
        DeviceArray<byte[]> onB = allocate(b, MIB)) {
      onA.fill(a, 3);
      onB.fill(b, 4);
      assertThat(onA.download(a)).containsOnly(3);
      assertThat(onB.download(b)).containsOnly(4);
    }
  }

  @Test
  void memoryThatOtherCodeUsedComesBackAfterItsWork() {
    SimulatedLibrary consumer = device.library("consumer");
    long theirs = consumer.createStream();
    DeviceArray<byte[]> array = allocate(a, MIB);
    array.fill(a, 1);
    ExportedArray export = ExportedArray.of(array, "an export", true, OptionalLong.of(theirs));
    consumer.launch(theirs, "store", memory -> memory.putInt(export.address(), 7));
    export.end();
    array.close();
    try (DeviceArray<byte[]> onA = allocate(a, MIB)) {
      onA.fill(a, 2);
      assertThat(onA.download(a)).containsOnly(2);
    }
    consumer.destroyStream(theirs);
  }

  @Test
  void aTraceSeesEveryArray() {
    Trace trace = Trace.inMemory(100);
    reopen(OPTIONS.withTrace(trace));
    for (int i = 0; i < 3; i++) {
      allocate(a, MIB).close();
    }
    assertThat(trace.works().stream().filter(work -> work.kind() == WorkKind.ALLOCATION))
        .hasSize(3);
    assertThat(trace.works().stream().filter(work -> work.kind() == WorkKind.FREE)).hasSize(3);
  }

  @Test
  void anAllocationInsideOfACallIsRefusedAsWithoutThePool() {
    allocate(a, MIB).close();
    assertThatThrownBy(() -> a.submit("a call", uses -> {}, call -> allocate(a, MIB)))
        .isInstanceOf(StreamMisuseException.class);
    assertThat(pool().unusedBytes()).isEqualTo(pool().heldBytes());
  }

  @Test
  void memoryOfAnotherStreamCostsOneWaitAndNoSynchronise() {
    try (DeviceArray<byte[]> array = allocate(a, 40 * MIB)) {
      array.fill(a, 1);
    }
    long before = callsOf(device);
    try (DeviceArray<byte[]> again = allocate(b, 40 * MIB)) {
      // The event, the question whether it has been reached, and the wait.
      assertThat(callsOf(device) - before).isEqualTo(3);
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(1);
      again.fill(b, 2);
      assertThat(again.download(b, 0, 1)).containsExactly(2);
    }
    assertThat(pool().reusesAfterWait()).isEqualTo(1);
    assertThat(pool().heldBytes()).isEqualTo(40 * MIB);
  }

  @Test
  void memoryThatTheDeviceIsKnownToBeDoneWithCostsNothingOnAnotherStream() {
    allocate(a, 40 * MIB).close();
    a.synchronize();
    long before = callsOf(device);
    allocate(b, 40 * MIB).close();
    assertThat(callsOf(device)).isEqualTo(before);
    assertThat(pool().reuses()).isEqualTo(1);
    assertThat(pool().reusesAfterWait()).isZero();
  }

  @Test
  void streamsDoNotWaitForEachOtherWhileThereIsRoom() {
    for (int i = 0; i < 5; i++) {
      for (DeviceStream stream : List.of(a, b)) {
        try (DeviceArray<byte[]> array = allocate(stream, 20 * MIB)) {
          array.fill(stream, i);
        }
      }
    }
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isZero();
    assertThat(pool().heldBytes()).isEqualTo(40 * MIB);
    assertThat(pool().reuses()).isEqualTo(8);
  }

  @ParameterizedTest
  @ValueSource(ints = {MIB, 10 * MIB})
  void streamsInTurnsKeepTheirOwnMemory(int bytes) {
    SimulatedDevice eager = SimulatedDevice.builder().memoryInBytes(64L << 20).build();
    try (DeviceRuntime runtime = DeviceRuntime.simulated(eager, OPTIONS);
        DeviceStream first = runtime.streams().acquire();
        DeviceStream second = runtime.streams().acquire()) {
      long before = 0;
      for (int i = 0; i < 10; i++) {
        if (i == 2) {
          before = callsOf(eager);
        }
        runtime.memory().allocate(first, byte[].class, bytes).close();
        runtime.memory().allocate(second, byte[].class, bytes).close();
      }
      assertThat(callsOf(eager)).isEqualTo(before);
    }
  }

  @Test
  void memoryThatTheDeviceTurnsOutToBeDoneWithNeedsNoWait() {
    SimulatedDevice eager = SimulatedDevice.builder().memoryInBytes(64L << 20).build();
    try (DeviceRuntime runtime = DeviceRuntime.simulated(eager, OPTIONS);
        DeviceStream writer = runtime.streams().acquire();
        DeviceStream reader = runtime.streams().acquire()) {
      for (int i = 0; i < 10; i++) {
        try (DeviceArray<byte[]> array = runtime.memory().allocate(writer, byte[].class, MIB);
            DeviceArray<byte[]> copy = runtime.memory().allocate(reader, byte[].class, MIB)) {
          array.fill(writer, i);
          copy.copyFrom(reader, array);
        }
      }
      assertThat(runtime.memory().pool().orElseThrow().heldBytes()).isLessThanOrEqualTo(6 * MIB);
      assertThat(runtime.memory().pool().orElseThrow().reusesAfterWait()).isZero();
    }
  }

  @Test
  void aSmallArrayThatStaysKeepsNoLargeSegmentInPieces() {
    reopen(OPTIONS.withMemoryBudget(MemoryBudget.unlimited()));
    allocate(a, 40 * MIB).close();
    try (DeviceArray<byte[]> small = allocate(a, 1000);
        DeviceArray<byte[]> large = allocate(a, 40 * MIB)) {
      small.fill(a, 1);
      large.fill(a, 2);
      assertThat(pool().heldBytes()).isEqualTo(42 * MIB);
    }
  }

  @Test
  void aSmallArrayTakesAPieceOfALargeSegmentIfTheDeviceIsFull() {
    reopen(OPTIONS.withMemoryBudget(MemoryBudget.unlimited()));
    // Of other code, so that the pool may still grow.
    SimulatedLibrary others = device.library("others");
    long rest = others.allocate(32 * MIB);
    allocate(a, 32 * MIB).close();
    try (DeviceArray<byte[]> small = allocate(a, 1000)) {
      small.fill(a, 1);
      assertThat(pool().heldBytes()).isEqualTo(32 * MIB);
    }
    others.free(rest);
  }

  @Test
  void aPoolAtItsLimitReturnsUnusedSegmentsBeforeItGrowsFurther() {
    reopen(OPTIONS.withMemoryBudget(MemoryBudget.ofBytes(40 * MIB)));
    for (int megabytes = 16; megabytes <= 40; megabytes += 2) {
      allocate(a, megabytes * MIB).close();
      assertThat(pool().heldBytes()).isLessThanOrEqualTo(40 * MIB);
    }
  }

  @Test
  void arraysCloseAfterTheDeviceIsLost() {
    long theirs = device.library("other").createStream();
    DeviceArray<byte[]> array = allocate(a, MIB);
    try (DeviceStream adopted = gpu.streams().adopt(theirs)) {
      array.fill(adopted, 1);
    }
    device.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, 700);
    assertThatThrownBy(a::synchronize).isInstanceOf(CudaDriverException.class);
    array.close();
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
    gpu.close();
    isLost = true;
  }

  @Test
  void moreBytesThanALongCountsInBlocksAreRefusedWithTheirNumber() {
    reopen(OPTIONS.withMemoryBudget(MemoryBudget.unlimited()));
    assertThatThrownBy(() -> gpu.memory().allocate(a, byte[].class, Long.MAX_VALUE))
        .isInstanceOf(OutOfMemoryBudgetException.class)
        .hasMessageContaining("" + Long.MAX_VALUE);
  }

  @Test
  void aBlockThatNeedsNoWaitIsPreferred() {
    DeviceArray<byte[]> ofA = allocate(a, 20 * MIB);
    DeviceArray<byte[]> ofB = allocate(b, 22 * MIB);
    ofA.close();
    ofB.close();
    // A size that no cache has, so that both blocks are looked at.
    allocate(b, 18 * MIB).close();
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isZero();
    assertThat(pool().heldBytes()).isEqualTo(42 * MIB);
  }

  @Test
  void memoryThatAStreamHasReturnedIsInOnePieceUntilItIsSplit() {
    allocate(a, 14 * MIB).close();
    assertThat(pool().unusedBytes()).isEqualTo(14 * MIB);
    assertThat(pool().largestUnusedBytes()).isEqualTo(14 * MIB);
    assertThat(pool().fragmentation()).isZero();
  }

  @Test
  void theLargestPieceMayBeThatOfAnyStream() {
    List<DeviceArray<byte[]>> arrays = List.of(allocate(a, 12 * MIB), allocate(b, 10 * MIB));
    arrays.forEach(DeviceArray::close);
    assertThat(pool().largestUnusedBytes()).isEqualTo(12 * MIB);
    allocate(b, 14 * MIB).close();
    assertThat(pool().largestUnusedBytes()).isEqualTo(14 * MIB);
  }

  @Test
  void smallArraysShareASegmentAndAreJoinedWhenTheyAreClosed() {
    List<DeviceArray<byte[]>> arrays = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      arrays.add(allocate(a, MIB / 8));
    }
    assertThat(pool().segments()).isEqualTo(1);
    assertThat(pool().heldBytes()).isEqualTo(2 * MIB);
    assertThat(pool().unusedBytes()).isZero();
    // Every second one: the rest is unused, and none of it is larger than one array.
    for (int i = 0; i < 16; i += 2) {
      arrays.get(i).close();
    }
    allocate(a, 1000).close();
    assertThat(pool().unusedBytes()).isEqualTo(MIB);
    assertThat(pool().fragmentation()).isBetween(0.8, 1.0);
    for (int i = 1; i < 16; i += 2) {
      arrays.get(i).close();
    }
    // Larger than any of them, and without the driver.
    allocate(a, MIB).close();
    assertThat(pool().driverAllocations()).isEqualTo(1);
    a.synchronize();
    allocate(b, 900_000).close();
    assertThat(pool().driverAllocations()).isEqualTo(1);
  }

  @Test
  void theRestOfASegmentThatAnotherStreamTakesWaitsForTheAllocation() {
    reopen(OPTIONS.withMemoryBudget(MemoryBudget.ofBytes(2 * MIB)));
    DeviceArray<byte[]> first = allocate(a, 1000);
    try (DeviceArray<byte[]> second = allocate(b, 1000)) {
      second.fill(b, 3);
      assertThat(second.download(b)).containsOnly(3);
    }
    first.close();
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(1);
    assertThat(pool().segments()).isEqualTo(1);
  }

  @Test
  void aDeviceThatIsFullOfUnusedSegmentsHasRoomForALargerArray() {
    allocate(a, 30 * MIB).close();
    allocate(b, 31 * MIB).close();
    reopen(OPTIONS.withMemoryBudget(MemoryBudget.unlimited()));
    allocate(a, 30 * MIB).close();
    allocate(b, 24 * MIB).close();
    try (DeviceArray<byte[]> large = allocate(a, 60 * MIB)) {
      assertThat(pool().segments()).isEqualTo(1);
      assertThat(pool().driverFrees()).isGreaterThanOrEqualTo(1);
      large.fill(a, 1);
    }
  }

  @Test
  void aRequestThatDoesNotFitSaysWhatTheDriverAnswered() {
    reopen(OPTIONS.withMemoryBudget(MemoryBudget.unlimited()));
    try (DeviceArray<byte[]> most = allocate(a, 60 * MIB)) {
      assertThatThrownBy(() -> allocate(b, 40 * MIB))
          .isInstanceOf(OutOfMemoryBudgetException.class)
          .hasMessageContaining("the caching pool")
          .hasMessageContaining("41943040 bytes");
      most.fill(a, 1);
    }
    allocate(b, 40 * MIB).close();
  }

  @Test
  void aSegmentThatDoesNotFitIsAsLargeAsTheRequest() {
    reopen(OPTIONS.withMemoryBudget(MemoryBudget.unlimited()));
    try (DeviceArray<byte[]> most = allocate(a, 56 * MIB);
        DeviceArray<byte[]> medium = allocate(a, 4 * MIB)) {
      assertThat(pool().heldBytes()).isEqualTo(most.sizeInBytes() + medium.sizeInBytes());
    }
  }

  @Test
  void closedArraysCountInNoBudget() {
    reopen(OPTIONS.withMemoryBudget(MemoryBudget.ofBytes(40 * MIB)));
    long before = device.calls(DriverCall.SYNCHRONIZE_STREAM);
    for (int i = 0; i < 4; i++) {
      try (DeviceArray<byte[]> array = allocate(i % 2 == 0 ? a : b, 40 * MIB)) {
        array.fill(a, i);
      }
      assertThat(gpu.memory().statistics().pendingBytes()).isZero();
    }
    assertThat(device.calls(DriverCall.SYNCHRONIZE_EVENT)).isZero();
    assertThat(device.calls(DriverCall.SYNCHRONIZE_STREAM)).isEqualTo(before);
    assertThat(pool().heldBytes()).isEqualTo(40 * MIB);
  }

  @Test
  void whatIsUnusedBeyondTheThresholdGoesBack() {
    reopen(OPTIONS.withPoolReleaseThresholdInBytes(25 * MIB));
    DeviceArray<byte[]> first = allocate(a, 24 * MIB);
    DeviceArray<byte[]> second = allocate(a, 18 * MIB);
    first.close();
    assertThat(pool().unusedBytes()).isEqualTo(24 * MIB);
    second.close();
    assertThat(pool().unusedBytes()).isEqualTo(18 * MIB);
    assertThat(pool().driverFrees()).isEqualTo(1);
  }

  @Test
  void theLastReturnOfASegmentSendsItBackHoweverSmallItIs() {
    reopen(OPTIONS.withPoolReleaseThresholdInBytes(0));
    DeviceArray<byte[]> large = allocate(a, 9 * MIB);
    DeviceArray<byte[]> small = allocate(a, 2 * MIB);
    assertThat(pool().segments()).isEqualTo(1);
    large.close();
    small.close();
    assertThat(pool().heldBytes()).isZero();
  }

  @Test
  void whatIsUnusedInPiecesKeepsNoSegmentLater() {
    reopen(OPTIONS.withPoolReleaseThresholdInBytes(0));
    List<DeviceArray<byte[]>> large = new ArrayList<>();
    List<DeviceArray<byte[]>> small = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      large.add(allocate(a, 9 * MIB));
      large.add(allocate(a, 9 * MIB));
      small.add(allocate(a, 2 * MIB));
    }
    large.forEach(DeviceArray::close);
    assertThat(pool().unusedBytes()).isEqualTo(36 * MIB);
    large.replaceAll(closed -> allocate(a, 9 * MIB));
    allocate(a, 11 * MIB).close();
    assertThat(pool().unusedBytes()).isZero();
    large.forEach(DeviceArray::close);
    small.forEach(DeviceArray::close);
    assertThat(pool().heldBytes()).isZero();
  }

  @Test
  void aSegmentThatAnotherStreamMayStillUseGoesBackWhenItIsUnusedAgain() {
    reopen(OPTIONS.withPoolReleaseThresholdInBytes(0));
    DeviceArray<byte[]> first = allocate(a, 9 * MIB);
    DeviceArray<byte[]> second = allocate(a, 9 * MIB);
    first.fill(b, 1);
    first.close();
    second.close();
    assertThat(pool().unusedBytes()).isEqualTo(20 * MIB);
    gpu.synchronize();
    allocate(a, 9 * MIB).close();
    assertThat(pool().heldBytes()).isZero();
  }

  @Test
  void arraysInASegmentThatIsInUseAreReusedBeyondTheThreshold() {
    reopen(OPTIONS.withPoolReleaseThresholdInBytes(0));
    try (DeviceArray<byte[]> kept = allocate(a, MIB)) {
      allocate(a, 1000).close();
      long before = callsOf(device);
      for (int i = 0; i < 100; i++) {
        allocate(a, 1000).close();
      }
      assertThat(callsOf(device)).isEqualTo(before);
      assertThat(pool().reuses()).isGreaterThanOrEqualTo(100);
      assertThat(pool().heldBytes()).isEqualTo(2 * kept.sizeInBytes());
    }
    assertThat(pool().heldBytes()).isZero();
  }

  @Test
  void aSegmentThatTheDriverDoesNotTakeBackStaysInThePool() {
    reopen(OPTIONS.withPoolReleaseThresholdInBytes(0));
    DeviceArray<byte[]> array = allocate(a, 24 * MIB);
    device.failCall(DriverCall.FREE_ASYNC, 1, 1);
    array.close();
    assertThat(pool().unusedBytes()).isEqualTo(24 * MIB);
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
    long asked = pool().driverAllocations();
    try (DeviceArray<byte[]> again = allocate(a, 24 * MIB)) {
      again.fill(a, 1);
      assertThat(pool().driverAllocations()).isEqualTo(asked);
    }
    assertThat(pool().heldBytes()).isZero();
  }

  @Test
  void aWaitThatTheDriverRefusesLosesNoBlock() {
    allocate(a, 40 * MIB).close();
    device.failCall(DriverCall.WAIT_FOR_EVENT, 1, 1);
    // The runtime waits on the host instead.
    allocate(b, 40 * MIB).close();
    assertThat(pool().heldBytes()).isEqualTo(40 * MIB);
    assertThat(pool().unusedBytes()).isEqualTo(40 * MIB);
  }

  @Test
  void aDriverThatRefusesASegmentChangesNothing() {
    device.failCall(DriverCall.ALLOCATE_ASYNC, 1, 1);
    assertThatThrownBy(() -> allocate(a, MIB)).isInstanceOf(CudaDriverException.class);
    assertThat(pool()).isEqualTo(new PoolStatistics(0, 0, 0, 0, 0, 0, 0, 0));
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
  }

  @Test
  void aTrimReturnsTheSegmentsThatNoArrayUses() {
    DeviceArray<byte[]> kept = allocate(a, 16 * MIB);
    allocate(b, 20 * MIB).close();
    allocate(a, 100).close();
    long held = pool().heldBytes();
    assertThat(gpu.memory().trim()).isEqualTo(held - pool().heldBytes()).isEqualTo(22L * MIB);
    assertThat(gpu.memory().trim()).isZero();
    // The device has done the frees.
    assertThat(((TrackedRuntime) gpu).driver().memoryInfo().freeInBytes()).isEqualTo(48L * MIB);
    kept.close();
  }

  @Test
  void aTrimThatTheDriverRefusesLeavesTheSegmentToTheNext() {
    allocate(a, 20 * MIB).close();
    device.failCall(DriverCall.FREE_ASYNC, 1, 1);
    assertThatThrownBy(() -> gpu.memory().trim()).isInstanceOf(CudaDriverException.class);
    assertThat(gpu.memory().trim()).isEqualTo(20L * MIB);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSegmentWhoseFreeEndsWithAnErrorIsNotHandedOutAgain(boolean isFreed) {
    AtomicBoolean fails = new AtomicBoolean();
    SimulatedDevice each = SimulatedDevice.builder().memoryInBytes(64L << 20).build();
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(each),
            (method, call) -> {
              if (method.equals("freeAsync") && fails.getAndSet(false)) {
                if (isFreed) {
                  call.proceed();
                }
                throw new StackOverflowError("as planned");
              }
              return call.proceed();
            });
    try (DeviceRuntime runtime = RuntimeOverDriver.open(driver, OPTIONS);
        DeviceStream stream = runtime.streams().acquire()) {
      DeviceMemory memory = runtime.memory();
      try (DeviceArray<byte[]> large = memory.allocate(stream, byte[].class, 14 * MIB)) {
        memory.allocate(stream, byte[].class, 12 * MIB).close();
        large.fill(stream, 1);
      }
      fails.set(true);
      assertThatThrownBy(memory::trim).isInstanceOf(StackOverflowError.class);
      // The larger one was tried first; the other one is the pool's as before.
      assertThat(memory.pool().orElseThrow().heldBytes()).isEqualTo(12 * MIB);
      assertThat(memory.pool().orElseThrow().unusedBytes()).isEqualTo(12 * MIB);
      try (DeviceArray<byte[]> again = memory.allocate(stream, byte[].class, 14 * MIB)) {
        again.fill(stream, 2);
        byte[] twos = new byte[14 * MIB];
        Arrays.fill(twos, (byte) 2);
        // Element by element, AssertJ takes seconds.
        assertThat(Arrays.mismatch(again.download(stream), twos)).isNegative();
      }
      assertThat(memory.trim()).isEqualTo(26 * MIB);
    }
    assertThat(each.findings()).isEmpty();
    assertThat(each.liveObjects()).isEqualTo(isFreed ? 0 : 1);
  }

  @Test
  void aTrimWithoutAPoolReturnsNothing() {
    reopen(RuntimeOptions.defaults());
    allocate(a, MIB).close();
    assertThat(gpu.memory().trim()).isZero();
    gpu.close();
    assertThatThrownBy(() -> gpu.memory().trim()).isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void theSimulatedDeviceHasNoPoolByDefault() {
    reopen(RuntimeOptions.defaults());
    assertThat(gpu.memory().pool()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5})
  void anArrayWhoseMemoryWasUsedBeforeIsReportedAndFreedIfItIsNotClosed(int times) {
    try (RuntimeLog log = RuntimeLog.listen()) {
      for (int i = 0; i < times; i++) {
        allocate(a, 16).close();
      }
      DeviceArray<int[]> left = gpu.memory().allocate(a, int[].class, 4, "left");
      gpu.close();
      assertThat(left.isOpen()).isFalse();
      assertThat(log.recordsWith("'left'")).hasSize(1);
    }
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5})
  void otherCodeThatHandsMemoryBackWhichWasUsedBeforeKeepsIt(int times) {
    for (int i = 0; i < times; i++) {
      allocate(a, 16).close();
    }
    DeviceArray<int[]> own = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    ForeignMemory handedBack = ForeignMemory.at(Inside.allocation(own).address(), 16);
    try (DeviceArray<int[]> back = gpu.memory().adopt(b, handedBack.alreadyReady(), int[].class)) {
      own.close();
      try (DeviceArray<int[]> next = gpu.memory().upload(a, new int[] {5, 6, 7, 8})) {
        assertThat(back.download(b)).containsExactly(1, 2, 3, 4);
        assertThat(next.download(a)).containsExactly(5, 6, 7, 8);
      }
    }
  }

  /** Guarded memory lies in front of the pool, and direct memory behind it. */
  @ParameterizedTest
  @EnumSource(Schedule.class)
  void randomProgramsKeepTheirContent(Schedule schedule) throws Exception {
    for (RuntimeOptions options :
        List.of(
            OPTIONS,
            OPTIONS.withGuardMemory(true),
            OPTIONS.withDirectMemory(true),
            OPTIONS.withPoolReleaseThresholdInBytes(MIB),
            OPTIONS.withOrderingVisibleToTools(true))) {
      SimulatedDevice each =
          SimulatedDevice.builder().schedule(schedule).memoryInBytes(48L << 20).build();
      try (DeviceRuntime runtime = DeviceRuntime.simulated(each, options)) {
        program(runtime, 7);
        assertThat(runtime.memory().statistics().liveBytes()).isZero();
      }
      assertThat(each.findings()).as(options.toString()).isEmpty();
    }
  }

  @Test
  void threadsShareThePool() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Void>> programs = new ArrayList<>();
      for (int seed = 0; seed < 4; seed++) {
        int own = seed;
        programs.add(
            () -> {
              program(gpu, own);
              return null;
            });
      }
      for (Future<Void> each : threads.invokeAll(programs)) {
        each.get();
      }
    } finally {
      threads.shutdown();
    }
    gpu.synchronize();
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
    PoolStatistics pool = pool();
    assertThat(pool.unusedBytes()).isEqualTo(pool.heldBytes());
  }

  /** Fills arrays of random sizes on three streams, and verifies each before it is closed. */
  private static void program(DeviceRuntime runtime, int seed) {
    record Filled(DeviceArray<byte[]> array, byte value) {}
    Random random = new Random(seed);
    DeviceMemory memory = runtime.memory();
    List<Filled> open = new ArrayList<>();
    try (DeviceStream first = runtime.streams().acquire();
        DeviceStream second = runtime.streams().acquire();
        DeviceStream third = runtime.streams().acquire()) {
      List<DeviceStream> streams = List.of(first, second, third);
      for (int step = 0; step < 50; step++) {
        DeviceStream stream = streams.get(random.nextInt(3));
        if (open.size() < 6 && random.nextInt(3) > 0) {
          int bytes = 1 + random.nextInt(1 << random.nextInt(18));
          byte value = (byte) random.nextInt();
          DeviceArray<byte[]> array = memory.allocate(stream, byte[].class, bytes);
          array.fill(streams.get(random.nextInt(3)), value);
          open.add(new Filled(array, value));
        } else if (!open.isEmpty()) {
          Filled filled = open.remove(random.nextInt(open.size()));
          if (random.nextInt(4) == 0) {
            assertThat(filled.array().download(stream)).containsOnly(filled.value());
          }
          try (DeviceArray<byte[]> copy = filled.array().copy(stream)) {
            filled.array().close();
            long last = copy.length() - 1;
            assertThat(copy.download(stream, last, 1)).containsExactly(filled.value());
          }
        }
      }
      open.forEach(filled -> filled.array().close());
    }
  }
}
