package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.launch.TableKernels;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.ElementType;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.IntBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an array offers where it is only read. */
final class ReadableArraysTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final ReadableArray<int[]> array = gpu.memory().upload(a, new int[] {1, 2, 3, 4});

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void itSaysWhatItIs() {
    assertThat(array.runtime()).isSameAs(gpu);
    assertThat(array.elementType()).isEqualTo(ElementType.INT);
    assertThat(array.length()).isEqualTo(4);
    assertThat(array.sizeInBytes()).isEqualTo(16);
    assertThat(array.isOpen()).isTrue();
  }

  @Test
  void itIsDownloadedLikeAnyArray() {
    IntBuffer buffer = IntBuffer.allocate(2);
    array.download(b, 2, buffer);
    assertThat(buffer.array()).containsExactly(3, 4);
    assertThat(array.download(b)).containsExactly(1, 2, 3, 4);
    assertThat(array.downloadLater(b, 1, 2).value()).containsExactly(2, 3);
    assertThat(DeviceArrays.getInt(array, b, 3)).isEqualTo(4);
  }

  @Test
  void aViewOfItIsReadAsWell() {
    ReadableArray<int[]> tail = array.view(1, 3);
    assertThat(tail.view(1, 1).download(b)).containsExactly(3);
    assertThat(tail.reinterpret(float[].class).length()).isEqualTo(3);
  }

  @Test
  void aCopyOfItCanBeWritten() {
    DeviceArray<int[]> copy = array.copy(b);
    copy.fill(a, 9);
    assertThat(copy.download(a)).containsOnly(9);
    assertThat(array.download(a)).containsExactly(1, 2, 3, 4);
  }

  @Test
  void itIsCopiedToAnArray() {
    DeviceArray<int[]> target = gpu.memory().allocateZeroed(b, int[].class, 4);
    target.copyFrom(b, array);
    assertThat(target.download(a)).containsExactly(1, 2, 3, 4);
    target.copyFrom(b, 0, array.view(2, 2), 0, 2);
    assertThat(target.download(a)).containsExactly(3, 4, 3, 4);
  }

  @Test
  void aKernelReadsIt() {
    DeviceArray<int[]> sum = gpu.memory().allocate(b, int[].class, 3);
    VectorKernels.on(b).add(array.view(0, 3), array.view(1, 3), sum, 3);
    assertThat(sum.download(a)).containsExactly(3, 5, 7);
  }

  @Test
  void aKernelReadsTablesOfThem() {
    ReadableArray<float[]> floats = gpu.memory().upload(a, new float[] {1, 2, 3, 4});
    List<DeviceArray<float[]>> out =
        List.of(
            gpu.memory().allocate(b, float[].class, 2), gpu.memory().allocate(b, float[].class, 2));
    TableKernels kernels = TableKernels.on(b);
    kernels.take(List.of(floats, floats.view(1, 3)), array.view(0, 2), out, 2);
    assertThat(out.get(0).download(a)).containsExactly(2, 3);
    assertThat(out.get(1).download(a)).containsExactly(3, 4);
    DeviceArray<long[]> bytes = gpu.memory().allocate(b, long[].class, 2);
    kernels.firstBytes(new ReadableArray<?>[] {array, array.view(1, 1)}, bytes);
    assertThat(bytes.download(a)).containsExactly(1, 2);
  }

  @Test
  void closingItFreesItsMemory() {
    array.close();
    assertThat(array.isOpen()).isFalse();
    assertThatThrownBy(() -> array.download(a)).isInstanceOf(UseAfterFreeException.class);
    assertThat(gpu.memory().statistics().liveBytes()).isZero();
  }
}
