package dev.streamfence.internal.device;

import static dev.streamfence.internal.order.Misuses.misuse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.internal.launch.TableKernels;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory that must not be written, however its array is declared. */
final class ReadOnlyMemoryTest {
  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final VectorKernels onA = VectorKernels.on(a);
  private final DeviceArray<int[]> array = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
  private final DeviceArray<int[]> other = gpu.memory().upload(a, new int[] {5, 6, 7, 8});

  @BeforeEach
  void makeReadOnly() {
    Inside.allocation(array).hazards().refuseWrites();
  }

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  private void isRefused(ThrowingCallable use, String culprit) {
    long calls = device.calls();
    int pending = Inside.allocation(array).hazards().size();
    assertThatThrownBy(use)
        .isInstanceOf(StreamMisuseException.class)
        .hasMessage(
            culprit
                + " writes "
                + Inside.allocation(array)
                + ", which is read-only; write a copy of it instead");
    assertThat(device.calls()).isEqualTo(calls);
    assertThat(Inside.allocation(array).hazards().size()).isEqualTo(pending);
    assertThat(array.download(b)).containsExactly(1, 2, 3, 4);
  }

  @Test
  void aKernelThatReadsItIsLaunched() {
    DeviceArray<int[]> sum = gpu.memory().allocate(b, int[].class, 4);
    VectorKernels.on(b).add(array, array.view(0, 4), sum, 4);
    assertThat(sum.download(a)).containsExactly(2, 4, 6, 8);
  }

  @Test
  void aKernelThatWritesItIsRefusedWithItsParameter() {
    isRefused(() -> onA.increment(array, 4), "increment: parameter 'values'");
  }

  @Test
  void theParameterThatWritesIsNamedAlsoIfAnotherOneReads() {
    isRefused(() -> onA.add(array, other, array, 4), "add: parameter 'sum'");
  }

  @Test
  void anArrayOfATableIsRefusedWithItsIndex() {
    TableKernels tables = TableKernels.on(a);
    // The first table of a stream takes memory for all of them.
    tables.bump(List.of(other), 4);
    isRefused(() -> tables.bump(List.of(other, array), 4), "bump: parameter 'columns[1]'");
  }

  @Test
  void uploadsFillsAndCopiesToItAreRefused() {
    String onStream = " of 16 bytes on " + Inside.timeline(a);
    isRefused(() -> array.upload(a, new int[4]), "upload" + onStream);
    isRefused(() -> array.fill(a, 1), "fill" + onStream);
    isRefused(() -> array.copyFrom(a, other), "copy" + onStream);
    try (PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 4)) {
      isRefused(() -> array.upload(a, host), "upload" + onStream);
    }
  }

  @Test
  void viewsPartsAndHeirsOfItAreRefusedAsWell() {
    String fill = "fill of 8 bytes on " + Inside.timeline(a);
    isRefused(() -> array.view(2, 2).fill(a, 1), fill);
    try (DeviceParts<int[]> halves = array.split(2)) {
      DeviceArray<int[]> half = halves.get(0);
      assertThatThrownBy(() -> half.fill(a, 1)).satisfies(misuse(Misuse.READ_ONLY));
      assertThat(half.download(b)).containsExactly(1, 2);
    }
    isRefused(() -> array.fill(a, 0, 2, 1), fill);
    DeviceArray<byte[]> bytes = array.reinterpret(byte[].class);
    assertThatThrownBy(() -> bytes.fill(a, 1)).satisfies(misuse(Misuse.READ_ONLY));
  }

  @Test
  void aCopyOfItCanBeWritten() {
    DeviceArray<int[]> copy = array.copy(b);
    onA.increment(copy, 4);
    assertThat(copy.download(b)).containsExactly(2, 3, 4, 5);
  }

  @Test
  void itIsFreedLikeAnyMemory() {
    long frees = device.calls(DriverCall.FREE_ASYNC);
    array.close();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(frees + 1);
    assertThat(array.isOpen()).isFalse();
  }

  @Test
  void aRefusedLaunchLeavesTheStreamUsable() {
    assertThatThrownBy(() -> onA.increment(array, 4)).isInstanceOf(StreamMisuseException.class);
    onA.increment(other, 4);
    assertThat(other.download(b)).containsExactly(6, 7, 8, 9);
  }
}
