package dev.streamfence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.DriverCall;
import dev.streamfence.driver.InterceptedDriver;
import dev.streamfence.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to an array that becomes unreachable without being closed. */
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
  void itIsReportedWithItsAllocationSiteAndFreed() {
    try (DeviceRuntime gpu =
        DeviceRuntime.simulated(device, RuntimeOptions.defaults().withTraceAllocations(true))) {
      DeviceStream stream = gpu.streams().acquire();
      loseOne(gpu, stream, "forgotten");
      collectUntilLost(gpu, 1);
      while (device.calls(DriverCall.FREE_ASYNC) == 0) {
        Thread.onSpinWait();
      }
      assertThat(log.records()).hasSize(1);
      assertThat(log.messages().get(0)).contains("'forgotten'");
      assertThat(log.records().get(0).getThrown().getStackTrace())
          .anyMatch(frame -> frame.getMethodName().equals("loseOne"));
      stream.synchronize();
    }
  }

  @Test
  void anArrayIsNotLostWhileADriverCallIsAtIt() {
    AtomicReference<@Nullable DeviceRuntime> watched = new AtomicReference<>();
    CudaDriver collecting =
        InterceptedDriver.of(
            device.open(),
            (method, call) -> {
              DeviceRuntime runtime = watched.get();
              if (runtime != null && method.startsWith("fill")) {
                collectGarbage();
                assertThat(runtime.memory().statistics().lostArrays()).isZero();
                watched.set(null);
              }
              return call.proceed();
            });
    DeviceRuntime gpu = RuntimeOverDriver.open(collecting, RuntimeOptions.defaults());
    DeviceStream stream = gpu.streams().acquire();
    // Compiled code forgets an array after its last use; the interpreter would keep it alive.
    try (DeviceArray<int[]> warm = gpu.memory().allocate(stream, int[].class, 4)) {
      for (int i = 0; i < 20_000; i++) {
        warm.fill(stream, i);
      }
      assertThat(warm.isOpen()).isTrue();
    }
    watched.set(gpu);
    fillWhatNobodyElseKnows(gpu, stream);
    assertThat(watched).hasValue(null);
    gpu.close();
  }

  private static void fillWhatNobodyElseKnows(DeviceRuntime gpu, DeviceStream stream) {
    gpu.memory().allocate(stream, int[].class, 4).fill(stream, 1);
  }

  /** Until an object that was garbage before is gone, and the cleaners have had their turn. */
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
    assertThat(log.records())
        .filteredOn(report -> report.getThrown() != null)
        .singleElement()
        .satisfies(
            report -> {
              assertThat(report.getMessage()).contains("'left open'");
              assertThat(report.getThrown().getStackTrace())
                  .anyMatch(frame -> frame.getMethodName().equals("leaveOneOpen"));
            });
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
      OpenArrays.Lifetime lifetime = gpu.memory().arrays().watch(array, array.block());
      device.failCall(DriverCall.FREE_ASYNC, 1, 999);
      lifetime.run();
      assertThat(gpu.memory().statistics().failedFrees()).isEqualTo(1);
      assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(64);
      assertThat(gpu.memory().reap()).isZero();
      assertThat(gpu.memory().statistics().liveBytes()).isZero();
    }
  }

  @Test
  void theCleanerLeavesAClosedRuntimeAlone() {
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 16);
    OpenArrays.Lifetime lifetime = gpu.memory().arrays().watch(array, array.block());
    gpu.close();
    long before = device.calls();
    lifetime.run();
    assertThat(device.calls()).isEqualTo(before);
    assertThat(gpu.memory().statistics().lostArrays()).isZero();
  }

  @Test
  void arraysInUseSurviveAStormOfCollections() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      VectorKernels kernels = VectorKernels.on(stream);
      for (int i = 0; i < 50; i++) {
        if (i % 10 == 0) {
          System.gc();
        }
        DeviceArray<int[]> array = gpu.memory().upload(stream, new int[] {i});
        kernels.increment(array, 1);
        assertThat(array.download(stream)).containsExactly(i + 1);
      }
    }
  }
}
