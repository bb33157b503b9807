package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.memory.MemoryStatistics;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Transfers of some of an array's elements. */
final class ArrayRangesTest {
  private static final int N = 1000;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private DeviceArray<int[]> numbers() {
    int[] host = new int[N];
    for (int i = 0; i < N; i++) {
      host[i] = i;
    }
    return gpu.memory().upload(stream, host);
  }

  /** Compares with the same transfers of a Java array. */
  @Test
  void rangesArriveWhereTheyBelong() {
    SplittableRandom random = new SplittableRandom(3);
    int[] expected = new int[N];
    int[] other = new int[N];
    int[] host = new int[300];
    DeviceArray<int[]> array = gpu.memory().upload(stream, expected);
    DeviceArray<int[]> second = gpu.memory().upload(stream, other);
    for (int round = 0; round < 200; round++) {
      int count = random.nextInt(host.length + 1);
      int from = random.nextInt(N - count + 1);
      int hostFrom = random.nextInt(host.length - count + 1);
      switch (random.nextInt(4)) {
        case 0 -> {
          for (int i = 0; i < host.length; i++) {
            host[i] = random.nextInt();
          }
          array.upload(stream, from, host, hostFrom, count);
          System.arraycopy(host, hostFrom, expected, from, count);
        }
        case 1 -> {
          array.fill(stream, from, count, (long) round);
          java.util.Arrays.fill(expected, from, from + count, round);
        }
        case 2 -> {
          int to = random.nextInt(N - count + 1);
          second.copyFrom(stream, to, array, from, count);
          System.arraycopy(expected, from, other, to, count);
          int back = random.nextInt(N - count + 1);
          array.copyFrom(stream, back, second, to, count);
          System.arraycopy(other, to, expected, back, count);
        }
        default -> {
          int[] target = host.clone();
          array.download(stream, from, target, hostFrom, count);
          int[] wanted = host.clone();
          System.arraycopy(expected, from, wanted, hostFrom, count);
          assertThat(target).isEqualTo(wanted);
          assertThat(array.download(stream, from, count))
              .isEqualTo(java.util.Arrays.copyOfRange(expected, from, from + count));
        }
      }
    }
    assertThat(array.download(stream)).isEqualTo(expected);
    assertThat(second.download(stream)).isEqualTo(other);
  }

  @ParameterizedTest
  @MethodSource("dev.streamfence.corpus.HostArrays#ofEveryType")
  void everyTypeHasRanges(Object host) {
    int length = Array.getLength(host);
    int half = length / 2;
    try (DeviceArray<Object> array = gpu.memory().upload(stream, host)) {
      Object second = array.download(stream, half, length - half);
      assertThat(Array.getLength(second)).isEqualTo(length - half);
      for (int i = half; i < length; i++) {
        assertThat(Array.get(second, i - half)).isEqualTo(Array.get(host, i));
      }
      array.upload(stream, 0, host, half, length - half);
      Object moved = array.download(stream, 0, length - half);
      assertThat(moved).isEqualTo(second);
    }
  }

  @Test
  void whatIsFilteredIsDownloadedByItsCount() {
    DeviceArray<int[]> array = numbers();
    assertThat(array.download(stream, 0, 3)).containsExactly(0, 1, 2);
    assertThat(array.download(stream, N, 0)).isEmpty();
  }

