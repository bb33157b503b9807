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
import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pinned arrays that kernels read and write directly. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MappedArrayTest {
  private static final int N = 64;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final PinnedArray<int[]> host = gpu.memory().pinned(int[].class, N);
  private final DeviceArray<int[]> mapped = host.mapped();

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  private static int[] all(int value) {
    int[] values = new int[N];
    Arrays.fill(values, value);
    return values;
  }

  @ParameterizedTest
  @EnumSource
  void kernelsOfSeveralStreamsAndTheHostTakeTurns(Schedule schedule) {
    SimulatedDevice other = SimulatedDevice.builder().schedule(schedule).build();
    try (DeviceRuntime runtime = DeviceRuntime.simulated(other);
        DeviceStream left = runtime.streams().acquire();
        DeviceStream right = runtime.streams().acquire();
        PinnedArray<int[]> shared = runtime.memory().pinned(int[].class, N);
        DeviceArray<int[]> sum = runtime.memory().allocate(left, int[].class, N)) {
      DeviceArray<int[]> direct = shared.mapped();
      shared.put(0, all(5));
      VectorKernels.on(left).increment(direct, N);
      VectorKernels.on(right).add(direct, direct, sum, N);
      assertThat(shared.get(0, N)).containsOnly(6);
      shared.put(0, all(1));
      VectorKernels.on(right).increment(direct, N);
      assertThat(sum.download(left)).containsOnly(12);
      assertThat(shared.get(0, N)).containsOnly(2);
    }
    assertThat(other.findings()).isEmpty();
  }

  @Test
  void aReadWaitsForTheLaunchThatWrites() {
    host.put(0, all(5));
    VectorKernels.on(a).increment(mapped, N);
    int first = host.read(ByteBuffer::getInt);
    assertThat(first).isEqualTo(6);
  }

  @Test
  void aWriteWaitsForTheLaunchThatReads() {
    host.put(0, all(5));
    try (DeviceArray<int[]> sum = gpu.memory().allocate(a, int[].class, N)) {
      VectorKernels.on(a).add(mapped, mapped, sum, N);
      host.put(0, all(7));
      assertThat(sum.download(b)).containsOnly(10);
    }
  }

  @Test
  void aLaunchWaitsForTheAccessOfAnotherThread() throws Exception {
    host.put(0, all(5));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Thread writing =
        new Thread(
            () ->
                host.write(
                    bytes -> {
                      begun.countDown();
                      await(goOn);
                      bytes.putInt(0, 8);
                    }));
    writing.start();
    begun.await();
    Thread launching = new Thread(() -> VectorKernels.on(a).increment(mapped, N));
    launching.start();
    while (launching.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isZero();
    goOn.countDown();
    writing.join();
    launching.join();
    assertThat(host.get(0, 2)).containsExactly(9, 6);
  }

  @Test
  void aLaunchThatComesWhileAnAccessWaitsForTheDeviceWaitsForTheAccess() throws Exception {
    AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
    CudaDriver watched =
        InterceptedDriver.of(
            Inside.open(SimulatedDevice.builder().schedule(Schedule.LAZY).build()),
            (method, call) -> {
              if (method.equals("synchronizeEvent")) {
                meanwhile.getAndSet(() -> {}).run();
              }
              return call.proceed();
            });
    try (DeviceRuntime runtime = RuntimeOverDriver.open(watched, RuntimeOptions.defaults());
        DeviceStream left = runtime.streams().acquire();
        DeviceStream right = runtime.streams().acquire();
        PinnedArray<int[]> shared = runtime.memory().pinned(int[].class, N)) {
      shared.put(0, all(5));
      DeviceArray<int[]> direct = shared.mapped();
      VectorKernels onRight = VectorKernels.on(right);
      onRight.increment(direct, N);
      VectorKernels.on(left).increment(direct, N);
      Thread launching = new Thread(() -> onRight.increment(direct, N));
      meanwhile.set(
          () -> {
            launching.start();
            while (launching.isAlive() && launching.getState() != Thread.State.WAITING) {
              Thread.onSpinWait();
            }
          });
      shared.write(bytes -> assertThat(launching.getState()).isEqualTo(Thread.State.WAITING));
      launching.join();
      assertThat(shared.get(0, N)).containsOnly(8);
    }
  }

  @Test
  void aLaunchThatReadsDoesNotWaitForTheReadOfAnotherThread() throws Exception {
    host.put(0, all(5));
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Thread reading =
        new Thread(
            () ->
                host.visit(
                    bytes -> {
                      begun.countDown();
                      await(goOn);
                    }));
    reading.start();
    begun.await();
    try (DeviceArray<int[]> sum = gpu.memory().allocate(a, int[].class, N)) {
      VectorKernels.on(a).add(mapped, mapped, sum, N);
      assertThat(sum.download(a)).containsOnly(10);
      assertThat(reading.isAlive()).isTrue();
    } finally {
      goOn.countDown();
      reading.join();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A launch with its stream held may be waiting for this very access. */
  @Test
  void insideAnAccessStreamsAreRefused() {
    host.put(0, all(5));
    VectorKernels kernels = VectorKernels.on(a);
    try (DeviceArray<int[]> other = gpu.memory().upload(a, all(1))) {
      List<ThrowingCallable> uses =
          List.of(
              () -> kernels.increment(mapped, N),
              () -> kernels.increment(other, N),
              () -> other.download(b),
              () -> other.upload(a, host));
      for (ThrowingCallable use : uses) {
        host.visit(bytes -> assertThatThrownBy(use).satisfies(misuse(Misuse.INSIDE_HOST_ACCESS)));
      }
      kernels.increment(other, N);
      assertThat(other.download(b)).containsOnly(2);
    }
  }

  /** The launch would wait for the access, and the access for the launch. */
  @Test
  void aLaunchThatWasBegunBeforeAnAccessIsRefusedInsideIt() {
    host.put(0, all(5));
    LaunchRecorder increment = VectorKernels.incrementOn(a);
    try (LaunchRecorder open = increment.begin()) {
      open.array(mapped).threads(N);
      host.visit(
          bytes ->
              assertThatThrownBy(open::preflight).satisfies(misuse(Misuse.INSIDE_HOST_ACCESS)));
      open.preflight().launch().commit();
    }
    assertThat(host.get(0, N)).containsOnly(6);
  }

  @Test
  void aMappingInsideAnAccessIsRefused() {
    host.visit(bytes -> assertThatThrownBy(host::mapped).isInstanceOf(StreamMisuseException.class));
    host.write(bytes -> assertThatThrownBy(host::mapped).isInstanceOf(StreamMisuseException.class));
  }

  @Test
  void theCloseComesAfterItsLaunchesAndEndsIt() {
    host.put(0, all(5));
    DeviceArray<int[]> view = mapped.view(1, 2);
    VectorKernels.on(a).increment(mapped, N);
    mapped.close();
    assertThat(mapped.isOpen()).isTrue();
    host.close();
    assertThat(mapped.isOpen()).isFalse();
    assertThat(device.calls(DriverCall.FREE_HOST)).isEqualTo(1);
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            () -> VectorKernels.on(a).increment(mapped, N),
            () -> view.download(a),
            () -> mapped.fill(a, 1),
            host::mapped)) {
      assertThatThrownBy(use)
          .isInstanceOf(UseAfterFreeException.class)
          .hasMessageContaining("pinned int[64]");
    }
  }

  @Test
  void whenTheMemoryCannotBeFreedItStaysUsable() {
    host.put(0, all(5));
    device.failCall(DriverCall.FREE_HOST, 1, 1);
    assertThatThrownBy(host::close).isInstanceOf(CudaDriverException.class);
    VectorKernels.on(a).increment(mapped, N);
    assertThat(host.get(0, N)).containsOnly(6);
    host.close();
    assertThat(mapped.isOpen()).isFalse();
  }

  @Test
  void copiesAndFillsTakeItLikeAnyArray() {
    host.put(0, all(5));
    try (DeviceArray<int[]> array = gpu.memory().upload(a, all(1));
        PinnedArray<int[]> other = gpu.memory().pinned(int[].class, N)) {
      array.copyFrom(a, 0, mapped, 0, 2);
      mapped.copyFrom(b, 2, array, 1, 2);
      assertThat(host.get(0, 5)).containsExactly(5, 5, 5, 1, 5);
      mapped.fill(a, 0, 1, 9);
      mapped.upload(b, 10, new int[] {7, 8}, 0, 2);
      assertThat(mapped.download(a, 9, 4)).containsExactly(5, 7, 8, 5);
      mapped.download(a, other);
      assertThat(other.get(0, 2)).containsExactly(9, 5);
      other.put(0, all(3));
      mapped.upload(b, other);
      assertThat(host.get(0, N)).containsOnly(3);
      assertThat(mapped.downloadLater(b, 0, 1).value()).containsExactly(3);
      assertThat(mapped.view(3, 1).reinterpret(byte[].class).download(a))
          .containsExactly(3, 0, 0, 0);
      try (DeviceArray<int[]> copy = mapped.copy(a)) {
        assertThat(copy.download(b)).containsOnly(3);
      }
    }
  }

  @Test
  void copiesWithinItAreRefusedWhereTheyOverlap() {
    host.put(0, all(5));
    host.put(0, new int[] {1, 2, 3});
    mapped.upload(a, 10, host, 0, 3);
    mapped.download(b, 1, host, 20, 2);
    assertThat(host.get(10, 3)).containsExactly(1, 2, 3);
    assertThat(host.get(20, 3)).containsExactly(2, 3, 5);
    // Elements 4 and 5, and not the bytes of these numbers.
    mapped.download(b, 1, host, 4, 2);
    assertThat(host.get(4, 2)).containsExactly(2, 3);
    long calls = device.calls();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mapped.upload(a, 2, host, 0, 3))
        .withMessageContaining("bytes 0 to 11 of pinned int[64]")
        .withMessageContaining("bytes 8 to 19 of")
        .withMessageContaining("overlap");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mapped.download(a, 0, host, 2, 3))
        .withMessageContaining("overlap");
    assertThatIllegalArgumentException().isThrownBy(() -> mapped.upload(a, host));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> mapped.copyFrom(a, 2, host.mapped(), 0, 3))
        .withMessageContaining("overlap");
    assertThat(device.calls()).isEqualTo(calls);
  }

  @Test
  void twoMappingsAreOneArrayToTheAliasRule() {
    try (PinnedArray<float[]> floats = gpu.memory().pinned(float[].class, N)) {
      floats.put(0, new float[N]);
      DeviceArray<float[]> one = floats.mapped();
      DeviceArray<float[]> other = floats.mapped();
      VectorKernels kernels = VectorKernels.on(a);
      assertThatThrownBy(() -> kernels.saxpy(1, one, other, N)).satisfies(misuse(Misuse.ALIAS));
      kernels.saxpy(1, one.view(0, 32), other.view(32, 32), 32);
    }
  }

  @Test
  void aMappingThatTheDriverRefusesNamesTheArray() {
    try (PinnedArray<byte[]> other = gpu.memory().pinned(byte[].class, 3)) {
      device.failCall(DriverCall.HOST_DEVICE_ADDRESS, 1, 801);
      assertThatThrownBy(other::mapped)
          .isInstanceOfSatisfying(
              CudaDriverException.class,
              e -> assertThat(e.purpose()).isEqualTo("mapping pinned byte[3]"));
      assertThat(other.mapped().length()).isEqualTo(3);
    }
  }

  @Test
  void itIsMappedOnceAndHasTheLengthOfItsArray() {
    long calls = device.calls();
    DeviceArray<int[]> second = host.mapped();
    assertThat(device.calls()).isEqualTo(calls);
    assertThat(second.length()).isEqualTo(N);
    assertThat(second.runtime()).isSameAs(gpu);
    assertThat(second).hasToString(mapped.toString());
    assertThat(mapped.toString()).contains("int[64] in allocation", "'pinned int[64]'");
    assertThatThrownBy(() -> mapped.split(3)).satisfies(misuse(Misuse.NOT_WHOLE));
    try (PinnedArray<int[]> empty = gpu.memory().pinned(int[].class, 0)) {
      assertThat(empty.mapped().download(a)).isEmpty();
    }
  }

  @Test
  void aKernelThatLeavesItIsReported() {
    SimulatedDevice strict = SimulatedDevice.builder().build();
    DeviceRuntime runtime =
        DeviceRuntime.simulated(strict, RuntimeOptions.defaults().withBoundsChecks(false));
    DeviceStream stream = runtime.streams().acquire();
    PinnedArray<int[]> small = runtime.memory().pinned(int[].class, 8);
    small.put(0, new int[8]);
    assertThatThrownBy(
            () -> {
              VectorKernels.on(stream).increment(small.mapped(), 9);
              small.get(0, 1);
            })
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("4 bytes at")
        .hasMessageContaining("beyond the nearest allocation, which has 32 bytes");
    runtime.close();
  }

  @Test
  void aKernelThatReadsWhatNothingHasWrittenIsReportedOnRequest() {
    for (boolean asked : new boolean[] {false, true}) {
      SimulatedDevice strict = SimulatedDevice.builder().checkUninitializedReads(asked).build();
      strict.collectFindings();
      try (DeviceRuntime runtime = DeviceRuntime.simulated(strict);
          DeviceStream stream = runtime.streams().acquire();
          PinnedArray<int[]> fresh = runtime.memory().pinned(int[].class, 8)) {
        // The host is handed all bytes, whether or not it reads them.
        assertThat(fresh.get(0, 8)).hasSize(8);
        VectorKernels.on(stream).increment(fresh.mapped(), 8);
        assertThat(fresh.get(0, 8)).hasSize(8);
      }
      assertThat(strict.findings())
          .extracting(Finding::kind)
          .isEqualTo(asked ? List.of(Kind.UNINITIALIZED_READ) : List.of());
    }
  }

  @Test
  void aUseOfFreedHostMemoryIsReported() {
    SimulatedDevice one = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    CudaDriver driver = Inside.open(one);
    StreamHandle stream = driver.createStream(0);
    HostMemory memory = driver.allocateHost(64);
    long address = driver.deviceAddress(memory);
    driver.fillAsync(address, Byte.BYTES, 1, 64, stream);
    driver.freeHost(memory);
    assertThatThrownBy(() -> driver.synchronizeStream(stream))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("in an allocation of 64 bytes that is freed");
    driver.close();
  }

  /** One thread launches on it, another one reads and writes it. */
  @Test
  void threadsThatShareItNeitherRaceNorDeadlock() throws Exception {
    host.put(0, all(0));
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread launching =
        new Thread(
            () -> {
              try {
                VectorKernels kernels = VectorKernels.on(a);
                for (int i = 0; i < 200; i++) {
                  kernels.increment(mapped, N);
                }
              } catch (RuntimeException | Error e) {
                failure.set(e);
              }
            });
    launching.start();
    int last = 0;
    for (int i = 0; i < 100; i++) {
      int now = host.read(ByteBuffer::getInt);
      assertThat(now).isGreaterThanOrEqualTo(last);
      last = now + 1;
      host.write(bytes -> bytes.putInt(0, bytes.getInt(0) + 1));
    }
    launching.join();
    assertThat(failure).hasNullValue();
    assertThat(host.get(0, 2)).containsExactly(300, 200);
  }
}
