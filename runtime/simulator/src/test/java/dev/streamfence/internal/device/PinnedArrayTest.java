package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.transfer.HostRegion;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Page-locked host arrays, whose accesses by the host are ordered with the device's. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PinnedArrayTest {
  private static final int N = 64;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final PinnedArray<int[]> host = gpu.memory().pinned(int[].class, N);
  private final DeviceArray<int[]> array = gpu.memory().allocateZeroed(a, int[].class, N);

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  private static void fill(PinnedArray<int[]> target, int value) {
    target.write(
        bytes -> {
          while (bytes.hasRemaining()) {
            bytes.putInt(value);
          }
        });
  }

  private static int first(PinnedArray<int[]> source) {
    return source.read(ByteBuffer::getInt);
  }

  @ParameterizedTest
  @MethodSource("dev.streamfence.corpus.HostArrays#ofEveryType")
  void everyTypeGoesUpAndDown(Object values) {
    int length = Array.getLength(values);
    @SuppressWarnings("unchecked") // The class of an Object that is an array.
    Class<Object> type = (Class<Object>) values.getClass();
    try (PinnedArray<Object> up = gpu.memory().pinned(type, length);
        PinnedArray<Object> down = gpu.memory().pinned(type, length);
        DeviceArray<Object> on = gpu.memory().allocate(a, type, length)) {
      assertThat(up.length()).isEqualTo(length);
      assertThat(up.sizeInBytes()).isEqualTo(on.sizeInBytes());
      assertThat(up.elementType()).isEqualTo(on.elementType());
      assertThat(up.runtime()).isSameAs(gpu);
      up.put(0, values);
      on.upload(a, up);
      on.download(b, down);
      assertThat(down.get(0, length)).isEqualTo(values);
    }
  }

  @Test
  void copiesReturnAtOnceAndTheReadWaitsForThem() {
    fill(host, 5);
    gpu.synchronize();
    long synchronisations = synchronisations();
    array.upload(a, host);
    VectorKernels.on(a).increment(array, N);
    array.download(b, host);
    assertThat(synchronisations()).isEqualTo(synchronisations);
    assertThat(first(host)).isEqualTo(6);
  }

  private long synchronisations() {
    return device.calls(DriverCall.SYNCHRONIZE_EVENT) + device.calls(DriverCall.SYNCHRONIZE_STREAM);
  }

  @Test
  void aReadWaitsForTheDownloadAndForNothingAfterIt() {
    fill(host, 5);
    array.upload(a, host);
    array.download(a, host);
    VectorKernels.on(a).increment(array, N);
    VectorKernels.on(b).increment(array, N);
    Timeline stream = Inside.timeline(a);
    assertThat(first(host)).isEqualTo(5);
    assertThat(stream.completed()).isEqualTo(stream.submitted() - 1);
  }

  @Test
  void aReadDoesNotWaitForUploads() {
    fill(host, 5);
    gpu.synchronize();
    long calls = device.calls();
    array.upload(a, host);
    long queued = device.calls();
    assertThat(queued).isGreaterThan(calls);
    assertThat(first(host)).isEqualTo(5);
    assertThat(device.calls()).isEqualTo(queued);
  }

  @Test
  void aWriteWaitsUntilUploadsHaveReadTheOldContent() {
    fill(host, 5);
    array.upload(a, host);
    fill(host, 6);
    DeviceArray<int[]> second = gpu.memory().allocate(b, int[].class, N);
    second.upload(b, host);
    fill(host, 7);
    assertThat(array.download(a)).containsOnly(5);
    assertThat(second.download(a)).containsOnly(6);
  }

  @Test
  void theCloseWaitsForUploadsThatReadIt() {
    try (PinnedArray<int[]> source = gpu.memory().pinned(int[].class, N)) {
      fill(source, 5);
      array.upload(a, source);
    }
    assertThat(a.isIdle()).isTrue();
    assertThat(array.download(b)).containsOnly(5);
  }

  @Test
  void theMemoryOfALostArrayIsFreedWhenTheDeviceIsDoneWithIt() {
    PinnedBytes pinned = Inside.of(gpu).pinned();
    PinnedBytes.Lease lost = pinned.allocate(16, "a lost array", true);
    Region target = Region.of(Inside.allocation(array)).range(0, 16);
    Inside.of(gpu)
        .copies()
        .upload(Inside.timeline(a), new HostRegion(lost.memory(), lost.hazards(), 0), target);
    lost.run();
    long frees = device.calls(DriverCall.FREE_HOST);
    pinned.freeLost();
    assertThat(device.calls(DriverCall.FREE_HOST)).isEqualTo(frees);
    a.synchronize();
    pinned.freeLost();
    assertThat(device.calls(DriverCall.FREE_HOST)).isEqualTo(frees + 1);
  }

  @Test
  void anUploadFromMemoryThatIsStillDownloadedToWaitsOnTheDevice() {
    array.fill(a, 9);
    array.download(a, host);
    DeviceArray<int[]> second = gpu.memory().allocate(b, int[].class, N);
    long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
    second.upload(b, host);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits + 1);
    assertThat(second.download(b)).containsOnly(9);
  }

  @Test
  void rangesGoBothWays() {
    host.put(10, new int[] {1, 2, 3});
    array.upload(a, 30, host, 10, 3);
    array.download(a, 31, host, 0, 2);
    assertThat(host.get(0, 2)).containsExactly(2, 3);
    assertThat(array.download(a, 29, 5)).containsExactly(0, 1, 2, 3, 0);
  }

  @Test
  void badRangesAreRefusedAndNothingIsQueued() {
    long calls = device.calls();
    for (long[] range : new long[][] {{-1, 1}, {0, -1}, {0, N + 1}, {N, 1}, {1, Long.MAX_VALUE}}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.upload(a, 0, host, range[0], range[1]))
          .withMessageContaining("pinned int[64], which has 64");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.download(a, 0, host, range[0], range[1]))
          .withMessageContaining("pinned int[64], which has 64");
    }
    assertThatIllegalArgumentException().isThrownBy(() -> array.upload(a, N, host, 0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> array.view(0, 8).upload(a, host));
    assertThatIllegalArgumentException().isThrownBy(() -> array.view(0, 8).download(a, host));
    assertThatIllegalArgumentException().isThrownBy(() -> host.get(N, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> host.put(N, new int[1]));
    assertThat(device.calls()).isEqualTo(calls);
  }

  @Test
  void theBuffersAreWholeAndInNativeOrderAndTheOneForReadingIsReadOnly() {
    host.write(
        bytes -> {
          assertThat(bytes.remaining()).isEqualTo(4 * N);
          assertThat(bytes.order()).isEqualTo(ByteOrder.nativeOrder());
          assertThat(bytes.isReadOnly()).isFalse();
          bytes.position(8).limit(12);
        });
    host.visit(
        bytes -> {
          assertThat(bytes.remaining()).isEqualTo(4 * N);
          assertThat(bytes.order()).isEqualTo(ByteOrder.nativeOrder());
          assertThat(bytes.isReadOnly()).isTrue();
        });
  }

  @Test
  void anAccessInsideAnotherOfTheSameThreadIsRefusedUnlessBothRead() {
    int seen = host.read(outer -> host.read(inner -> 3));
    assertThat(seen).isEqualTo(3);
    host.read(
        bytes -> {
          array.upload(a, host);
          assertThatThrownBy(() -> fill(host, 1))
              .satisfies(misuse(Misuse.INSIDE_HOST_ACCESS))
              .hasMessageContaining("a write of pinned int[64] inside a read");
          assertThatThrownBy(() -> array.download(a, host))
              .satisfies(misuse(Misuse.INSIDE_HOST_ACCESS));
          assertThatThrownBy(host::close).isInstanceOf(StreamMisuseException.class);
          return null;
        });
    host.write(
        bytes -> {
          assertThatThrownBy(() -> first(host)).satisfies(misuse(Misuse.INSIDE_HOST_ACCESS));
          assertThatThrownBy(() -> array.upload(a, host)).isInstanceOf(StreamMisuseException.class);
          assertThatThrownBy(() -> array.download(a, host))
              .isInstanceOf(StreamMisuseException.class);
          assertThatThrownBy(host::close).isInstanceOf(StreamMisuseException.class);
        });
    assertThat(host.isOpen()).isTrue();
  }

  @Test
  void aReadDoesNotHandItsBufferOut() {
    assertThatThrownBy(() -> host.read(ByteBuffer::asIntBuffer))
        .satisfies(misuse(Misuse.OUT_OF_SCOPE));
    List<Integer> seen = new ArrayList<>();
    host.visit(bytes -> seen.add(bytes.remaining()));
    assertThat(seen).containsExactly(4 * N);
  }

  /** Begins an access in another thread, which ends when told to. */
  private static Thread accessing(Consumer<Consumer<ByteBuffer>> access, CountDownLatch goOn)
      throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    Thread other =
        new Thread(
            () ->
                access.accept(
                    bytes -> {
                      begun.countDown();
                      try {
                        goOn.await();
                      } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                      }
                    }));
    other.start();
    begun.await();
    return other;
  }

  /** The other thread may be waiting for the stream that the launch holds. */
  @Test
  void insideALaunchAnArrayInUseIsRefusedInsteadOfWaitedFor() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    Thread other = accessing(access -> host.write(access), goOn);
    try (LaunchRecorder launch = VectorKernels.incrementOn(a).begin()) {
      assertThat(launch).isNotNull();
      for (ThrowingCallable use :
          List.<ThrowingCallable>of(() -> first(host), () -> fill(host, 1), host::close)) {
        assertThatThrownBy(use)
            .satisfies(misuse(Misuse.INSIDE_LAUNCH))
            .hasMessageContaining(
                "pinned int[64] inside of a launch, while another thread uses it");
      }
    }
    assertThat(host.isOpen()).isTrue();
    goOn.countDown();
    other.join();
    try (LaunchRecorder launch = VectorKernels.incrementOn(a).begin()) {
      assertThat(launch).isNotNull();
      assertThat(first(host)).isZero();
    }
  }

  @Test
  void aThreadInsideAnAccessIsInsideTheRuntime() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    Thread other = accessing(access -> host.visit(access), goOn);
    assertThat(gpu.close(Duration.ofMillis(20))).isFalse();
    assertThat(device.calls(DriverCall.FREE_HOST)).isZero();
    goOn.countDown();
    other.join();
  }

  @Test
  void onALostDeviceTheCloseSucceeds() {
    SimulatedDevice other = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    DeviceRuntime runtime =
        DeviceRuntime.simulated(other, RuntimeOptions.defaults().withBoundsChecks(false));
    DeviceStream stream = runtime.streams().acquire();
    DeviceArray<int[]> values = runtime.memory().upload(stream, new int[2]);
    PinnedArray<int[]> down = runtime.memory().pinned(int[].class, 2);
    VectorKernels.on(stream).increment(values, 3);
    values.download(stream, down);
    assertThatThrownBy(() -> first(down)).isInstanceOf(CudaDriverException.class);
    down.close();
    assertThat(down.isOpen()).isFalse();
    assertThat(runtime.memory().statistics().pinnedBytes()).isZero();
    runtime.close();
  }

  @Test
  void onALostDeviceOnlyTheCloseOfTheRuntimeFreesALostArray() {
    SimulatedDevice other = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    DeviceRuntime runtime = DeviceRuntime.simulated(other);
    DeviceStream stream = runtime.streams().acquire();
    PinnedBytes pinned = Inside.of(runtime).pinned();
    pinned.allocate(16, "a lost array", true).run();
    other.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, 700);
    assertThatThrownBy(stream::synchronize).isInstanceOf(CudaDriverException.class);
    long calls = other.calls();
    pinned.freeLost();
    assertThat(other.calls()).as("driver calls on a lost device").isEqualTo(calls);
    runtime.close();
    assertThat(other.calls(DriverCall.FREE_HOST)).isOne();
    assertThat(pinned.bytes()).isZero();
  }

  @Test
  void pinnedBytesAreCountedUntilTheyAreFreed() {
    assertThat(gpu.memory().statistics().pinnedBytes()).isEqualTo(4 * N);
    host.close();
    assertThat(gpu.memory().statistics().pinnedBytes()).isZero();
    assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(4 * N);
  }

  @Test
  void oneEventCoversACopyWhateverTheNumberOfStreams() {
    VectorKernels.on(a).increment(array, N);
    VectorKernels.on(b).increment(array, N);
    long events = device.calls(DriverCall.RECORD_EVENT);
    array.upload(b, host);
    assertThat(device.calls(DriverCall.RECORD_EVENT)).isEqualTo(events + 1);
    array.download(b, host);
    assertThat(device.calls(DriverCall.RECORD_EVENT)).isEqualTo(events + 2);
  }

  @Test
  void nullIsNamed() {
    assertThatThrownBy(() -> array.upload(a, (PinnedArray<int[]>) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("source");
    assertThatThrownBy(() -> array.download(a, (PinnedArray<int[]>) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("target");
  }

  @Test
  void whatTheCallbackThrowsIsThrownAndTheArrayStaysUsable() {
    IllegalStateException mine = new IllegalStateException("mine");
    assertThatThrownBy(
            () ->
                host.write(
                    bytes -> {
                      throw mine;
                    }))
        .isSameAs(mine);
    fill(host, 4);
    assertThat(first(host)).isEqualTo(4);
  }

  @Test
  void aDownloadWaitsForTheReadOfAnotherThread() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      Future<Integer> read =
          other.submit(
              () ->
                  host.read(
                      bytes -> {
                        reading.countDown();
                        try {
                          goOn.await();
                        } catch (InterruptedException e) {
                          throw new IllegalStateException(e);
                        }
                        return bytes.getInt();
                      }));
      reading.await();
      array.fill(a, 3);
      // A read keeps no upload out.
      array.upload(b, 0, host, 0, 0);
      array.view(0, 1).upload(b, 0, host, 0, 1);
      Thread downloading = new Thread(() -> array.download(a, host));
      downloading.start();
      while (downloading.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      goOn.countDown();
      downloading.join();
      assertThat(read.get()).isZero();
    } finally {
      other.shutdown();
    }
    assertThat(host.get(1, 1)).containsExactly(3);
  }

  @Test
  void closingWaitsForTheCopiesAndFreesOnce() {
    fill(host, 5);
    array.upload(a, host);
    host.close();
    assertThat(device.calls(DriverCall.FREE_HOST)).isEqualTo(1);
    assertThat(host.isOpen()).isFalse();
    host.close();
    assertThat(device.calls(DriverCall.FREE_HOST)).isEqualTo(1);
    assertThat(array.download(a)).containsOnly(5);
    assertThatThrownBy(() -> first(host))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("a read uses pinned int[64], which is closed");
    assertThatThrownBy(() -> fill(host, 1)).isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(() -> array.upload(a, host)).isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(() -> array.download(a, host)).isInstanceOf(UseAfterFreeException.class);
  }

  @Test
  void aCloseThatTheDriverRefusesLeavesTheArrayOpen() {
    device.failCall(DriverCall.FREE_HOST, 1, 1);
    assertThatThrownBy(host::close)
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("closing pinned int[64]");
    assertThat(host.isOpen()).isTrue();
    fill(host, 2);
    host.close();
    assertThat(device.calls(DriverCall.FREE_HOST)).isEqualTo(2);
  }

  @Test
  void anAllocationThatTheDriverRefusesNamesTheArray() {
    device.failCall(DriverCall.ALLOCATE_HOST, 1, 2);
    assertThatThrownBy(() -> gpu.memory().pinned(long[].class, 3))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("allocating pinned long[3]");
  }

  @Test
  void sizesThatABufferCannotHaveAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gpu.memory().pinned(int[].class, -1))
        .withMessageContaining("pinned int[-1]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gpu.memory().pinned(int[].class, 1L << 29))
        .withMessageContaining("at most 2147483647 bytes");
    assertThatIllegalArgumentException().isThrownBy(() -> gpu.memory().pinned(String.class, 1));
  }

  @Test
  void anEmptyPinnedArrayIsUsedLikeOthers() {
    long calls = device.calls();
    PinnedArray<int[]> empty = gpu.memory().pinned(int[].class, 0);
    DeviceArray<int[]> none = gpu.memory().allocate(a, int[].class, 0);
    none.upload(a, empty);
    none.download(a, empty);
    assertThat(empty.read(ByteBuffer::remaining)).isZero();
    empty.write(bytes -> assertThat(bytes.hasRemaining()).isFalse());
    empty.close();
    assertThatThrownBy(() -> empty.read(ByteBuffer::remaining))
        .isInstanceOf(UseAfterFreeException.class);
    assertThat(device.calls()).isEqualTo(calls);
  }

  @Test
  void arraysOfAnotherRuntimeAreRefused() {
    try (DeviceRuntime other = DeviceRuntime.simulated(SimulatedDevice.builder().build())) {
      PinnedArray<int[]> foreign = other.memory().pinned(int[].class, N);
      assertThatThrownBy(() -> array.upload(a, foreign))
          .satisfies(misuse(Misuse.OTHER_RUNTIME))
          .hasMessageContaining("they belong to two runtimes");
      assertThatThrownBy(() -> array.download(a, foreign))
          .isInstanceOf(StreamMisuseException.class);
      foreign.close();
    }
  }

  @Test
  void theCloseOfTheRuntimeFreesWhatIsOpenAndReportsIt() {
    RuntimeLog log = RuntimeLog.listen();
    try {
      array.upload(a, host);
      gpu.close();
      assertThat(device.calls(DriverCall.FREE_HOST)).isGreaterThanOrEqualTo(1);
      assertThat(log.messages()).anyMatch(message -> message.contains("pinned int[64]"));
      assertThatThrownBy(() -> first(host)).isInstanceOf(RuntimeClosedException.class);
      assertThatThrownBy(() -> fill(host, 1)).isInstanceOf(RuntimeClosedException.class);
      assertThatThrownBy(() -> gpu.memory().pinned(int[].class, 1))
          .isInstanceOf(RuntimeClosedException.class);
      host.close();
      assertThat(host.isOpen()).isFalse();
    } finally {
      log.close();
    }
  }

  @Test
  void anArrayThatIsLostIsReportedAndFreedWhenTheDeviceIsDone() {
    RuntimeLog log = RuntimeLog.listen();
    try {
      array.upload(a, lost());
      assertThat(gpu.memory().statistics().pinnedBytes()).isEqualTo(8 * N);
      while (log.messages().stream().noneMatch(message -> message.contains("was lost"))) {
        System.gc();
        Thread.onSpinWait();
      }
      assertThat(device.calls(DriverCall.FREE_HOST)).isZero();
      gpu.memory().reap();
      assertThat(device.calls(DriverCall.FREE_HOST)).isIn(0L, 1L);
      gpu.synchronize();
      gpu.memory().reap();
      assertThat(device.calls(DriverCall.FREE_HOST)).isEqualTo(1);
    } finally {
      log.close();
    }
  }

  private PinnedArray<int[]> lost() {
    PinnedArray<int[]> unreachable = gpu.memory().pinned(int[].class, N);
    fill(unreachable, 8);
    return unreachable;
  }

  @Test
  void refusedDownloadsCoverPinnedArrays() {
    gpu.memory().refuseDownloads(true);
    assertThatThrownBy(() -> array.download(a, host)).isInstanceOf(IllegalStateException.class);
    gpu.memory().refuseDownloads(false);
  }

  /** A wrong order would be a race, or a wrong sum. */
  @Test
  void threadsThatShareAPinnedArrayNeitherRaceNorDeadlock() throws Exception {
    int workers = 4;
    ExecutorService threads = Executors.newFixedThreadPool(workers);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int worker = 0; worker < workers; worker++) {
        int mine = worker;
        DeviceStream stream = gpu.streams().acquire();
        done.add(
            threads.submit(
                () -> {
                  for (int round = 0; round < 50; round++) {
                    fill(host, 10 * round + mine);
                    array.upload(stream, host);
                    VectorKernels.on(stream).increment(array, N);
                    array.download(stream, host);
                    host.read(
                        bytes -> {
                          int one = bytes.getInt();
                          while (bytes.hasRemaining()) {
                            assertThat(bytes.getInt()).isEqualTo(one);
                          }
                          return null;
                        });
                  }
                }));
      }
      for (Future<?> one : done) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