  @Test
  void aRangeMayBeCopiedWithinOneArrayUnlessItOverlaps() {
    DeviceArray<int[]> array = numbers();
    array.copyFrom(stream, 500, array, 0, 500);
    assertThat(array.download(stream, 500, 2)).containsExactly(0, 1);
    long calls = device.calls();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> array.copyFrom(stream, 499, array, 0, 500))
        .withMessageContaining("elements 0 to 499")
        .withMessageContaining("elements 499 to 998")
        .withMessageContaining("overlap");
    assertThat(device.calls()).isEqualTo(calls);
  }

  @Test
  void rangesOutsideOfAnArrayAreRefusedWithTheNumbersAndNothingIsQueued() {
    DeviceArray<int[]> array = numbers();
    DeviceArray<int[]> other = numbers();
    int[] host = new int[10];
    long[][] wrong = {
      {-1, 1},
      {0, -1},
      {0, N + 1L},
      {N, 1},
      {N + 1L, 0},
      {1, Long.MAX_VALUE},
      {Long.MAX_VALUE, 1},
      {Long.MIN_VALUE, 1},
      {0, Long.MIN_VALUE}
    };
    MemoryStatistics before = gpu.memory().statistics();
    long calls = device.calls();
    for (long[] range : wrong) {
      long from = range[0];
      long count = range[1];
      ThrowingCallable[] uses = {
        () -> array.download(stream, from, count),
        () -> array.download(stream, from, host, 0, count),
        () -> array.fill(stream, from, count, 1L),
        () -> array.fill(stream, from, count, 1.0),
        () -> array.fill(stream, from, count, true),
        () -> array.copyFrom(stream, 0, other, from, count),
        () -> array.copyFrom(stream, from, other, 0, count),
        () -> array.upload(stream, from, host, 0, count),
        () -> array.view(from, count),
      };
      for (ThrowingCallable use : uses) {
        assertThatThrownBy(use)
            .as("%d elements from %d", count, from)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(Long.toString(from));
      }
    }
    for (int[] range : new int[][] {{-1, 1}, {0, 11}, {10, 1}, {11, 0}, {Integer.MAX_VALUE, 1}}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.upload(stream, 0, host, range[0], range[1]))
          .withMessageContaining("of the host array, which has 10");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.download(stream, 0, host, range[0], range[1]))
          .withMessageContaining("of the host array, which has 10");
    }
    assertThat(device.calls()).isEqualTo(calls);
    assertThat(gpu.memory().statistics()).isEqualTo(before);
  }

  @Test
  void anEmptyRangeDoesNothing() {
    DeviceArray<int[]> array = numbers();
    long calls = device.calls();
    array.upload(stream, N, new int[0], 0, 0);
    array.fill(stream, 0, 0, 1L);
    array.copyFrom(stream, 0, array, 0, 0);
    array.download(stream, 5, new int[0], 0, 0);
    assertThat(device.calls()).isEqualTo(calls);
  }

  @Test
  void aClosedArrayHasNoRanges() {
    DeviceArray<int[]> array = numbers();
    array.close();
    assertThatThrownBy(() -> array.download(stream, 0, 1))
        .isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(() -> array.fill(stream, 0, 1, 1L))
        .isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(() -> array.view(0, 1)).isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(() -> array.split(1)).isInstanceOf(UseAfterFreeException.class);
  }

  @Test
  void transfersOfRangesCountTheirBytes() {
    DeviceArray<int[]> array = numbers();
    gpu.memory().resetTransfers();
    array.upload(stream, 0, new int[10], 5, 3);
    array.download(stream, 2, 7);
    MemoryStatistics statistics = gpu.memory().statistics();
    assertThat(statistics.uploadedBytes()).isEqualTo(12);
    assertThat(statistics.downloadedBytes()).isEqualTo(28);
  }

  /** Each buffer begins before and ends behind the elements that are transferred. */
  private static <B extends Buffer> B window(B buffer) {
    buffer.position(2).limit(6);
    return buffer;
  }

  /** Uploads four elements of a buffer, and downloads them to another one at the same place. */
  private <A> void assertRoundTrip(A elements, Buffer source, Buffer target) {
    DeviceArray<A> array = gpu.memory().upload(stream, elements);
    array.upload(stream, 1, window(source));
    array.download(stream, 1, window(target));
    assertThat(source.position()).isEqualTo(2);
    assertThat(target.position()).isEqualTo(2);
    assertThat(target).isEqualTo(source);
    array.close();
  }

  @Test
  void buffersOfEveryTypeGoUpAndDown() {
    assertRoundTrip(new byte[6], ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7}), bytes(7));
    assertRoundTrip(new char[6], CharBuffer.wrap("abcdefg"), CharBuffer.allocate(7));
    assertRoundTrip(
        new short[6],
        ShortBuffer.wrap(new short[] {1, 2, 3, -4, 5, 6, 7}),
        ShortBuffer.allocate(7));
    assertRoundTrip(
        new int[6], IntBuffer.wrap(new int[] {1, 2, 3, -4, 5, 6, 7}), IntBuffer.allocate(7));
    assertRoundTrip(
        new long[6], LongBuffer.wrap(new long[] {1, 2, 3, -4, 5, 6, 7}), LongBuffer.allocate(7));
    assertRoundTrip(
        new float[6],
        FloatBuffer.wrap(new float[] {1, 2, 3, -4, 5, 6, 7}),
        FloatBuffer.allocate(7));
    assertRoundTrip(
        new double[6],
        DoubleBuffer.wrap(new double[] {1, 2, 3, -4, 5, 6, 7}),
        DoubleBuffer.allocate(7));
    assertRoundTrip(
        new int[6], direct(28).putInt(8, 77).asIntBuffer(), ByteBuffer.allocate(28).asIntBuffer());
  }

  private static ByteBuffer bytes(int size) {
    return ByteBuffer.allocate(size);
  }

  private static ByteBuffer direct(int size) {
    return ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
  }

  @Test
  void aReadOnlyBufferIsUploaded() {
    DeviceArray<int[]> array = numbers();
    array.upload(stream, 3, IntBuffer.wrap(new int[] {7, 8}).asReadOnlyBuffer());
    assertThat(array.download(stream, 2, 4)).containsExactly(2, 7, 8, 5);
  }

  @Test
  void bytesInNativeOrderAreElementsOfAnyType() {
    DeviceArray<int[]> array = numbers();
    ByteBuffer source = direct(12).putInt(0, 5).putInt(4, 6).putInt(8, 7);
    source.position(4);
    array.upload(stream, 10, source);
    assertThat(array.download(stream, 9, 4)).containsExactly(9, 6, 7, 12);
    ByteBuffer target = ByteBuffer.allocate(9).order(ByteOrder.nativeOrder());
    target.position(1);
    array.download(stream, 10, target);
    assertThat(target.getInt(1)).isEqualTo(6);
    assertThat(target.getInt(5)).isEqualTo(7);
  }

  /** More than a staging chunk, so that the offsets in the buffer count. */
  @Test
  void largeBuffersArriveWhole() {
    int length = 3 << 20;
    IntBuffer source = direct(4 * length).asIntBuffer();
    for (int i = 0; i < length; i++) {
      source.put(i, i);
    }
    DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, length);
    array.upload(stream, 0, source);
    IntBuffer target = IntBuffer.allocate(length);
    array.download(stream, 0, target);
    assertThat(target).isEqualTo(source);
  }

  @Test
  void buffersThatDoNotFitAreRefusedAndNothingIsQueued() {
    DeviceArray<int[]> array = numbers();
    long calls = device.calls();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> array.upload(stream, 0, FloatBuffer.allocate(2)))
        .withMessageContaining("buffer of float")
        .withMessageContaining("one of int");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> array.upload(stream, 0, bytes(8)))
        .withMessageContaining("BIG_ENDIAN");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> array.upload(stream, 0, direct(7)))
        .withMessageContaining("7 remaining bytes, not a multiple of the 4 bytes of a int");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> array.upload(stream, N - 10, IntBuffer.allocate(11)))
        .withMessageContaining("elements 990 to 1000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> array.download(stream, 0, IntBuffer.allocate(N + 1)))
        .withMessageContaining("elements 0 to 1000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> array.download(stream, 0, IntBuffer.allocate(1).asReadOnlyBuffer()))
        .withMessageContaining("read-only");
    assertThatThrownBy(() -> array.upload(stream, 0, null))
        .isInstanceOf(NullPointerException.class);
    assertThat(device.calls()).isEqualTo(calls);
  }

  @Test
  void singleElementsAreReadAndWrittenInTheirOwnType() {
    DeviceArray<boolean[]> flags = gpu.memory().upload(stream, new boolean[3]);
    DeviceArrays.setBoolean(flags, stream, 1, true);
    assertThat(flags.download(stream)).containsExactly(false, true, false);
    assertThat(DeviceArrays.getBoolean(flags, stream, 1)).isTrue();
    DeviceArray<byte[]> bytes = gpu.memory().upload(stream, new byte[3]);
    DeviceArrays.setByte(bytes, stream, 1, Byte.MIN_VALUE);
    assertThat(DeviceArrays.getByte(bytes, stream, 1)).isEqualTo(Byte.MIN_VALUE);
    DeviceArray<char[]> chars = gpu.memory().upload(stream, new char[3]);
    DeviceArrays.setChar(chars, stream, 2, Character.MAX_VALUE);
    assertThat(DeviceArrays.getChar(chars, stream, 2)).isEqualTo(Character.MAX_VALUE);
    DeviceArray<short[]> shorts = gpu.memory().upload(stream, new short[3]);
    DeviceArrays.setShort(shorts, stream, 0, Short.MIN_VALUE);
    assertThat(DeviceArrays.getShort(shorts, stream, 0)).isEqualTo(Short.MIN_VALUE);
    DeviceArray<int[]> ints = gpu.memory().upload(stream, new int[3]);
    DeviceArrays.setInt(ints, stream, 1, Integer.MIN_VALUE);
    assertThat(ints.download(stream)).containsExactly(0, Integer.MIN_VALUE, 0);
    assertThat(DeviceArrays.getInt(ints, stream, 1)).isEqualTo(Integer.MIN_VALUE);
    DeviceArray<long[]> longs = gpu.memory().upload(stream, new long[3]);
    DeviceArrays.setLong(longs, stream, 1, 0x0123_4567_89AB_CDEFL);
    assertThat(longs.download(stream)).containsExactly(0, 0x0123_4567_89AB_CDEFL, 0);
    assertThat(DeviceArrays.getLong(longs, stream, 1)).isEqualTo(0x0123_4567_89AB_CDEFL);
    DeviceArray<float[]> floats = gpu.memory().upload(stream, new float[3]);
    DeviceArrays.setFloat(floats, stream, 1, Float.MIN_VALUE);
    assertThat(DeviceArrays.getFloat(floats, stream, 1)).isEqualTo(Float.MIN_VALUE);
    DeviceArray<double[]> doubles = gpu.memory().upload(stream, new double[3]);
    DeviceArrays.setDouble(doubles, stream, 1, Math.PI);
    assertThat(doubles.download(stream)).containsExactly(0, Math.PI, 0);
    assertThat(DeviceArrays.getDouble(doubles, stream, 1)).isEqualTo(Math.PI);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DeviceArrays.getInt(ints, stream, 3))
        .withMessageContaining("elements 3 to 3")
        .withMessageContaining("which has 3");
    assertThatIllegalArgumentException().isThrownBy(() -> DeviceArrays.setInt(ints, stream, -1, 1));
  }

  @Tag("exhaustive")
  @Test
  void anArrayBeyondIntIndicesIsTransferredInRanges() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx3g",
                "-cp",
                System.getProperty("java.class.path"),
                LongArrayProgram.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(output).isZero();
  }
}
