package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.ForwardingResource;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.Undeclared;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.memory.DeviceShare;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.MemoryStream;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runtimes of one process whose budgets are one share of a device: 500 bytes. */
final class DeviceShareTest {
  private static final MemoryBudget LIMIT = MemoryBudget.ofDevice(500e-6);

  private final DeviceShare share = new DeviceShare();
  private final List<DeviceRuntime> opened = new ArrayList<>();

  private DeviceRuntime open(MemoryBudget budget) {
    SimulatedDevice device = SimulatedDevice.builder().memoryInBytes(1_000_000).build();
    DeviceRuntime gpu =
        Opening.of(Inside.open(device), true, RuntimeOptions.defaults().withMemoryBudget(budget))
            .within(share)
            .open();
    opened.add(gpu);
    return gpu;
  }

  @AfterEach
  void close() {
    opened.forEach(DeviceRuntime::close);
  }

  private long keepingCalls(RuntimeOptions options) {
    SimulatedDevice device = SimulatedDevice.builder().build();
    opened.add(Opening.of(Inside.open(device), true, options).within(share).open());
    return device.calls(DriverCall.KEEP_FREED_MEMORY);
  }

  @Test
  void theDriversPoolIsSetOnlyIfItIsToKeepMemoryOrHasDone() {
    RuntimeOptions caching = RuntimeOptions.defaults().withCachingPool(true);
    RuntimeOptions none = caching.withCachingPool(false).withPoolReleaseThresholdInBytes(0);

    assertThat(keepingCalls(caching)).isZero();
    assertThat(keepingCalls(none)).isZero();
    assertThat(keepingCalls(caching.withCachingPool(false))).isEqualTo(1);
    assertThat(keepingCalls(caching.withCachingPool(false))).isEqualTo(1);
    assertThat(keepingCalls(caching)).isEqualTo(1);
    assertThat(keepingCalls(none)).isEqualTo(1);
    assertThat(keepingCalls(caching.withDirectMemory(true).withCachingPool(false))).isZero();
  }

  @Test
  void aDriverWhosePoolCannotBeSetIsReportedOnlyIfItIsToKeepMemory() {
    RuntimeOptions keeping = RuntimeOptions.defaults().withCachingPool(false);
    for (RuntimeOptions options : List.of(keeping, keeping.withPoolReleaseThresholdInBytes(0))) {
      CudaDriver driver =
          InterceptedDriver.of(
              Inside.open(SimulatedDevice.builder().build()),
              (method, call) -> {
                if (method.equals("keepFreedMemory")) {
                  throw new DeviceException("a library is missing");
                }
                return call.proceed();
              });
      try (RuntimeLog log = RuntimeLog.listen()) {
        opened.add(Opening.of(driver, true, options).within(share).open());
        assertThat(log.recordsWith("keeps no freed memory")).hasSize(options == keeping ? 1 : 0);
      }
    }
  }

