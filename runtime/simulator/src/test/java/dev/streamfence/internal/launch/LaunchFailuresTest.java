package dev.streamfence.internal.launch;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfBoundsException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Test;

/** Launches that the driver refuses, and kernels that fail. */
final class LaunchFailuresTest extends OneStream {
  /** The device is to see the accesses that a launch would refuse. */
  @Override
  RuntimeOptions options() {
    return RuntimeOptions.defaults().withBoundsChecks(false);
  }

  @Test
  void aLaunchThatTheDriverRefusesNamesKernelAndStream() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1})) {
      device.failCall(DriverCall.LAUNCH_KERNEL, 1, 701);
      assertThatThrownBy(() -> kernels.increment(values, 1))
          .isInstanceOfSatisfying(
              CudaDriverException.class,
              e -> {
                assertThat(e.call()).isEqualTo("cuLaunchKernel");
                assertThat(e.code()).isEqualTo(701);
                assertThat(e.purpose()).contains("increment on stream 1");
              });
      assertThat(gpu.statistics().abandonedLaunches()).isZero();
      kernels.increment(values, 1);
      assertThat(values.download(stream)).containsExactly(2);
    }
  }

  @Test
  void aLaunchThatFailedIsNotCommitted() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[] {1});
        LaunchRecorder recorder = VectorKernels.incrementOn(stream)) {
      recorder.begin().array(values).threads(1).preflight();
      device.failCall(DriverCall.LAUNCH_KERNEL, 1, 701);
      assertThatThrownBy(recorder::launch).isInstanceOf(CudaDriverException.class);
      assertThatThrownBy(recorder::commit).satisfies(misuse(Misuse.WRONG_STEP));
    }
    assertThat(gpu.statistics().abandonedLaunches()).isZero();
  }

  @Test
  void anAccessOutsideEveryAllocationNamesKernelThreadAndAddressAndLosesTheDevice() {
    DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, 128);
    kernels.overrun(values, 128);
    assertThatThrownBy(stream::synchronize)
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> {
              assertThat(e.codeName()).isEqualTo("CUDA_ERROR_ILLEGAL_ADDRESS");
              assertThat(e.getCause())
                  .isInstanceOfSatisfying(
                      OutOfBoundsException.class,
                      cause -> {
                        assertThat(cause.kernel()).isEqualTo("overrun");
                        assertThat(cause.thread())
                            .contains("block (4, 0, 0)")
                            .contains("thread (0, 0, 0)");
                        assertThat(cause.address())
                            .isEqualTo(Inside.allocation(values).address() + 512);
                      });
            });
    assertThatThrownBy(() -> kernels.increment(values, 1))
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.code()).isEqualTo(700));
    values.close();
    gpu.close();
  }

  @Test
  void aSynchronousLaunchThrowsItsOwnFault() {
    try (DeviceRuntime debugged =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().schedule(Schedule.LAZY).build(),
            RuntimeOptions.defaults().withSynchronousLaunches(true).withBoundsChecks(false))) {
      DeviceStream on = debugged.streams().acquire();
      VectorKernels launched = VectorKernels.on(on);
      DeviceArray<int[]> values = debugged.memory().allocateZeroed(on, int[].class, 128);
      launched.increment(values, 128);
      assertThatThrownBy(() -> launched.overrun(values, 128))
          .isInstanceOfSatisfying(
              CudaDriverException.class,
              e -> {
                assertThat(e.code()).isEqualTo(700);
                assertThat(e.outstanding()).singleElement().asString().startsWith("overrun on");
              });
      values.close();
    }
  }
}
