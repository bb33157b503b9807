package dev.streamfence.internal.jfr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.SplitAndRetryException;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.device.StuckRuntime;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryTask;
import dev.streamfence.memory.SpillableArray;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** Programs of a user that make events. */
final class EventPrograms {
  private static final int INVALID_VALUE = 1;
  private static final int ILLEGAL_ADDRESS = 700;

  private EventPrograms() {}

  /** A program that makes an event, which is not that of a shortage of staging memory. */
  static Runnable of(String event) {
    return switch (event) {
      case "DeviceTime" -> () -> twoStreams(RuntimeOptions.defaults().withDeviceTimes(true));
      case "Reclaim" -> EventPrograms::reclaim;
      case "GraphRecording" -> EventPrograms::graphRecording;
      case "DeviceFault" -> EventPrograms::fault;
      case "OverdueWork" -> EventPrograms::overdueWork;
      case "MemoryWait", "Spill", "SpillReturn" -> EventPrograms::spill;
      case "LockWait" -> EventPrograms::lockWait;
      default -> () -> twoStreams(RuntimeOptions.defaults());
    };
  }

  static void twoStreams(RuntimeOptions options) {
    twoStreams(options, 2);
  }

  static void twoStreams(RuntimeOptions options, int n) {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(SimulatedDevice.builder().build(), options);
        DeviceStream a = gpu.streams().acquire();
        DeviceStream b = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[n], "keys\tof\nrows")) {
      VectorKernels.on(a).increment(x, n);
      VectorKernels.on(b).increment(x, n);
      x.download(b);
      gpu.synchronize();
    }
  }

  static void fault() {
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    DeviceStream a = gpu.streams().acquire();
    DeviceStream b = gpu.streams().acquire();
    DeviceArray<int[]> x = gpu.memory().upload(a, new int[4]);
    VectorKernels.on(a).increment(x, 4);
    VectorKernels.on(b).increment(x, 4);
    device.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, ILLEGAL_ADDRESS);
    assertThatThrownBy(a::synchronize).isInstanceOf(CudaDriverException.class);
    gpu.close();
  }

  static void reclaim() {
    RuntimeOptions options =
        RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(1 << 10));
    SimulatedDevice device = SimulatedDevice.builder().build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device, options);
        DeviceStream a = gpu.streams().acquire()) {
      device.failCall(DriverCall.ALLOCATE_ASYNC, 1, INVALID_VALUE);
      assertThatThrownBy(() -> gpu.memory().allocate(a, byte[].class, 1000))
          .isInstanceOf(CudaDriverException.class);
      gpu.memory().allocate(a, byte[].class, 1 << 10).close();
      gpu.memory().allocate(a, byte[].class, 1 << 10).close();
    }
  }

  static void spill() {
    RuntimeOptions options = RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(100));
    try (DeviceRuntime gpu = DeviceRuntime.simulated(SimulatedDevice.builder().build(), options);
        DeviceStream a = gpu.streams().acquire();
        MemoryTask task = gpu.memory().task();
        DeviceArray<byte[]> own = gpu.memory().allocate(a, byte[].class, 60)) {
      assertThatThrownBy(() -> gpu.memory().allocate(a, byte[].class, 50, "keys"))
          .isInstanceOf(SplitAndRetryException.class);
      assertThat(task.heldBytes()).isEqualTo(own.length());
      try (SpillableArray<byte[]> idle =
          gpu.memory().spillable(gpu.memory().allocate(a, byte[].class, 10, "idle"))) {
        gpu.memory().allocate(a, byte[].class, 40).close();
        idle.use(a).close();
      }
    }
  }

  static void lockWait() {
    CountDownLatch launching = new CountDownLatch(1);
    try (DeviceRuntime gpu =
            RuntimeOverDriver.open(
                InterceptedDriver.of(
                    Inside.open(SimulatedDevice.builder().build()),
                    (method, call) -> {
                      if (method.equals("launchKernel") && launching.getCount() > 0) {
                        launching.countDown();
                        Thread.sleep(50);
                      }
                      return call.proceed();
                    }),
                RuntimeOptions.defaults());
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4])) {
      CompletableFuture<Void> first =
          CompletableFuture.runAsync(() -> VectorKernels.on(a).increment(x, 4));
      launching.await();
      VectorKernels.on(a).increment(x, 4);
      first.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static void overdueWork() {
    AtomicBoolean isStuck = new AtomicBoolean();
    try (DeviceRuntime gpu = StuckRuntime.open(isStuck, Duration.ofMillis(20));
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4])) {
      VectorKernels kernels = VectorKernels.on(a);
      isStuck.set(true);
      kernels.increment(x, 4);
      Thread.sleep(500);
      isStuck.set(false);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static void graphRecording() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4]);
        KernelGraph step = gpu.graph("step", body -> x.fill(a, 1))) {
      step.launch(a);
    }
  }
}
