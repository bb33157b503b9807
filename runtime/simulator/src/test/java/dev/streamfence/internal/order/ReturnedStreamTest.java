package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events are recorded while more than one stream is in use; a returned stream is not in use. */
final class ReturnedStreamTest {
  private static final int N = 4;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream kept = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  /** A launch that no other stream has to wait for. */
  private long recordsOfALaunch(DeviceStream stream) {
    VectorKernels kernels = VectorKernels.on(stream);
    try (DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, N)) {
      long before = device.calls(DriverCall.RECORD_EVENT);
      kernels.increment(values, N);
      return device.calls(DriverCall.RECORD_EVENT) - before;
    }
  }

  @Test
  void aReturnedStreamIsNotInUse() {
    recordsOfALaunch(kept);
    DeviceStream second = gpu.streams().acquire();
    recordsOfALaunch(second);
    assertThat(recordsOfALaunch(kept)).isEqualTo(1);
    second.close();
    assertThat(recordsOfALaunch(kept)).isZero();
  }

  @Test
  void aStreamThatIsLentAgainIsInUseFromItsNextLaunchOn() {
    recordsOfALaunch(kept);
    DeviceStream second = gpu.streams().acquire();
    recordsOfALaunch(second);
    second.close();
    second = gpu.streams().acquire();
    assertThat(recordsOfALaunch(kept)).isZero();
    recordsOfALaunch(second);
    assertThat(recordsOfALaunch(kept)).isEqualTo(1);
    second.close();
  }

  @Test
  void returningAnUnusedStreamChangesNothing() {
    DeviceStream second = gpu.streams().acquire();
    recordsOfALaunch(second);
    recordsOfALaunch(kept);
    gpu.streams().acquire().close();
    assertThat(recordsOfALaunch(kept)).isEqualTo(1);
    second.close();
  }
}
