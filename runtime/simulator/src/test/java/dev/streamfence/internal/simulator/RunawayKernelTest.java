package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Kernels that never end, in each thread that a schedule may run them in. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RunawayKernelTest {
  private static final String ENDLESS =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry endless()
      {
        .loc 1 3 0
        AGAIN: bra AGAIN;
      }
      .file 1 "endless.cu"
      """;

  @AfterEach
  void noTestLeavesAnInterruption() {
    assertThat(Thread.interrupted()).isFalse();
  }

  private static void launchEndless(DeviceStream stream) {
    KernelImage image = KernelImage.of("endless.ptx", ENDLESS.getBytes(StandardCharsets.US_ASCII));
    KernelSignature signature = KernelSignature.entry("endless").shape("shape");
    try (LaunchRecorder recorder = LoadedModule.of(stream, image).recorder(signature).begin()) {
      recorder.shape(LaunchShape.of(3, 256)).preflight().launch().commit();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anEndlessKernelEndsAtTheBudgetOfItsLaunchAndIsNamed(Schedule schedule) {
    SimulatedDevice device =
        SimulatedDevice.builder().schedule(schedule).instructionsPerLaunch(1_000_000).build();
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    DeviceStream stream = gpu.streams().acquire();
    CudaDriverException lost =
        catchThrowableOfType(
            CudaDriverException.class,
            () -> {
              launchEndless(stream);
              stream.synchronize();
            });

    assertThat(lost.code()).isEqualTo(ResultCode.LAUNCH_TIMEOUT);
    assertThat(lost)
        .hasMessageContaining("endless")
        .hasMessageContaining("block (0, 0, 0)")
        .hasMessageContaining("1000000 instructions")
        .hasMessageContaining("(bra in line 7 of endless.ptx, endless.cu:3)")
        .hasMessageContaining("instructionsPerLaunch");
    gpu.close();
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptedThreadEndsItsKernelAndTheDeviceAndStaysInterrupted(Schedule schedule) {
    SimulatedDevice device = SimulatedDevice.builder().schedule(schedule).build();
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    DeviceStream stream = gpu.streams().acquire();
    Thread.currentThread().interrupt();
    CudaDriverException lost =
        catchThrowableOfType(
            CudaDriverException.class,
            () -> {
              launchEndless(stream);
              stream.synchronize();
            });

    assertThat(Thread.interrupted()).as("the thread is still interrupted").isTrue();
    assertThat(lost.code()).isEqualTo(ResultCode.LAUNCH_TIMEOUT);
    assertThat(lost)
        .hasMessageContaining("endless")
        .hasMessageContaining("'" + Thread.currentThread().getName() + "'")
        .hasMessageContaining("interrupted");
    assertThatThrownBy(stream::synchronize).isInstanceOf(CudaDriverException.class);
    gpu.close();
  }

  @Test
  void aThreadThatWaitsForAnotherThreadsKernelRunsAndEndsIt() throws Exception {
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    DeviceStream stream = gpu.streams().acquire();
    launchEndless(stream);
    CudaDriverException[] lost = new CudaDriverException[1];
    boolean[] stillInterrupted = new boolean[1];
    Thread waiter =
        new Thread(
            () -> {
              lost[0] = catchThrowableOfType(CudaDriverException.class, stream::synchronize);
              stillInterrupted[0] = Thread.interrupted();
            },
            "the waiter");
    waiter.start();
    waiter.interrupt();
    waiter.join();

    assertThat(lost[0]).hasMessageContaining("'the waiter'");
    assertThat(stillInterrupted[0]).isTrue();
    gpu.close();
  }

  @Test
  void anInterruptedThreadEndsTheKernelThatAnotherThreadRuns() throws Exception {
    SimulatedDevice device = SimulatedDevice.builder().build();
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    DeviceStream stream = gpu.streams().acquire();
    DeviceStream other = gpu.streams().acquire();
    Thread runner = new Thread(() -> launchEndless(stream), "the runner");
    runner.start();
    CudaDriverException[] lost = new CudaDriverException[1];
    boolean[] stillInterrupted = new boolean[1];
    Thread waiter =
        new Thread(
            () -> {
              while (lost[0] == null) {
                lost[0] = catchThrowableOfType(CudaDriverException.class, gpu::synchronize);
              }
              stillInterrupted[0] = Thread.interrupted();
            },
            "the waiter");
    waiter.start();
    // Once it waits within the simulated device, the runner has begun.
    while (waiter.getState() != Thread.State.BLOCKED) {
      Thread.onSpinWait();
    }
    waiter.interrupt();
    waiter.join();
    runner.join();

    assertThat(lost[0])
        .hasMessageStartingWith("kernel endless on stream 1")
        .hasMessageContaining("'the waiter', which waits for the launch, was interrupted")
        .hasMessageContaining("endless.cu:3");
    assertThat(stillInterrupted[0]).isTrue();
    other.close();
    gpu.close();
  }

  @Test
  void aThreadInterruptedBesideAShortKernelEndsNothing() throws Exception {
    SimulatedDevice device = SimulatedDevice.builder().build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      Thread interrupted =
          new Thread(
              () -> {
                Thread.currentThread().interrupt();
                for (int i = 0; i < 200; i++) {
                  stream.isIdle();
                }
              });
      interrupted.start();
      try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(stream, int[].class, 8)) {
        VectorKernels kernels = VectorKernels.on(stream);
        for (int i = 0; i < 200; i++) {
          kernels.increment(values, 8);
        }
        assertThat(values.download(stream)).containsOnly(200);
      }
      interrupted.join();
    }
  }

  @Test
  void anInterruptedThreadRunsShortKernelsToTheirEnd() {
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      Thread.currentThread().interrupt();
      try (DeviceArray<int[]> values = gpu.memory().allocateZeroed(stream, int[].class, 8)) {
        assertThat(values.download(stream)).containsOnly(0);
      }
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aBudgetOfNoInstructionsIsRefused() {
    assertThatThrownBy(() -> SimulatedDevice.builder().instructionsPerLaunch(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 instructions");
  }
}