  /** Neither the handler of the log nor the resource declares what it throws. */
  @Test
  void aRuntimeThatCannotBeOpenedIsClosedAndFailuresOfThatAreSuppressed() {
    IOException untrimmed = new IOException("untrimmed");
    SimulatedDevice device = SimulatedDevice.builder().build();
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(device),
            (method, call) -> {
              if (method.equals("keepFreedMemory")) {
                throw new DeviceException("a library is missing");
              }
              return call.proceed();
            });
    RuntimeOptions options =
        RuntimeOptions.defaults()
            .withCachingPool(false)
            .withMemoryResource(
                pool ->
                    new ForwardingResource(pool) {
                      @Override
                      public void trim(MemoryStream stream) {
                        throw Undeclared.thrown(untrimmed);
                      }
                    });
    try (ThrowingLog throwing = new ThrowingLog(LogTopic.DEVICES)) {
      assertThatThrownBy(() -> Opening.of(driver, true, options).within(share).open())
          .isInstanceOf(IOException.class)
          .hasMessage("no room for the log")
          .hasSuppressedException(untrimmed);
      assertThat(throwing.published()).isEqualTo(1);
    }
    DeviceRuntime.simulated(device).close();
    assertThat(device.liveObjects()).isZero();
  }

  private static DeviceArray<byte[]> allocate(DeviceRuntime gpu, int bytes) {
    return gpu.memory().allocate(gpu.streams().defaultStream(), byte[].class, bytes);
  }

  @Test
  void twoRuntimesTogetherTakeNoMoreThanTheShare() {
    DeviceRuntime one = open(LIMIT);
    DeviceRuntime other = open(LIMIT);
    DeviceArray<byte[]> large = allocate(one, 300);
    allocate(other, 200);

    assertThat(other.memory().statistics().remainingBytes()).isZero();
    assertThatThrownBy(() -> allocate(other, 1))
        .isInstanceOfSatisfying(
            OutOfMemoryBudgetException.class,
            e -> {
              assertThat(e.current()).isEqualTo(200);
              assertThat(e.limit()).isEqualTo(500);
            })
        .hasMessageContaining(
            "200 of 500 bytes are in use, and 300 by other runtimes of this process on the device");

    large.close();
    one.synchronize();
    one.memory().reserve(1).close();
    assertThat(allocate(other, 299).isOpen()).isTrue();
  }

  @Test
  void aRuntimeThatIsAloneOnItsDeviceCountsNothingThere() throws Exception {
    DeviceRuntime alone = open(LIMIT);
    synchronized (share) {
      CompletableFuture.runAsync(
              () -> {
                allocate(alone, 100).close();
                alone.memory().reserve(500).close();
              })
          .get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void whatARuntimeTookWhileItWasAloneCountsOnceForTheOthers() {
    DeviceRuntime first = open(LIMIT);
    allocate(first, 200);
    open(LIMIT).close();
    DeviceRuntime last = open(LIMIT);

    assertThat(last.memory().statistics().remainingBytes()).isEqualTo(300);
    allocate(last, 300);
    assertThat(first.memory().statistics().remainingBytes()).isZero();
  }

  @Test
  void reservationsOfOtherRuntimesCount() {
    DeviceRuntime one = open(LIMIT);
    DeviceRuntime other = open(LIMIT);
    try (MemoryReservation room = one.memory().reserve(400)) {
      assertThatThrownBy(() -> allocate(other, 101)).isInstanceOf(OutOfMemoryBudgetException.class);
      room.allocate(one.streams().defaultStream(), byte[].class, 400);
      assertThat(allocate(other, 100).isOpen()).isTrue();
    }
  }

  @Test
  void aBudgetInBytesCountsInTheShareOfOthersAndIsNotLimitedByThem() {
    DeviceRuntime one = open(MemoryBudget.ofBytes(900));
    DeviceRuntime other = open(LIMIT);
    allocate(other, 400);
    allocate(one, 450).close();
    allocate(one, 60);
    one.synchronize();
    one.memory().reserve(390).close();

    assertThatThrownBy(() -> allocate(other, 41)).isInstanceOf(OutOfMemoryBudgetException.class);
    assertThat(allocate(one, 440).isOpen()).isTrue();
  }

  @Test
  void aClosedRuntimeGivesItsBytesUpEvenIfItsDeviceWasLost() {
    DeviceRuntime one = open(LIMIT);
    DeviceRuntime lost = open(LIMIT);
    DeviceRuntime last = open(LIMIT);
    allocate(one, 200);
    allocate(lost, 300);
    Inside.of(lost)
        .sticky()
        .declareLost(new CudaDriverException("cuX", 700, "CUDA_ERROR_ILLEGAL_ADDRESS"), "a test");
    one.close();
    closeLost(lost);

    assertThat(allocate(last, 500).isOpen()).isTrue();
  }

  @Test
  void aClosedRuntimeGivesUpWhatItHasReserved() {
    DeviceRuntime one = open(LIMIT);
    DeviceRuntime other = open(LIMIT);
    MemoryReservation left = one.memory().reserve(400);
    assertThat(left.remainingBytes()).isEqualTo(400);
    one.close();

    assertThat(allocate(other, 500).isOpen()).isTrue();
  }

  private static void closeLost(DeviceRuntime lost) {
    try {
      lost.close();
    } catch (CudaDriverException e) {
      assertThat(e.code()).isEqualTo(700);
    }
  }

  @Test
  void threadsOfTwoRuntimesNeverExceedTheShareTogether() throws Exception {
    List<DeviceRuntime> gpus = List.of(open(LIMIT), open(LIMIT));
    ConcurrentLinkedQueue<DeviceArray<byte[]>> granted = new ConcurrentLinkedQueue<>();
    List<CompletableFuture<Void>> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      DeviceRuntime gpu = gpus.get(i % 2);
      threads.add(
          CompletableFuture.runAsync(
              () -> {
                for (int n = 0; n < 100; n++) {
                  try {
                    granted.add(allocate(gpu, 7));
                  } catch (OutOfMemoryBudgetException e) {
                    return;
                  }
                }
              }));
    }
    CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);

    assertThat(granted).hasSize(500 / 7);
  }
}
