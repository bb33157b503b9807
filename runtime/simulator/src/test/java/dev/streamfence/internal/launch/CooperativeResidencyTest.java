package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many blocks fit at the same time depends on their threads and on their shared memory. */
final class CooperativeResidencyTest {
  private static final KernelSignature NUMBER =
      KernelSignature.entry("number").writes("values", int[].class).shape("shape").cooperative();

  /** Of 228 KiB, of which each block has one reserved, for two blocks. */
  private static final int SHARED_BYTES_OF_HALF = 112 << 10;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, 4096);
  private final LaunchRecorder recorder =
      LoadedModule.of(stream, VectorKernels.IMAGE).recorder(NUMBER);

  @AfterEach
  void close() {
    values.close();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private void launch(LaunchShape shape) {
    try (LaunchRecorder open = recorder.begin()) {
      open.array(values).shape(shape).preflight().launch().commit();
    }
  }

  private void assertRefused(LaunchShape shape, int blocks, int allowed) {
    assertThatThrownBy(() -> launch(shape))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "number: %d blocks that run at the same time; the kernel on simulated device allows %d",
            blocks, allowed);
  }

  private long asked() {
    return device.calls(DriverCall.RESIDENT_BLOCKS_PER_MULTIPROCESSOR);
  }

  @Test
  void theOccupancyOfOneShapeIsNotUsedForMoreSharedMemory() {
    launch(LaunchShape.of(32, 4));
    assertRefused(LaunchShape.of(3, 4).withDynamicSharedBytes(SHARED_BYTES_OF_HALF), 3, 2);
    launch(LaunchShape.of(2, 4).withDynamicSharedBytes(SHARED_BYTES_OF_HALF));
    assertThat(asked()).isEqualTo(2);
    launch(LaunchShape.of(32, 4));
    assertThat(asked()).isEqualTo(3);
  }

  @Test
  void theOccupancyOfOneShapeIsNotUsedForMoreThreads() {
    launch(LaunchShape.of(32, 4));
    assertRefused(LaunchShape.of(3, 1024), 3, 2);
    launch(LaunchShape.of(2, 1024));
    assertThat(asked()).isEqualTo(2);
  }

  @Test
  void blocksOfTheSameNumberOfThreadsHaveTheSameOccupancy() {
    launch(new LaunchShape(2, 2, 2, 4, 2, 2, 0));
    launch(new LaunchShape(8, 1, 1, 2, 2, 4, 0));
    assertThat(asked()).isEqualTo(1);
    assertRefused(new LaunchShape(4, 3, 3, 4, 2, 2, 0), 36, 32);
  }

  @Test
  void everyMultiprocessorHoldsTheSameNumberOfBlocks() {
    SimulatedDevice three = SimulatedDevice.builder().multiprocessors(3).build();
    try (DeviceRuntime larger = DeviceRuntime.simulated(three);
        DeviceStream on = larger.streams().acquire();
        DeviceArray<int[]> array = larger.memory().allocate(on, int[].class, 4096)) {
      LaunchRecorder number = LoadedModule.of(on, VectorKernels.IMAGE).recorder(NUMBER);
      try (LaunchRecorder open = number.begin()) {
        open.array(array).shape(LaunchShape.of(97, 4));
        assertThatThrownBy(open::preflight)
            .hasMessageContaining("97 blocks")
            .hasMessageContaining("96");
      }
      try (LaunchRecorder open = number.begin()) {
        open.array(array).shape(LaunchShape.of(96, 4)).preflight().launch().commit();
      }
    }
  }
}
