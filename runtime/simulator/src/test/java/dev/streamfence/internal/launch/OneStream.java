package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/**
 * One stream of a device that runs its work as late as it may, with kernels to launch there. After
 * each test nothing is left on the device.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class OneStream {
  final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  final DeviceRuntime gpu = DeviceRuntime.simulated(device, options());
  final DeviceStream stream = gpu.streams().acquire();
  final VectorKernels kernels = VectorKernels.on(stream);

  RuntimeOptions options() {
    return RuntimeOptions.defaults();
  }

  @AfterEach
  void nothingIsLeft() {
    boolean lost = Inside.isLost(gpu);
    gpu.close();
    // What belongs to a lost context goes with it, and not one by one.
    if (!lost) {
      assertThat(device.liveObjects()).isZero();
    }
  }

  static void refuses(ThrowingCallable argument, String message) {
    assertThatThrownBy(argument).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }
}
