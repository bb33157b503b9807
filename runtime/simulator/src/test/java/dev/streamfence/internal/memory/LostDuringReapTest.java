package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Test;

/** A reap that finds the device lost: its bytes no longer count. */
final class LostDuringReapTest {
  private static final int ILLEGAL_ADDRESS = 700;
  private static final int BYTES = 1024;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();

  private static void freeOne(DeviceRuntime gpu, DeviceStream stream) {
    DeviceArray<byte[]> array = gpu.memory().allocate(stream, byte[].class, BYTES);
    array.fill(stream, 1);
    array.close();
  }

  @Test
  void theFreedBytesOfEveryStreamComeBackTogether() {
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    freeOne(gpu, gpu.streams().acquire());
    freeOne(gpu, gpu.streams().acquire());
    assertThat(gpu.memory().bytesOutstanding()).isEqualTo(2 * BYTES);
    device.failCall(DriverCall.IS_EVENT_COMPLETE, 1, ILLEGAL_ADDRESS);
    assertThat(gpu.memory().reap()).isEqualTo(2 * BYTES);
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    assertThat(gpu.memory().statistics().pendingBytes()).isZero();
    assertThat(gpu.memory().reap()).isZero();
    gpu.close();
  }

  @Test
  void theFreedBytesComeBackWhenTheReapOfGuardedMemoryLosesTheDevice() {
    DeviceRuntime gpu =
        DeviceRuntime.simulated(device, RuntimeOptions.defaults().withGuardMemory(true));
    DeviceStream stream = gpu.streams().acquire();
    freeOne(gpu, stream);
    freeOne(gpu, stream);
    device.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, ILLEGAL_ADDRESS);
    long reaped = 0;
    for (int i = 0; i < 3; i++) {
      reaped += reapQuietly(gpu);
    }
    assertThat(Inside.isLost(gpu)).isTrue();
    assertThat(reaped).isEqualTo(2 * BYTES);
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    gpu.close();
  }

  private static long reapQuietly(DeviceRuntime gpu) {
    try {
      return gpu.memory().reap();
    } catch (CudaDriverException lost) {
      assertThat(lost.code()).isEqualTo(ILLEGAL_ADDRESS);
      return 0;
    }
  }

  /** The allocation that is short of memory waits for a free, and that wait loses the device. */
  @Test
  void anAllocationThatWaitsForTheReapLeavesNothingReserved() {
    DeviceRuntime gpu =
        DeviceRuntime.simulated(
            device, RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(BYTES)));
    DeviceStream stream = gpu.streams().acquire();
    freeOne(gpu, stream);
    device.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, ILLEGAL_ADDRESS);
    device.failCall(DriverCall.SYNCHRONIZE_EVENT, 1, ILLEGAL_ADDRESS);
    assertThatThrownBy(() -> gpu.memory().allocate(stream, byte[].class, BYTES))
        .isInstanceOf(DeviceException.class);
    assertThat(Inside.isLost(gpu)).isTrue();
    assertThat(gpu.memory().statistics().pendingBytes()).isZero();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    gpu.close();
  }
}
