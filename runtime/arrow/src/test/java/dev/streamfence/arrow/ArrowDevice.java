package dev.streamfence.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.simulation.SimulatedDevice;
import org.apache.arrow.memory.AllocationListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A simulated device and an allocator for one test, which leaves no memory in either. */
final class ArrowDevice implements AfterEachCallback {
  final BufferAllocator allocator;
  final SimulatedDevice device = SimulatedDevice.builder().build();
  final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  final DeviceStream stream = gpu.streams().acquire();

  ArrowDevice() {
    this(AllocationListener.NOOP);
  }

  ArrowDevice(AllocationListener listener) {
    allocator = new RootAllocator(listener, Long.MAX_VALUE);
  }

  @Override
  public void afterEach(ExtensionContext test) {
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
    assertThat(allocator.getAllocatedMemory()).isZero();
    allocator.close();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }
}
