package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Views: arrays over some elements of another one, which are ordered with it. */
final class ArrayViewsTest {
  private static final int N = 64;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final VectorKernels onA = VectorKernels.on(a);
  private final VectorKernels onB = VectorKernels.on(b);

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aViewIsAWindowOnTheSameMemory() {
    DeviceArray<int[]> array = gpu.memory().upload(a, new int[N]);
    DeviceArray<int[]> view = array.view(10, 20);
    assertThat(view.length()).isEqualTo(20);
    assertThat(view.sizeInBytes()).isEqualTo(80);
    assertThat(view.elementType()).isEqualTo(array.elementType());
    assertThat(view.runtime()).isSameAs(gpu);
    assertThat(view).hasToString("int[20] in bytes 40 to 119 of " + Inside.allocation(array));
    view.fill(a, 7);
    view.view(1, 2).fill(a, 9);
    int[] seen = array.download(a);
    assertThat(seen[9]).isZero();
    assertThat(seen[10]).isEqualTo(7);
    assertThat(seen[11]).isEqualTo(9);
    assertThat(seen[12]).isEqualTo(9);
    assertThat(seen[29]).isEqualTo(7);
    assertThat(seen[30]).isZero();
    assertThat(view.copy(b).download(b)).hasSize(20).startsWith(7, 9, 9, 7);
  }

  @Test
  void aKernelTakesAViewLikeAnArray() {
    DeviceArray<int[]> array = gpu.memory().upload(a, new int[N]);
    onA.increment(array.view(16, 8), 8);
    int[] seen = array.download(b);
    assertThat(seen[15]).isZero();
    assertThat(seen[16]).isEqualTo(1);
    assertThat(seen[23]).isEqualTo(1);
    assertThat(seen[24]).isZero();
  }

  @Test
  void aKernelThatLeavesTheViewIsFoundThoughItStaysInTheArray() {
    DeviceRuntime other =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(), RuntimeOptions.defaults().withBoundsChecks(false));
    DeviceStream stream = other.streams().acquire();
    DeviceArray<int[]> array = other.memory().upload(stream, new int[N]);
    VectorKernels.on(stream).increment(array.view(16, 8), 9);
    assertThatThrownBy(stream::synchronize)
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("outside of parameter 'values', which has 32 bytes");
    other.close();
  }

  @Test
  void viewsOfOneArrayAreOrderedWithEachOther() {
    DeviceArray<int[]> array = gpu.memory().upload(a, new int[N]);
    a.synchronize();
    long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
    onA.increment(array.view(0, 32), 32);
    onB.increment(array.view(32, 32), 32);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits + 1);
    onA.increment(array, N);
    gpu.synchronize();
    assertThat(array.download(a)).containsOnly(2);
    assertThat(device.findings()).isEmpty();
  }

  @Test
  void oneLaunchWritesAndReadsViewsThatHaveNothingInCommon() {
    DeviceArray<float[]> array = gpu.memory().upload(a, new float[N]);
    array.view(0, 32).fill(a, 3.0);
    onA.saxpy(2f, array.view(0, 32), array.view(32, 32), 32);
    assertThat(array.download(a, 31, 2)).containsExactly(3f, 6f);
  }

  @Test
  void overlappingViewsAreRefusedWithBothRanges() {
    DeviceArray<float[]> array = gpu.memory().upload(a, new float[N]);
    long calls = device.calls();
    assertThatThrownBy(() -> onA.saxpy(2f, array.view(0, 33), array.view(32, 32), 32))
        .satisfies(misuse(Misuse.ALIAS))
        .hasMessageContaining("parameter 'y'")
        .hasMessageContaining("bytes 128 to 255")
        .hasMessageContaining("overlaps parameter 'x'")
        .hasMessageContaining("bytes 0 to 131")
        .hasMessageContaining("mayAlias");
    assertThatThrownBy(() -> onA.saxpy(2f, array, array.view(32, 32), 32))
        .isInstanceOf(StreamMisuseException.class);
    assertThat(device.calls()).isEqualTo(calls);
  }

  @Test
  void aViewOwnsNothing() {
    DeviceArray<int[]> array = gpu.memory().upload(a, new int[N]);
    DeviceArray<int[]> view = array.view(0, 8);
    view.close();
    assertThat(view.isOpen()).isTrue();
    assertThat(array.isOpen()).isTrue();
    array.close();
    assertThat(view.isOpen()).isFalse();
    assertThatThrownBy(() -> view.download(a)).isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(() -> onA.increment(view, 8))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("parameter 'values'");
    assertThatThrownBy(() -> view.view(0, 1)).isInstanceOf(UseAfterFreeException.class);
  }

  @Test
  void aViewOfAnArrayThatWasHandedOverIsRefusedWithItsHeir() {
    DeviceArray<int[]> array = gpu.memory().upload(a, new int[N]);
    DeviceArray<int[]> view = array.view(0, 8);
    DeviceArray<byte[]> heir = array.reinterpret(byte[].class);
    assertThatThrownBy(() -> view.fill(a, 1))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("handed over to byte[256]");
    heir.close();
  }

  @Test
  void anEmptyViewIsLikeAnEmptyArray() {
    DeviceArray<int[]> array = gpu.memory().upload(a, new int[N]);
    DeviceArray<int[]> view = array.view(N, 0);
    long calls = device.calls();
    onA.increment(view, 0);
    view.fill(a, 1);
    assertThat(view.download(a)).isEmpty();
    assertThat(view.view(0, 0).length()).isZero();
    assertThat(device.calls()).isEqualTo(calls);
    assertThatIllegalArgumentException().isThrownBy(() -> view.view(0, 1));
  }

  @Test
  void anEmptyViewEndsWithItsArray() {
    DeviceArray<int[]> array = gpu.memory().upload(a, new int[N]);
    DeviceArray<int[]> view = array.view(N, 0);
    array.close();
    assertThat(view.isOpen()).isFalse();
    assertThatThrownBy(() -> view.fill(a, 1)).isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(() -> view.download(a)).isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(() -> onA.increment(view, 0))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("parameter 'values'");
    assertThatThrownBy(() -> array.upload(a, 0, new int[0], 0, 0))
        .isInstanceOf(UseAfterFreeException.class);
  }

  @Test
  void aViewIsReinterpretedAsAViewWhereItsBytesAllowThat() {
    DeviceArray<int[]> array = gpu.memory().upload(a, new int[] {1, 2, 3, 4, 5});
    DeviceArray<byte[]> bytes = array.view(1, 2).reinterpret(byte[].class);
    assertThat(bytes.download(a)).containsExactly(2, 0, 0, 0, 3, 0, 0, 0);
    assertThat(array.isOpen()).isTrue();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> array.view(1, 2).reinterpret(long[].class))
        .withMessageContaining("begins at byte 4");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> array.view(0, 3).reinterpret(long[].class))
        .withMessageContaining("not a multiple of the 8 bytes of a long");
    assertThat(array.view(2, 2).reinterpret(long[].class).length()).isEqualTo(1);
  }

  @Test
  void aViewKeepsItsArrayFromTheCollector() {
    DeviceArray<int[]> view = gpu.memory().upload(a, new int[N]).view(0, 8);
    for (int i = 0; i < 5; i++) {
      System.gc();
      gpu.memory().reap();
    }
    assertThat(view.download(a)).hasSize(8);
    assertThat(gpu.memory().statistics().lostArrays()).isZero();
  }
}
