package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.Download;
import dev.streamfence.PinnedArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.completion.Unreachable;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Downloads that are begun now and whose elements are asked for later. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class DownloadLaterTest {
  private static final int N = 64;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final DeviceArray<int[]> array = gpu.memory().allocateZeroed(a, int[].class, N);

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  @ParameterizedTest
  @MethodSource("dev.streamfence.corpus.HostArrays#ofEveryType")
  void elementsOfEveryTypeArrive(Object host) {
    try (DeviceArray<Object> values = gpu.memory().upload(a, host)) {
      Download<Object> all = values.downloadLater(b);
      Download<Object> last = values.downloadLater(b, Array.getLength(host) - 1, 1);
      assertThat(all.value()).isEqualTo(host);
      assertThat(all.value()).isSameAs(all.value());
      assertThat(Array.get(last.value(), 0)).isEqualTo(Array.get(host, Array.getLength(host) - 1));
    }
  }

  @Test
  void itReturnsAtOnceAndBringsTheElementsOfThatMoment() {
    array.fill(a, 1);
    long waits = synchronisations();
    Download<int[]> ones = array.downloadLater(a);
    VectorKernels.on(b).increment(array, N);
    Download<int[]> twos = array.downloadLater(b, 2, 3);
    array.fill(a, 9);
    assertThat(ones.isDone()).isFalse();
    assertThat(synchronisations()).isEqualTo(waits);
    assertThat(twos.value()).containsExactly(2, 2, 2);
    assertThat(ones.value()).containsOnly(1).hasSize(N);
    assertThat(ones.isDone()).isTrue();
    assertThat(ones).hasToString("completion of download of elements 0 to 63 of " + array);
  }

  private long synchronisations() {
    return device.calls(DriverCall.SYNCHRONIZE_EVENT) + device.calls(DriverCall.SYNCHRONIZE_STREAM);
  }

  @Test
  void theArrayMayBeClosedMeanwhile() {
    array.fill(a, 3);
    Download<int[]> threes = array.downloadLater(a);
    array.close();
    assertThat(threes.value()).containsOnly(3);
  }

  @Test
  void stagesCompleteWithTheElements() {
    array.fill(a, 4);
    Download<int[]> fours = array.downloadLater(a);
    CompletableFuture<int[]> value = fours.valueStage().toCompletableFuture();
    CompletableFuture<Void> done = fours.stage().toCompletableFuture();
    a.synchronize();
    assertThat(value.join()).containsOnly(4);
    done.join();
    assertThat(fours.value()).isSameAs(value.join());
  }

  @Test
  void awaitingHasATimeout() throws Exception {
    AtomicBoolean busy = new AtomicBoolean(true);
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(SimulatedDevice.builder().schedule(Schedule.LAZY).build()),
            (method, call) ->
                method.equals("isEventComplete") && busy.get() ? false : call.proceed());
    try (DeviceRuntime other = RuntimeOverDriver.open(driver, RuntimeOptions.defaults());
        DeviceStream stream = other.streams().acquire();
        DeviceArray<int[]> values = other.memory().upload(stream, new int[] {4})) {
      Download<int[]> later = values.downloadLater(stream);
      assertThat(later.await(Duration.ZERO)).isFalse();
      assertThat(later.await(Duration.ofMillis(5))).isFalse();
      assertThat(later.isDone()).isFalse();
      busy.set(false);
      assertThat(later.await(Duration.ofDays(1))).isTrue();
      busy.set(true);
      assertThat(later.value()).containsExactly(4);
      assertThat(later.await(Duration.ZERO)).isTrue();
    }
  }

  @Test
  void memoryIsReused() {
    array.downloadLater(a).value();
    long allocations = device.calls(DriverCall.ALLOCATE_HOST);
    for (int i = 0; i < 20; i++) {
      array.fill(a, i);
      assertThat(array.downloadLater(a, 0, 1 + i).value()).containsOnly(i);
    }
    assertThat(device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(allocations);
    assertThat(device.calls(DriverCall.FREE_HOST)).isZero();
  }

  @Test
  void manyMayBeUnderWay() {
    List<Download<int[]>> downloads = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      array.fill(i % 2 == 0 ? a : b, i);
      downloads.add(array.downloadLater(i % 2 == 0 ? b : a));
    }
    for (int i = 0; i < 100; i++) {
      assertThat(downloads.get(i).value()).containsOnly(i);
    }
  }

  private static DeviceRuntime limited(long bytes) {
    return DeviceRuntime.simulated(
        SimulatedDevice.builder().schedule(Schedule.LAZY).build(),
        RuntimeOptions.defaults().withDownloadMemoryInBytes(bytes));
  }

  @Test
  void beyondTheLimitTheOldestDownloadsMakeRoom() {
    int length = 64 << 10; // 256 KiB
    for (boolean isLimited : new boolean[] {false, true}) {
      try (DeviceRuntime runtime = limited(isLimited ? 1 << 20 : Long.MAX_VALUE);
          DeviceStream stream = runtime.streams().acquire();
          DeviceArray<int[]> large = runtime.memory().allocate(stream, int[].class, length)) {
        List<Download<int[]>> downloads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
          large.fill(stream, i);
          downloads.add(large.downloadLater(stream));
        }
        long held = runtime.memory().statistics().hostPoolBytes();
        if (isLimited) {
          assertThat(held).isLessThan(2 << 20);
        } else {
          assertThat(held).isGreaterThanOrEqualTo(20 * 4L * length);
        }
        for (int i = 19; i >= 0; i--) {
          assertThat(downloads.get(i).value()).containsOnly(i);
        }
      }
    }
  }

  /** Of 8192 bytes and 4096, the limit has room for what is asked for, and not for both. */
  @Test
  void theLimitCountsWhatDownloadsHold() {
    SimulatedDevice other = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    RuntimeOptions options = RuntimeOptions.defaults().withDownloadMemoryInBytes(10_000);
    try (DeviceRuntime runtime = DeviceRuntime.simulated(other, options);
        DeviceStream stream = runtime.streams().acquire();
        DeviceArray<byte[]> values = runtime.memory().allocateZeroed(stream, byte[].class, 5_000)) {
      Download<byte[]> first = values.downloadLater(stream, 0, 4_096);
      long waits = other.calls(DriverCall.SYNCHRONIZE_EVENT);
      values.fill(stream, (byte) 1);
      Download<byte[]> second = values.downloadLater(stream);
      assertThat(other.calls(DriverCall.SYNCHRONIZE_EVENT)).isEqualTo(waits + 1);
      assertThat(first.value()).containsOnly(0);
      assertThat(second.value()).containsOnly(1);
    }
  }

  @Test
  void threadsThatBeginDownloadsTogetherKeepTheLimit() throws Exception {
    SimulatedDevice other = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(other),
            (method, call) -> {
              if (method.equals("copyToHostAsync")) {
                meanwhile.getAndSet(() -> {}).run();
              }
              return call.proceed();
            });
    RuntimeOptions options = RuntimeOptions.defaults().withDownloadMemoryInBytes(4096);
    try (DeviceRuntime runtime = RuntimeOverDriver.open(driver, options);
        DeviceStream mine = runtime.streams().acquire();
        DeviceStream theirs = runtime.streams().acquire();
        DeviceArray<int[]> ones = runtime.memory().upload(mine, new int[] {1});
        DeviceArray<int[]> twos = runtime.memory().upload(theirs, new int[] {2})) {
      AtomicReference<Download<int[]>> second = new AtomicReference<>();
      meanwhile.set(
          () -> CompletableFuture.runAsync(() -> second.set(twos.downloadLater(theirs))).join());
      long waits = other.calls(DriverCall.SYNCHRONIZE_EVENT);
      Download<int[]> first = ones.downloadLater(mine);
      // One of the two was delivered, so that the limit has room for the other.
      assertThat(other.calls(DriverCall.SYNCHRONIZE_EVENT)).isEqualTo(waits + 1);
      assertThat(first.value()).containsExactly(1);
      assertThat(second.get().value()).containsExactly(2);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = DriverCall.class,
      names = {"ALLOCATE_HOST", "COPY_TO_HOST_ASYNC"})
  void aDownloadThatCannotBeBegunHasNoShareOfTheLimit(DriverCall failing) {
    SimulatedDevice other = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    RuntimeOptions options = RuntimeOptions.defaults().withDownloadMemoryInBytes(8192);
    try (DeviceRuntime runtime = DeviceRuntime.simulated(other, options);
        DeviceStream stream = runtime.streams().acquire();
        DeviceArray<int[]> values = runtime.memory().upload(stream, new int[] {1})) {
      other.failCall(failing, 1, 2);
      assertThatThrownBy(() -> values.downloadLater(stream))
          .isInstanceOf(CudaDriverException.class);
      long waits = other.calls(DriverCall.SYNCHRONIZE_EVENT);
      Download<int[]> first = values.downloadLater(stream);
      Download<int[]> second = values.downloadLater(stream);
      assertThat(other.calls(DriverCall.SYNCHRONIZE_EVENT)).isEqualTo(waits);
      assertThat(first.value()).isEqualTo(second.value()).containsExactly(1);
    }
  }

  @Test
  void beyondTheLimitArraysOfTheCallerStayUnchangedUntilTheyAreAskedFor() {
    try (DeviceRuntime runtime = limited(0);
        DeviceStream stream = runtime.streams().acquire();
        DeviceArray<int[]> values = runtime.memory().upload(stream, new int[] {1, 2, 3})) {
      int[] target = new int[3];
      Download<int[]> first = values.downloadLater(stream, 0, target, 0, 3);
      assertThat(values.downloadLater(stream).value()).containsExactly(1, 2, 3);
      assertThat(values.downloadLater(stream).value()).containsExactly(1, 2, 3);
      assertThat(target).containsOnly(0);
      assertThat(first.value()).containsExactly(1, 2, 3);
    }
  }

  @Test
  void aNegativeLimitIsRefused() {
    assertThatThrownBy(() -> RuntimeOptions.defaults().withDownloadMemoryInBytes(-1))
        .hasMessage("-1 bytes of memory for downloads; the limit is at least 0");
  }

  @Test
  void whatIsUnderWayWhenTheRuntimeIsClosedKeepsItsValue() {
    array.fill(a, 6);
    Download<int[]> sixes = array.downloadLater(a);
    CompletableFuture<int[]> stage = sixes.valueStage().toCompletableFuture();
    gpu.close();
    assertThat(sixes.isDone()).isTrue();
    assertThat(sixes.value()).containsOnly(6);
    assertThat(stage.join()).isSameAs(sixes.value());
  }

  @Test
  void whatWasAbandonedIsReusedWhenItsCopyIsDone() {
    Unreachable.clean(TrackedArray.of(array).downloadLater(a));
    long allocations = device.calls(DriverCall.ALLOCATE_HOST);
    Download<int[]> meanwhile = array.downloadLater(b);
    assertThat(device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(allocations + 1);
    gpu.synchronize();
    Download<int[]> later = array.downloadLater(b);
    assertThat(device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(allocations + 1);
    assertThat(meanwhile.value()).containsOnly(0);
    assertThat(later.value()).containsOnly(0);
  }

  @Test
  void aLostDeviceDeliversWhatWasDoneAndFailsTheRest() {
    SimulatedDevice other = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    DeviceRuntime runtime =
        DeviceRuntime.simulated(other, RuntimeOptions.defaults().withBoundsChecks(false));
    DeviceStream stream = runtime.streams().acquire();
    DeviceArray<int[]> values = runtime.memory().upload(stream, new int[] {1, 2});
    Download<int[]> done = values.downloadLater(stream);
    done.await();
    VectorKernels.on(stream).increment(values, 3);
    Download<int[]> failed = values.downloadLater(stream);
    assertThatThrownBy(failed::value).isInstanceOf(CudaDriverException.class);
    runtime.close();
    assertThat(done.value()).containsExactly(1, 2);
    assertThatThrownBy(failed::value).isInstanceOf(CudaDriverException.class);
  }

  @Test
  void aCopyThatCannotBeQueuedIsReportedAndItsMemoryReused() {
    device.failCall(DriverCall.COPY_TO_HOST_ASYNC, 1, 1);
    assertThatThrownBy(() -> array.downloadLater(a))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("download of 256 bytes");
    device.failCall(DriverCall.ALLOCATE_HOST, 1, 2);
    gpu.synchronize();
    assertThat(array.downloadLater(a).value()).containsOnly(0);
  }

  @Test
  void noHostMemoryIsReportedWithTheSize() {
    device.failCall(DriverCall.ALLOCATE_HOST, 1, 2);
    assertThatThrownBy(() -> array.downloadLater(a))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("allocating 256 bytes of host memory for a download");
  }

  @Test
  void badRangesAndClosedArraysAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> array.downloadLater(a, 0, N + 1));
    assertThatIllegalArgumentException().isThrownBy(() -> array.downloadLater(a, -1, 1));
    gpu.memory().refuseDownloads(true);
    assertThatThrownBy(() -> array.downloadLater(a)).isInstanceOf(IllegalStateException.class);
    gpu.memory().refuseDownloads(false);
    array.close();
    assertThatThrownBy(() -> array.downloadLater(a)).isInstanceOf(UseAfterFreeException.class);
  }

  @Test
  void anEmptyDownloadIsDone() {
    long calls = device.calls();
    Download<int[]> nothing = array.downloadLater(a, N, 0);
    assertThat(nothing.isDone()).isTrue();
    assertThat(nothing.value()).isEmpty();
    nothing.await();
    assertThat(device.calls()).isEqualTo(calls);
  }

  @Test
  void threadsMayAskForOneValueTogether() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 50; round++) {
        array.fill(a, round);
        Download<int[]> download = array.downloadLater(b);
        List<Future<int[]>> values = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          values.add(threads.submit(download::value));
        }
        for (Future<int[]> value : values) {
          assertThat(value.get()).isSameAs(download.value()).containsOnly(round);
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void elementsGoToAHostArrayWhenTheyAreAskedFor() {
    try (DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1, 2, 3})) {
      int[] target = {7, 7, 7, 7};
      Download<int[]> later = values.downloadLater(a, 1, target, 2, 2);
      values.fill(b, 9);
      later.await();
      assertThat(target).containsOnly(7);
      assertThat(later.value()).isSameAs(target).containsExactly(7, 7, 2, 3);
      assertThat(values.downloadLater(a, 3, target, 4, 0).value()).isSameAs(target);
    }
  }

  @Test
  void aBufferMayBeFlippedBeforeItsElementsAreHere() {
    try (DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1, 2, 3})) {
      IntBuffer target = IntBuffer.allocate(4).position(1);
      Download<IntBuffer> later = values.downloadLater(a, 0, target);
      target.flip();
      later.await();
      later.value();
      assertThat(target.array()).containsExactly(0, 1, 2, 3);
    }
  }

  @Test
  void elementsGoToABufferWhenTheyAreAskedFor() {
    try (DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1, 2, 3})) {
      IntBuffer ints = IntBuffer.allocate(4).position(1).limit(3);
      Download<IntBuffer> later = values.downloadLater(a, 1, ints);
      ByteBuffer bytes = ByteBuffer.allocateDirect(4).order(ByteOrder.nativeOrder());
      Download<ByteBuffer> raw = values.downloadLater(b, 2, bytes);
      values.fill(b, 9);
      assertThat(later.value()).isSameAs(ints);
      assertThat(ints.array()).containsExactly(0, 2, 3, 0);
      assertThat(ints.position()).isEqualTo(1);
      assertThat(raw.valueStage().toCompletableFuture().join().getInt(0)).isEqualTo(3);
    }
  }

  @Test
  void aDownloadToAPinnedArrayHasItAsItsValue() {
    try (DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1, 2, 3});
        PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 3)) {
      host.put(0, new int[] {7, 7, 7});
      Download<PinnedArray<int[]>> later = values.downloadLater(a, 0, host, 1, 2);
      assertThat(later.isDone()).isFalse();
      values.fill(b, 9);
      assertThat(later.value()).isSameAs(host);
      assertThat(later.isDone()).isTrue();
      assertThat(host.get(0, 3)).containsExactly(7, 1, 2);
      assertThat(values.downloadLater(a, 0, host, 0, 0).value()).isSameAs(host);
    }
  }

  @Test
  void targetsThatDoNotFitAreRefusedAndNothingIsQueued() {
    try (DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1, 2, 3});
        PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 2)) {
      int[] target = new int[2];
      long calls = device.calls();
      for (ThrowingCallable use :
          List.<ThrowingCallable>of(
              () -> values.downloadLater(a, 2, target, 0, 2),
              () -> values.downloadLater(a, 0, target, 1, 2),
              () -> values.downloadLater(a, -1, target, 0, 1),
              () -> values.downloadLater(a, 0, target, 0, -1),
              () -> values.downloadLater(a, Long.MAX_VALUE, target, 0, 2),
              () -> values.downloadLater(a, 0, host, 1, 2),
              () -> values.downloadLater(a, 3, host, 0, 1),
              () -> values.downloadLater(a, 2, IntBuffer.allocate(2)),
              () -> values.downloadLater(a, 0, FloatBuffer.allocate(1)),
              () -> values.downloadLater(a, 0, ByteBuffer.allocate(4).order(ByteOrder.BIG_ENDIAN)),
              () -> values.downloadLater(a, 0, IntBuffer.allocate(2).asReadOnlyBuffer()))) {
        assertThatThrownBy(use).isInstanceOf(IllegalArgumentException.class);
      }
      assertThat(device.calls()).isEqualTo(calls);
      gpu.memory().refuseDownloads(true);
      assertThatThrownBy(() -> values.downloadLater(a, 0, target, 0, 1))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> values.downloadLater(a, 0, IntBuffer.allocate(1)))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> values.downloadLater(a, 0, host, 0, 1))
          .isInstanceOf(IllegalStateException.class);
      gpu.memory().refuseDownloads(false);
    }
  }

  @Test
  void aPinnedTargetThatIsClosedMeanwhileHasGotItsElements() {
    try (DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1, 2, 3})) {
      PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 3);
      Download<PinnedArray<int[]>> later = values.downloadLater(a, 0, host, 0, 3);
      host.close();
      assertThat(later.isDone()).isTrue();
      assertThat(later.value().isOpen()).isFalse();
      assertThatThrownBy(() -> values.downloadLater(a, 0, host, 0, 3))
          .isInstanceOf(UseAfterFreeException.class);
    }
  }
}
