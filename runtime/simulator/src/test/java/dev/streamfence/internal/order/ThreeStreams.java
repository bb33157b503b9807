package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/**
 * A simulated device on the most hostile schedule, with three streams. After each test it is
 * closed, and nothing is left on it.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class ThreeStreams {
  static final int N = 4;

  final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();

  /** A launch that leaves its array is how these tests lose the device. */
  final DeviceRuntime gpu =
      DeviceRuntime.simulated(device, RuntimeOptions.defaults().withBoundsChecks(false));

  final DeviceStream a = gpu.streams().acquire();
  final DeviceStream b = gpu.streams().acquire();
  final DeviceStream c = gpu.streams().acquire();
  final VectorKernels onA = VectorKernels.on(a);
  final VectorKernels onB = VectorKernels.on(b);
  final VectorKernels onC = VectorKernels.on(c);

  /** Whether the test has lost the device on purpose. */
  boolean lost;

  @AfterEach
  void close() {
    gpu.close();
    // What belongs to a lost context goes with it, and not one by one.
    if (!lost) {
      assertThat(device.liveObjects()).isZero();
    }
  }

  DeviceArray<int[]> zeros(DeviceStream stream) {
    return gpu.memory().allocateZeroed(stream, int[].class, N);
  }

  long waits() {
    return device.calls(DriverCall.WAIT_FOR_EVENT);
  }

  long records() {
    return device.calls(DriverCall.RECORD_EVENT);
  }
}
