package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.ForwardingResource;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Arrays that become unreachable without being closed. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LostArraysTest {
  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final RuntimeLog log = RuntimeLog.listen();

  @AfterEach
  void nothingIsLeft() {
    log.close();
    assertThat(device.liveObjects()).isZero();
  }

  private static void loseOne(DeviceRuntime gpu, DeviceStream stream, String tag) {
    gpu.memory().allocate(stream, int[].class, 16, tag).fill(stream, 7);
  }

  private static void collectUntilLost(DeviceRuntime gpu, long count) {
    while (gpu.memory().statistics().lostArrays() < count) {
      System.gc();
      Thread.onSpinWait();
    }
  }

  @Test
  void aLostArrayIsReportedWithItsAllocationSiteAndFreed() {
    try (DeviceRuntime gpu =
        DeviceRuntime.simulated(device, RuntimeOptions.defaults().withTraceAllocations(true))) {
      DeviceStream stream = gpu.streams().acquire();
      loseOne(gpu, stream, "forgotten");
      collectUntilLost(gpu, 1);
      // The thread frees the array, and reports it when it is outside of the runtime.
      while (log.recordsWith("'forgotten'").isEmpty()) {
        Thread.onSpinWait();
      }
      assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
      assertThat(log.recordsWith("'forgotten'")).hasSize(1);
      assertThat(log.recordsWith("'forgotten'").get(0).getThrown().getStackTrace())
          .anyMatch(frame -> frame.getMethodName().equals("loseOne"));
      stream.synchronize();
    }
  }

  @Test
  void aHandlerOfTheLogThatThrowsLetsTheNextLostArrayBeReported() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      try (ThrowingLog throwing = new ThrowingLog(LogTopic.LEAKS)) {
        loseOne(gpu, stream, "first");
        collectUntilLost(gpu, 1);
        loseOne(gpu, stream, "second");
        while (throwing.published() < 2) {
          System.gc();
          Thread.onSpinWait();
        }
      }
    }
  }

  @Test
  void aHandlerOfTheLogThatThrowsDoesNotDisturbTheCloseOfALostDevice() {
    // Its memory is lost with it, so that objects are left.
    SimulatedDevice faulty = SimulatedDevice.builder().build();
    DeviceRuntime gpu = DeviceRuntime.simulated(faulty);
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> open = gpu.memory().allocate(stream, int[].class, 16);
    faulty.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, 700);
    assertThatThrownBy(stream::synchronize).isInstanceOf(CudaDriverException.class);
    try (ThrowingLog throwing = new ThrowingLog(LogTopic.LEAKS)) {
      assertThatCode(gpu::close).doesNotThrowAnyException();
      assertThat(throwing.published()).isPositive();
    }
    assertThat(open.isOpen()).isFalse();
  }

  @Test
  void arraysThatAreLostBeforeACloseAreReportedAsLostOrAsOpen() {
    int count = 5_000;
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    DeviceStream stream = gpu.streams().acquire();
    for (int i = 0; i < count; i++) {
      gpu.memory().allocate(stream, int[].class, 4);
    }
    System.gc();
    gpu.close();
    // What is logged waits until the thread is outside of the runtime.
    while (reported(gpu) < count) {
      Thread.onSpinWait();
    }
    assertThat(reported(gpu)).isEqualTo(count);
  }

  private int reported(DeviceRuntime gpu) {
    int open =
        log.messages().stream()
            .map(Pattern.compile(Pattern.quote(gpu + " is closed with ") + "(\\d+)")::matcher)
            .filter(Matcher::find)
            .mapToInt(found -> Integer.parseInt(found.group(1)))
            .sum();
    return open + log.recordsWith("an array was lost without being closed").size();
  }

  @Test
  void aLostReservationIsReportedAndGivenUp() {
    RuntimeOptions budget = RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(1000));
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device, budget)) {
      gpu.memory().reserve(900);
      while (log.recordsWith("reservation of 900 bytes, of which 900 are left").isEmpty()) {
        System.gc();
        Thread.onSpinWait();
      }
      gpu.memory().reserve(1000).close();
    }
  }

  private static DeviceArray<byte[]> drawAndLose(DeviceRuntime gpu, long reserved, long drawn) {
    return gpu.memory()
        .reserve(reserved)
        .allocate(gpu.streams().defaultStream(), byte[].class, drawn);
  }

  @Test
  void aLostReservationIsReportedWithWhatItHasLeftAndNotIfThatIsNothing() {
    RuntimeOptions budget = RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(1000));
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device, budget);
        DeviceArray<byte[]> all = drawAndLose(gpu, 300, 300)) {
      collectGarbage();
      try (DeviceArray<byte[]> some = drawAndLose(gpu, 600, 200)) {
        while (log.recordsWith("a reservation was lost").isEmpty()) {
          System.gc();
          Thread.onSpinWait();
        }
        assertThat(log.recordsWith("reservation of 600 bytes, of which 400 are left")).hasSize(1);
        assertThat(all.length() + some.length()).isEqualTo(500);
      }
    }
    assertThat(log.recordsWith("a reservation was lost")).hasSize(1);
  }

  @Test
  void anOpenReservationIsReportedAtTheClose() {
    RuntimeOptions budget = RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(1000));
    DeviceRuntime gpu = DeviceRuntime.simulated(device, budget);
    MemoryReservation open = gpu.memory().reserve(900);
    gpu.close();
    assertThat(log.recordsWith(gpu + " is closed with 900 bytes reserved and not used")).hasSize(1);
    open.close();
  }

  /** An operation on an array, and a driver call in it after the last Java use of the array. */
  private enum Operation {
    UPLOAD("copyToDeviceAsync") {
      @Override
      void use(DeviceArray<int[]> array, DeviceArray<int[]> other, DeviceStream stream) {
        array.upload(stream, HOST);
      }
    },
    DOWNLOAD("copyToHostAsync") {
      @Override
      void use(DeviceArray<int[]> array, DeviceArray<int[]> other, DeviceStream stream) {
        array.download(stream, HOST);
      }
    },
    COPY_TO("copyOnDeviceAsync") {
      @Override
      void use(DeviceArray<int[]> array, DeviceArray<int[]> other, DeviceStream stream) {
        array.copyFrom(stream, other);
      }
    },
    COPY_FROM("copyOnDeviceAsync") {
      @Override
      void use(DeviceArray<int[]> array, DeviceArray<int[]> other, DeviceStream stream) {
        other.copyFrom(stream, array);
      }
    },
    FILL("fillAsync") {
      @Override
      void use(DeviceArray<int[]> array, DeviceArray<int[]> other, DeviceStream stream) {
        array.fill(stream, 1);
      }
    },
    // Not by the fence, which covers the moment before the array is marked: the mark comes first.
    CLOSE("freeAsync") {
      @Override
      void use(DeviceArray<int[]> array, DeviceArray<int[]> other, DeviceStream stream) {
        array.close();
      }
    };

    private static final int[] HOST = new int[4];

    private final String driverCall;

    Operation(String driverCall) {
      this.driverCall = driverCall;
    }

    abstract void use(DeviceArray<int[]> array, DeviceArray<int[]> other, DeviceStream stream);
  }

  @ParameterizedTest
  @EnumSource(Operation.class)
  void anArrayIsNotLostWhileADriverCallUsesIt(Operation operation) {
    AtomicReference<@Nullable DeviceRuntime> watched = new AtomicReference<>();
    CudaDriver collecting =
        InterceptedDriver.of(
            Inside.open(device),
            (method, call) -> {
              DeviceRuntime runtime = watched.get();
              if (runtime != null && method.equals(operation.driverCall)) {
                collectGarbage();
                assertThat(runtime.memory().statistics().lostArrays()).isZero();
                watched.set(null);
              }
              return call.proceed();
            });
    try (DeviceRuntime gpu = RuntimeOverDriver.open(collecting, RuntimeOptions.defaults())) {
      DeviceStream stream = gpu.streams().acquire();
      DeviceArray<int[]> other = gpu.memory().upload(stream, new int[4]);
      // Compiled code forgets an array after its last use; the interpreter would keep it alive.
      DeviceArray<int[]> warm = gpu.memory().upload(stream, new int[4]);
      for (int i = 0; i < 20_000; i++) {
        operation.use(warm, other, stream);
      }
      warm.close();
      watched.set(gpu);
      useWhatNobodyElseKnows(operation, other, stream);
      assertThat(watched).hasValue(null);
      other.close();
    }
  }

  private static void useWhatNobodyElseKnows(
      Operation operation, DeviceArray<int[]> other, DeviceStream stream) {
    operation.use(stream.runtime().memory().allocate(stream, int[].class, 4), other, stream);
  }

  /** Waits until earlier garbage is collected and what was lost is known. */
  private static void collectGarbage() {
    for (int i = 0; i < 3; i++) {
      WeakReference<Object> garbage = new WeakReference<>(new Object());
      while (garbage.get() != null) {
        System.gc();
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void anArrayThatIsOpenWhenItsRuntimeClosesIsReportedWithItsAllocationSite() {
    DeviceRuntime gpu =
        DeviceRuntime.simulated(device, RuntimeOptions.defaults().withTraceAllocations(true));
    DeviceArray<int[]> left = leaveOneOpen(gpu);
    gpu.close();
    assertThat(log.recordsWith("'left open'"))
        .singleElement()
        .satisfies(
            report ->
                assertThat(report.getThrown().getSuppressed()[0].getStackTrace())
                    .anyMatch(frame -> frame.getMethodName().equals("leaveOneOpen")));
    left.close();
  }

  private static DeviceArray<int[]> leaveOneOpen(DeviceRuntime gpu) {
    return gpu.memory().allocate(gpu.streams().acquire(), int[].class, 16, "left open");
  }

  @Test
  void anArrayThatWasClosedIsNotLost() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      for (int i = 0; i < 100; i++) {
        gpu.memory().allocate(stream, int[].class, 16).close();
      }
      loseOne(gpu, stream, "the only one");
      collectUntilLost(gpu, 1);
      System.gc();
      assertThat(gpu.memory().statistics().lostArrays()).isEqualTo(1);
    }
  }

  @Test
  void whereAFreeWaitsForTheDeviceTheNextAllocationCarriesItOut() {
    try (DeviceRuntime gpu =
        DeviceRuntime.simulated(device, RuntimeOptions.defaults().withDirectMemory(true))) {
      DeviceStream stream = gpu.streams().acquire();
      loseOne(gpu, stream, "");
      collectUntilLost(gpu, 1);
      assertThat(device.calls(DriverCall.FREE)).isZero();
      gpu.memory().allocate(stream, int[].class, 1).close();
      assertThat(device.calls(DriverCall.FREE)).isEqualTo(2);
      assertThat(gpu.memory().bytesOutstanding()).isZero();
    }
  }

  @Test
  void aFreeThatFailsIsRepeatedByTheNextAllocation() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 16);
      OpenArrays.Lifetime lifetime = TrackedArray.of(array).lifetime;
      device.failCall(DriverCall.FREE_ASYNC, 1, 999);
      lifetime.lost();
      assertThat(gpu.memory().statistics().failedFrees()).isEqualTo(1);
      assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(64);
      long frees = device.calls(DriverCall.FREE_ASYNC);
      DeviceArray<int[]> next = gpu.memory().allocate(stream, int[].class, 1);
      assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(frees + 1);
      assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(4);
      next.close();
      gpu.synchronize();
      assertThat(gpu.memory().reap()).isEqualTo(64 + 4);
      assertThat(gpu.memory().statistics().failedFrees()).isEqualTo(1);
    }
  }

  @Test
  void aFreeThatFailsIsRepeatedByTheNextReap() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 16);
      OpenArrays.Lifetime lifetime = TrackedArray.of(array).lifetime;
      device.failCall(DriverCall.FREE_ASYNC, 1, 999);
      lifetime.lost();
      gpu.synchronize();
      assertThat(gpu.memory().reap()).isZero();
      assertThat(gpu.memory().statistics().liveBytes()).isZero();
      gpu.synchronize();
      assertThat(gpu.memory().reap()).isEqualTo(64);
    }
  }

  @Test
  void aFaultThatTheFreeOfALostArrayMetIsThrownByTheClose() {
    // Its memory is lost with it, so that objects are left.
    SimulatedDevice faulty = SimulatedDevice.builder().build();
    DeviceRuntime gpu = DeviceRuntime.simulated(faulty);
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 16);
    OpenArrays.Lifetime lifetime = TrackedArray.of(array).lifetime;
    faulty.failCall(DriverCall.FREE_ASYNC, 1, 999);
    lifetime.lost();
    faulty.failCall(DriverCall.FREE_ASYNC, 1, 700);
    assertThatCode(() -> gpu.memory().reap()).doesNotThrowAnyException();
    assertThatThrownBy(gpu::close)
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.code()).isEqualTo(700));
  }

  /** An operation that makes an array, and the driver call that fills it. */
  private enum Making {
    UPLOAD(DriverCall.COPY_TO_DEVICE_ASYNC) {
      @Override
      void make(DeviceArray<int[]> other, DeviceStream stream) {
        stream.runtime().memory().upload(stream, new int[16]);
      }
    },
    ZEROED(DriverCall.FILL_32_ASYNC) {
      @Override
      void make(DeviceArray<int[]> other, DeviceStream stream) {
        stream.runtime().memory().allocateZeroed(stream, int[].class, 16);
      }
    },
    COPY(DriverCall.COPY_ON_DEVICE_ASYNC) {
      @Override
      void make(DeviceArray<int[]> other, DeviceStream stream) {
        other.copy(stream);
      }
    };

    private final DriverCall filling;

    Making(DriverCall filling) {
      this.filling = filling;
    }

    abstract void make(DeviceArray<int[]> other, DeviceStream stream);
  }

  @ParameterizedTest
  @EnumSource(Making.class)
  void anArrayThatIsNeitherFilledNorFreedIsFreedByTheNextReap(Making making) {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      DeviceArray<int[]> other = gpu.memory().upload(stream, new int[16]);
      device.failCall(making.filling, 1, 1);
      device.failCall(DriverCall.FREE_ASYNC, 1, 1);
      assertThatThrownBy(() -> making.make(other, stream))
          .isInstanceOf(CudaDriverException.class)
          .hasMessageStartingWith(making.filling.function());
      gpu.memory().reap();
      assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(64);
      other.close();
    }
  }

  /** How a lost array is freed: by a thread of the program in all but the first case. */
  private enum Free {
    BY_THE_THREAD_OF_LOST_ARRAYS(options -> options),
    CHECKED(options -> options.withGuardMemory(true)),
    DIRECT(options -> options.withDirectMemory(true)),
    BY_A_RESOURCE(options -> options.withMemoryResource(ForwardingResource::new));

    private final UnaryOperator<RuntimeOptions> change;

    Free(UnaryOperator<RuntimeOptions> change) {
      this.change = change;
    }
  }

  @ParameterizedTest
  @EnumSource(Free.class)
  void anArrayThatIsLostTogetherWithItsRuntimeIsReportedAndTheRuntimeCollected(Free free)
      throws InterruptedException {
    WeakReference<DeviceRuntime> runtime =
        loseARuntime(free.change.apply(RuntimeOptions.defaults()), true);
    while (log.recordsWith("'lost with its runtime'").isEmpty()) {
      collectOnce();
    }
    awaitCollected(runtime);
  }

  @Test
  void aRuntimeThatIsLostWithoutOpenArraysIsCollected() throws InterruptedException {
    awaitCollected(loseARuntime(RuntimeOptions.defaults(), false));
  }

  @Test
  void aClosedRuntimeWhoseArrayCouldNotBeFreedIsCollected() throws InterruptedException {
    WeakReference<DeviceRuntime> runtime = closeInVain();
    // A record of the simulated device has the device.
    log.records().clear();
    awaitCollected(runtime);
  }

  private static WeakReference<DeviceRuntime> closeInVain() {
    SimulatedDevice refusing = SimulatedDevice.builder().build();
    DeviceRuntime gpu = DeviceRuntime.simulated(refusing);
    gpu.memory().allocate(gpu.streams().acquire(), int[].class, 16);
    for (int call = 1; call <= 4; call++) {
      refusing.failCall(DriverCall.FREE_ASYNC, call, 1);
    }
    assertThatThrownBy(gpu::close).isInstanceOf(CudaDriverException.class);
    return new WeakReference<>(gpu);
  }

  private static WeakReference<DeviceRuntime> loseARuntime(
      RuntimeOptions options, boolean withArray) {
    DeviceRuntime gpu = DeviceRuntime.simulated(SimulatedDevice.builder().build(), options);
    DeviceStream stream = gpu.streams().acquire();
    gpu.memory().allocate(stream, int[].class, 16, "closed").close();
    if (withArray) {
      loseOne(gpu, stream, "lost with its runtime");
    }
    return new WeakReference<>(gpu);
  }

  private static void awaitCollected(WeakReference<DeviceRuntime> runtime)
      throws InterruptedException {
    while (runtime.get() != null) {
      collectOnce();
    }
  }

  private static void collectOnce() throws InterruptedException {
    System.gc();
    Thread.sleep(1);
  }

  @Test
  void aClosedRuntimeIsLeftAlone() {
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 16);
    OpenArrays.Lifetime lifetime = TrackedArray.of(array).lifetime;
    gpu.close();
    long before = device.calls();
    lifetime.lost();
    assertThat(device.calls()).isEqualTo(before);
    assertThat(gpu.memory().statistics().lostArrays()).isZero();
  }
}
