package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceHealth;
import dev.streamfence.DeviceHealth.OverdueWork;
import dev.streamfence.DeviceHealth.State;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.Undeclared;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Whether a device can be used, and work that takes too long. */
final class HealthTest {
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int INVALID_VALUE = 1;

  @Test
  void aDeviceWithWorkIsHealthyAndTheCheckDoesNotWait() {
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4])) {
      VectorKernels.on(a).increment(x, 4);
      assertThat(gpu.health()).isEqualTo(new DeviceHealth(State.HEALTHY, null, List.of()));
      assertThat(gpu.health().isHealthy()).isTrue();
      assertThat(device.calls(DriverCall.SYNCHRONIZE_STREAM)).isZero();
    }
  }

  @Test
  void theCheckFindsAFaultThatNoOperationHasMet() {
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    DeviceStream a = gpu.streams().acquire();
    DeviceArray<int[]> x = gpu.memory().upload(a, new int[4]);
    VectorKernels.on(a).increment(x, 4);
    device.failCall(DriverCall.IS_STREAM_IDLE, 1, ILLEGAL_ADDRESS);
    DeviceHealth health = gpu.health();
    assertThat(health.state()).isEqualTo(State.LOST);
    assertThat(health.fault().codeName()).isEqualTo("CUDA_ERROR_ILLEGAL_ADDRESS");
    assertThat(health.fault().outstanding().get(0)).startsWith("increment on stream 1");
    assertThat(gpu.health().state()).isEqualTo(State.LOST);
    try {
      gpu.close();
    } catch (CudaDriverException e) {
      assertThat(e.code()).isEqualTo(ILLEGAL_ADDRESS);
    }
    assertThat(gpu.health().state()).isEqualTo(State.CLOSED);
  }

  @Test
  void afterAFaultANewSimulatedDeviceCanBeOpened() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    DeviceRuntime lost = DeviceRuntime.simulated(device);
    device.failCall(DriverCall.MEMORY_INFO, 1, ILLEGAL_ADDRESS);
    assertThat(lost.health().state()).isEqualTo(State.LOST);
    try {
      lost.close();
    } catch (CudaDriverException e) {
      assertThat(e.code()).isEqualTo(ILLEGAL_ADDRESS);
    }
    try (DeviceRuntime next = DeviceRuntime.simulated();
        DeviceStream stream = next.streams().acquire();
        DeviceArray<int[]> x = next.memory().upload(stream, new int[] {7})) {
      assertThat(x.download(stream)).containsExactly(7);
      assertThat(next.health().isHealthy()).isTrue();
    }
  }

  @Test
  void aQuestionThatFailsIsReportedAndNotThrown() {
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4])) {
      VectorKernels.on(a).increment(x, 4);
      device.failCall(DriverCall.IS_STREAM_IDLE, 1, INVALID_VALUE);
      assertThat(gpu.health().fault().code()).isEqualTo(INVALID_VALUE);
      assertThat(gpu.health().state()).isEqualTo(State.HEALTHY);
    }
  }

  @Test
  void theFailureOfAQuestionAboutNoWorkSaysWhatItWasFor() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      device.failCall(DriverCall.MEMORY_INFO, 1, INVALID_VALUE);
      assertThat(gpu.health().fault().purpose()).isEqualTo("asking for the health of " + gpu);
    }
  }

  private static void awaitMessage(RuntimeLog log) throws InterruptedException {
    for (int i = 0; i < 1000 && log.records().isEmpty(); i++) {
      Thread.sleep(10);
    }
    assertThat(log.messages()).hasSize(1);
  }

  @Test
  void workThatRunsLongerThanTheLimitIsReportedOnceByName() throws InterruptedException {
    AtomicBoolean isStuck = new AtomicBoolean();
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.WATCHDOG);
        DeviceRuntime gpu = StuckRuntime.open(isStuck, Duration.ofMillis(20));
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4])) {
      VectorKernels kernels = VectorKernels.on(a);
      assertThat(gpu.health().isHealthy()).isTrue();
      isStuck.set(true);
      kernels.increment(x, 4);
      awaitMessage(log);
      assertThat(log.messages().get(0)).startsWith("increment on stream 1 (ticket 3) of ");
      assertThat(gpu.health().state()).isEqualTo(State.OVERDUE);
      assertThat(gpu.health().overdue().get(0).work()).startsWith("increment on stream 1");
      assertThat(gpu.health().overdue().get(0).running()).isGreaterThan(Duration.ofMillis(20));
      Thread.sleep(100);
      assertThat(log.messages()).hasSize(1);
      isStuck.set(false);
      assertThat(gpu.health().isHealthy()).isTrue();
    }
  }

  @Test
  void aCheckThatSeesTheWorkFirstDoesNotSilenceTheWatchdog() throws InterruptedException {
    AtomicBoolean isStuck = new AtomicBoolean();
    try (RuntimeLog log = RuntimeLog.listenTo(LogTopic.WATCHDOG);
        DeviceRuntime gpu = StuckRuntime.open(isStuck, Duration.ofMillis(200));
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4])) {
      VectorKernels kernels = VectorKernels.on(a);
      isStuck.set(true);
      kernels.increment(x, 4);
      while (gpu.health().isHealthy()) {
        Thread.onSpinWait();
      }
      assertThat(gpu.health().state()).isEqualTo(State.OVERDUE);
      awaitMessage(log);
      isStuck.set(false);
    }
  }

  @Test
  void aLookOrReportThatFailsDoesNotKeepBackTheOthers() throws InterruptedException {
    OverdueWork first = new OverdueWork("first", Duration.ofMillis(20));
    OverdueWork second = new OverdueWork("second", Duration.ofMillis(20));
    CountDownLatch reported = new CountDownLatch(1);
    AtomicBoolean isFirstLook = new AtomicBoolean(true);
    Watchdog watchdog =
        new Watchdog(
            "watchdog",
            Duration.ofMillis(20),
            () -> {
              if (isFirstLook.getAndSet(false)) {
                throw Undeclared.thrown(new IOException("a first look"));
              }
              return List.of(first, second);
            },
            work -> {
              if (work == first) {
                throw Undeclared.thrown(new IOException("a handler of the log"));
              }
              reported.countDown();
            });
    watchdog.start();
    assertThat(reported.await(10, TimeUnit.SECONDS)).isTrue();
    watchdog.close();
  }

  @Test
  void aLimitThatIsNotPositiveIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RuntimeOptions.defaults().withWatchdog(Duration.ZERO))
        .withMessageContaining("positive");
  }
}
