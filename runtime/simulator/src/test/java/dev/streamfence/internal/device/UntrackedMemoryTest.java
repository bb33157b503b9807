package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.internal.memory.UntrackingResource;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory of a resource that does not wait for the uses of an allocation. */
final class UntrackedMemoryTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu =
      Opening.of(Inside.open(device), true, RuntimeOptions.defaults())
          .withBackend(UntrackingResource::new)
          .open();
  private final DeviceStream stream = gpu.streams().acquire();
  private final VectorKernels kernels = VectorKernels.on(stream);
  private final DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 4);

  @AfterEach
  void close() {
    array.close();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private void assertRefusedWithNothingQueued(Runnable use) {
    long before = device.calls();
    assertThatThrownBy(use::run)
        .satisfies(misuse(Misuse.UNTRACKED))
        .hasMessageContaining("does not track");
    assertThat(device.calls()).isEqualTo(before);
    assertThat(array.isOpen()).isTrue();
    assertThat(gpu.memory().bytesOutstanding()).isEqualTo(16);
  }

  @Test
  void aStrictLaunchRefusesUntrackedMemory() {
    assertRefusedWithNothingQueued(() -> kernels.increment(array, 4));
  }

  @Test
  void fillsAndCopiesRefuseUntrackedMemory() {
    try (DeviceArray<int[]> other = gpu.memory().allocate(stream, int[].class, 4)) {
      assertThatThrownBy(() -> array.copyFrom(stream, other))
          .isInstanceOf(StreamMisuseException.class);
    }
    assertRefusedWithNothingQueued(() -> array.fill(stream, 1));
    assertRefusedWithNothingQueued(() -> array.upload(stream, new int[4]));
    assertRefusedWithNothingQueued(() -> array.download(stream));
  }

  @Test
  void aPartOfUntrackedMemoryIsRefusedLikeTheWhole() {
    try (DeviceParts<int[]> parts = array.split(1)) {
      DeviceArray<int[]> part = parts.get(1);
      assertRefusedWithNothingQueued(() -> kernels.increment(part, 3));
      assertRefusedWithNothingQueued(() -> part.fill(stream, 1));
      assertRefusedWithNothingQueued(() -> part.download(stream));
    }
  }

  @Test
  void theStreamIsUsableAfterARefusal() {
    assertRefusedWithNothingQueued(() -> kernels.increment(array, 4));
    stream.synchronize();
    assertThat(stream.isIdle()).isTrue();
  }
}
