package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.PinnedArray;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.launch.ElementType;
import dev.streamfence.memory.MemoryStatistics;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class DeviceArrayTest {
  private final SimulatedDevice device =
      SimulatedDevice.builder().schedule(Schedule.LAZY).memoryInBytes(256 << 20).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  @ParameterizedTest
  @MethodSource("dev.streamfence.corpus.HostArrays#ofEveryType")
  void aDownloadReturnsTheUpload(Object host) {
    try (DeviceArray<Object> array = gpu.memory().upload(stream, host)) {
      assertThat(array.length()).isEqualTo(Array.getLength(host));
      assertThat(array.download(stream)).isEqualTo(host);
    }
  }

  @Test
  void reinterpretedAsBytesItIsTheSameMemoryAndIsFreedOnce() {
    DeviceArray<int[]> numbers = gpu.memory().upload(stream, new int[128]);
    numbers.fill(stream, 0x01020304);
    Allocation block = TrackedArray.of(numbers).region().allocation();
    MemoryStatistics before = gpu.memory().statistics();
    long calls = device.calls();

    DeviceArray<byte[]> bytes = numbers.reinterpret(byte[].class);

    assertThat(device.calls()).isEqualTo(calls);
    assertThat(gpu.memory().statistics()).isEqualTo(before);
    assertThat(TrackedArray.of(bytes).region().allocation()).isSameAs(block);
    assertThat(bytes.length()).isEqualTo(512);
    assertThat(bytes.download(stream)).startsWith(4, 3, 2, 1, 4, 3, 2, 1);
    assertThat(numbers.isOpen()).isFalse();
    numbers.close();
    assertThat(bytes.isOpen()).isTrue();
    bytes.close();
    bytes.close();
    stream.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isZero();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
  }

  @Test
  void everyOperationRefusesAReinterpretedArray() {
    DeviceArray<int[]> numbers = gpu.memory().upload(stream, new int[] {1, 2, 3, 4});
    try (DeviceArray<float[]> floats = numbers.reinterpret(float[].class)) {
      assertThatThrownBy(() -> numbers.download(stream)).isInstanceOf(UseAfterFreeException.class);
      assertThatThrownBy(() -> numbers.fill(stream, 1)).isInstanceOf(UseAfterFreeException.class);
      assertThatThrownBy(() -> numbers.reinterpret(byte[].class))
          .isInstanceOf(UseAfterFreeException.class);
      assertThatThrownBy(() -> VectorKernels.on(stream).increment(numbers, 4))
          .isInstanceOf(UseAfterFreeException.class)
          .hasMessageContaining("increment: parameter 'values'");
      assertThat(floats.download(stream)).hasSize(4);
    }
  }

  @Test
  void bytesOfNoWholeNumberOfElementsAreNotReinterpreted() {
    try (DeviceArray<byte[]> bytes = gpu.memory().upload(stream, new byte[7])) {
      assertThatThrownBy(() -> bytes.reinterpret(int[].class))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("7 bytes");
      assertThat(bytes.isOpen()).isTrue();
    }
  }

  @Test
  void anEmptyArrayIsReinterpretedAsAnEmptyOne() {
    DeviceArray<int[]> none = gpu.memory().allocate(stream, int[].class, 0);
    DeviceArray<byte[]> bytes = none.reinterpret(byte[].class);
    assertThat(bytes.length()).isZero();
    assertThat(none.isOpen()).isFalse();
    bytes.close();
  }

  @ParameterizedTest
  @MethodSource("dev.streamfence.corpus.HostArrays#ofEveryType")
  void aCopyHasTheSameContentOnAnotherStream(Object host) {
    DeviceStream other = gpu.streams().acquire();
    try (DeviceArray<Object> array = gpu.memory().upload(stream, host);
        DeviceArray<Object> copy = array.copy(other)) {
      assertThat(copy.download(stream)).isEqualTo(host);
    }
  }

  private record Pair(int first, int second) {}

  /** Has the components of the other one, and is not it. */
  private record Twin(int first, int second) {}

  @Test
  @SuppressWarnings({"rawtypes", "unchecked"})
  void aCopyBetweenElementsOfTwoTypesIsRefused() {
    try (DeviceArray ints = gpu.memory().upload(stream, new int[] {1, 2, 3, 4});
        DeviceArray doubles = gpu.memory().upload(stream, new double[4]);
        DeviceArray pairs = gpu.memory().allocateZeroed(stream, Pair[].class, 4);
        PinnedArray pinned = gpu.memory().pinned(double[].class, 4)) {
      long calls = device.calls();
      for (ThrowingCallable copy :
          List.<ThrowingCallable>of(
              () -> ints.copyFrom(stream, doubles),
              () -> doubles.copyFrom(stream, ints),
              () -> doubles.copyFrom(stream, 1, ints, 0, 2),
              () -> pairs.copyFrom(stream, ints),
              () -> ints.upload(stream, pinned),
              () -> ints.download(stream, pinned),
              () -> ints.downloadLater(stream, 0L, pinned, 0L, 4L),
              () -> gpu.graph("copies", body -> doubles.copyFrom(stream, ints)))) {
        assertThatThrownBy(copy)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("their elements have two types")
            .hasMessageContaining("[4] in allocation");
      }
      for (ThrowingCallable copy :
          List.<ThrowingCallable>of(
              () -> ints.upload(stream, new double[4]),
              () -> ints.upload(stream, 0, new double[4], 0, 4),
              () -> ints.download(stream, new double[4]),
              () -> ints.downloadLater(stream, 0, new double[4], 0, 4),
              () -> pairs.upload(stream, new double[4]),
              () -> pairs.download(stream, new double[4]))) {
        assertThatThrownBy(copy)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("the host array is double[]; the array takes elements of");
      }
      for (ThrowingCallable copy :
          List.<ThrowingCallable>of(
              () -> pairs.upload(stream, new Twin[4]),
              () -> pairs.download(stream, new Twin[4]),
              () -> pairs.downloadLater(stream, 0, new Twin[4], 0, 4))) {
        assertThatThrownBy(copy)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("the host array is Twin[]; the array takes elements of");
      }
      assertThatThrownBy(() -> pinned.put(0, new int[4]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("the host array is int[]; the array takes elements of");
      assertThat(device.calls()).isEqualTo(calls);
    }
  }

  @ParameterizedTest
  @EnumSource
  void zeroedArraysHoldZeros(ElementType type) {
    Object zeros = Array.newInstance(type.primitive(), 5);
    try (DeviceArray<?> array = gpu.memory().allocateZeroed(stream, type.array(), 5)) {
      assertThat((Object) array.download(stream)).isEqualTo(zeros);
    }
  }

  @Test
  void fillsConvertAsAnAssignmentDoes() {
    try (DeviceArray<float[]> floats = gpu.memory().allocate(stream, float[].class, 3);
        DeviceArray<double[]> doubles = gpu.memory().allocate(stream, double[].class, 3);
        DeviceArray<long[]> longs = gpu.memory().allocate(stream, long[].class, 3);
        DeviceArray<short[]> shorts = gpu.memory().allocate(stream, short[].class, 3);
        DeviceArray<boolean[]> booleans =
            gpu.memory().upload(stream, new boolean[] {false, true, false})) {
      floats.fill(stream, 7);
      doubles.fill(stream, Math.PI);
      longs.fill(stream, 0x1234_5678_9ABCL);
      shorts.fill(stream, -2);
      booleans.fill(stream, true);
      assertThat(floats.download(stream)).containsOnly(7f);
      assertThat(doubles.download(stream)).containsOnly(Math.PI);
      assertThat(longs.download(stream)).containsOnly(0x1234_5678_9ABCL);
      assertThat(shorts.download(stream)).containsOnly((short) -2);
      assertThat(booleans.download(stream)).containsOnly(true);
      booleans.fill(stream, false);
      assertThat(booleans.download(stream)).containsOnly(false);
    }
  }

  @Test
  void fillsThatDoNotFitAreRefused() {
    try (DeviceArray<byte[]> bytes = gpu.memory().allocateZeroed(stream, byte[].class, 2)) {
      assertThatThrownBy(() -> bytes.fill(stream, 128))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> bytes.fill(stream, 1.5))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> bytes.fill(stream, true))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(bytes.download(stream)).containsOnly(0);
    }
  }

  @Test
  void aDownloadOnAnotherStreamSeesTheUpload() {
    DeviceStream other = gpu.streams().acquire();
    int[] host = {1, 2, 3};
    try (DeviceArray<int[]> array = gpu.memory().upload(stream, host)) {
      assertThat(array.download(other)).isEqualTo(host);
    }
  }

  @Test
  void theHostArrayMayChangeAfterTheUpload() {
    int[] host = {1, 2, 3};
    try (DeviceArray<int[]> array = gpu.memory().upload(stream, host)) {
      Arrays.fill(host, 9);
      assertThat(array.download(stream)).containsExactly(1, 2, 3);
    }
  }

  @Test
  void arraysLargerThanTheStagingMemoryAreCopiedInPieces() {
    int[] host = new int[(36 << 20) / 4 + 3];
    Arrays.setAll(host, i -> i * 31);
    try (DeviceArray<int[]> array = gpu.memory().upload(stream, host)) {
      assertThat(array.download(stream)).isEqualTo(host);
    }
  }

  @Test
  void stagingMemoryIsNotWrittenAgainBeforeItsCopyIsDone() {
    SimulatedDevice lazy = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    CudaDriver neverComplete =
        InterceptedDriver.of(
            Inside.open(lazy),
            (method, call) -> method.equals("isEventComplete") ? false : call.proceed());
    // More than the staging memory has chunks: those behind it go through one that was used before.
    int[] host = new int[(40 << 20) / 4];
    Arrays.setAll(host, i -> i * 31);
    try (DeviceRuntime slow = RuntimeOverDriver.open(neverComplete, RuntimeOptions.defaults());
        DeviceStream on = slow.streams().acquire();
        DeviceArray<int[]> array = slow.memory().upload(on, host)) {
      assertThat(array.download(on)).isEqualTo(host);
    }
    assertThat(lazy.liveObjects()).isZero();
  }

  @Test
  void anEmptyArrayTakesNoDeviceMemoryAndNoDriverCall() {
    long before = device.calls();
    try (DeviceArray<int[]> empty = gpu.memory().upload(stream, new int[0])) {
      empty.fill(stream, 3);
      assertThat(empty.download(stream)).isEmpty();
      assertThat(empty.isOpen()).isTrue();
    }
    assertThat(device.calls()).isEqualTo(before);
  }

  @Test
  void aNegativeLengthIsRefused() {
    assertThatThrownBy(() -> gpu.memory().allocate(stream, int[].class, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
  }

  @Test
  void aLengthWhoseBytesOverflowIsRefused() {
    assertThatThrownBy(() -> gpu.memory().allocate(stream, long[].class, Long.MAX_VALUE / 4))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anArrayOfObjectsIsRefused() {
    assertThatThrownBy(() -> gpu.memory().upload(stream, new String[] {"a"}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("String[]");
  }

  @Test
  void aDownloadIntoAShortHostArrayIsRefusedAndChangesNothing() {
    int[] target = {7, 7};
    try (DeviceArray<int[]> array = gpu.memory().upload(stream, new int[] {1, 2, 3})) {
      assertThatThrownBy(() -> array.download(stream, target))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("2")
          .hasMessageContaining("3");
    }
    assertThat(target).containsExactly(7, 7);
  }

  @Test
  void aDownloadIntoALongerHostArrayLeavesTheRest() {
    int[] target = {7, 7, 7};
    try (DeviceArray<int[]> array = gpu.memory().upload(stream, new int[] {1, 2})) {
      array.download(stream, target);
    }
    assertThat(target).containsExactly(1, 2, 7);
  }

  @Test
  void anUploadOfAnotherLengthIsRefused() {
    try (DeviceArray<int[]> array = gpu.memory().upload(stream, new int[] {1, 2, 3})) {
      assertThatThrownBy(() -> array.upload(stream, new int[2]))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(array.download(stream)).containsExactly(1, 2, 3);
    }
  }

  @Test
  void aClosedArrayIsRefusedWithItsGeneration() {
    DeviceArray<int[]> array = gpu.memory().upload(stream, new int[] {1});
    array.close();
    array.close();
    assertThat(array.isOpen()).isFalse();
    assertThatThrownBy(() -> array.download(stream))
        .isInstanceOfSatisfying(
            UseAfterFreeException.class, e -> assertThat(e.generation()).isPositive());
  }

  @Test
  void aClosedEmptyArrayIsRefusedAsWell() {
    DeviceArray<int[]> array = gpu.memory().upload(stream, new int[0]);
    array.close();
    assertThatThrownBy(() -> array.download(stream)).isInstanceOf(UseAfterFreeException.class);
  }

  @Test
  void anArrayOfAnotherRuntimeIsRefused() {
    try (DeviceRuntime otherGpu = DeviceRuntime.simulated();
        DeviceArray<int[]> foreign =
            otherGpu.memory().upload(otherGpu.streams().acquire(), new int[] {1})) {
      assertThatThrownBy(() -> foreign.download(stream)).isInstanceOf(StreamMisuseException.class);
      assertThatThrownBy(() -> gpu.memory().allocate(otherGpu.streams().acquire(), int[].class, 1))
          .isInstanceOf(StreamMisuseException.class);
    }
  }

  @Test
  void aClosedStreamIsRefused() {
    DeviceStream lent = gpu.streams().acquire();
    lent.close();
    assertThatThrownBy(() -> gpu.memory().allocate(lent, int[].class, 1))
        .isInstanceOf(StreamMisuseException.class);
  }

  @Test
  void whenMemoryIsShortTheErrorHasTheFigures() {
    try (DeviceArray<byte[]> most = gpu.memory().allocate(stream, byte[].class, 200 << 20)) {
      assertThatThrownBy(() -> gpu.memory().allocate(stream, byte[].class, 100 << 20))
          .isInstanceOfSatisfying(
              OutOfMemoryBudgetException.class,
              e -> {
                assertThat(e.requested()).isEqualTo(100 << 20);
                assertThat(e.current()).isEqualTo(200 << 20);
                assertThat(e.limit()).isEqualTo((long) (0.8 * (256 << 20)));
              });
      assertThat(gpu.memory().bytesOutstanding()).isEqualTo(200 << 20);
      most.fill(stream, 1);
    }
  }

  @Test
  void freedMemoryThatIsStillQueuedIsWaitedForBeforeRefusing() {
    DeviceStream other = gpu.streams().acquire();
    gpu.memory().allocate(stream, byte[].class, 200 << 20).close();
    try (DeviceArray<byte[]> array = gpu.memory().allocate(other, byte[].class, 100 << 20)) {
      assertThat(array.isOpen()).isTrue();
    }
  }

  @Test
  void freedBytesCountUntilTheyAreKnownToBeOutOfUse() {
    gpu.memory().allocate(stream, byte[].class, 1000).close();
    assertThat(gpu.memory().bytesOutstanding()).isEqualTo(1000);
    assertThat(gpu.memory().reap()).isZero();
    stream.synchronize();
    assertThat(gpu.memory().reap()).isEqualTo(1000);
    assertThat(gpu.memory().bytesOutstanding()).isZero();
  }

  @Test
  void anArrayThatIsNeverClosedIsFreedWithItsRuntime() {
    gpu.memory().allocate(stream, byte[].class, 1000);
    gpu.close();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
  }

  @Test
  void anArrayMayBeClosedAfterItsRuntime() {
    DeviceArray<byte[]> array = gpu.memory().allocate(stream, byte[].class, 1000);
    gpu.close();
    array.close();
    assertThatThrownBy(() -> array.download(stream)).isInstanceOf(RuntimeClosedException.class);
  }
}
