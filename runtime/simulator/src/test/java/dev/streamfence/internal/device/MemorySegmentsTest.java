package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.Download;
import dev.streamfence.PinnedArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Segments.Arena;
import dev.streamfence.simulation.SimulatedDevice;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Memory segments, through the JDK's own bridge to buffers. */
@EnabledForJreRange(min = JRE.JAVA_22)
final class MemorySegmentsTest {
  /** Enough for several staging threads, and for a download in pieces. */
  private static final int LARGE = 12 << 20;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(device, RuntimeOptions.defaults().withStagingThreads(4));
  private final DeviceStream stream = gpu.streams().acquire();

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  private static ByteBuffer bytes(Object segment) {
    return Segments.asByteBuffer(segment).order(ByteOrder.nativeOrder());
  }

  private static byte[] numbers(int count) {
    byte[] numbers = new byte[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = (byte) (i * 31 + (i >>> 8));
    }
    return numbers;
  }

  private void goesUpAndDown(Arena arena) {
    ByteBuffer up = bytes(arena.allocate(LARGE, 8)).put(0, numbers(LARGE));
    ByteBuffer down = bytes(arena.allocate(LARGE, 8));
    try (DeviceArray<byte[]> array = gpu.memory().allocate(stream, byte[].class, LARGE)) {
      array.upload(stream, 0, up);
      array.download(stream, 0, down);
      byte[] seen = new byte[LARGE];
      down.get(0, seen);
      assertThat(seen).isEqualTo(numbers(LARGE));
    }
  }

  /** Other threads cannot access it, so they do not help. */
  @Test
  void aSegmentOfAConfinedArenaIsCopiedByItsThread() {
    try (Arena arena = Arena.confined()) {
      goesUpAndDown(arena);
    }
  }

  @Test
  void aSegmentOfASharedArenaIsCopiedByAnyThread() {
    try (Arena arena = Arena.shared()) {
      goesUpAndDown(arena);
    }
  }

  @Test
  void aSegmentOfAnotherThreadsConfinedArenaIsRefusedByTheJdk() throws Exception {
    try (Arena arena = Arena.confined();
        DeviceArray<byte[]> array = gpu.memory().upload(stream, new byte[8])) {
      ByteBuffer foreign = bytes(arena.allocate(8, 8));
      Throwable[] thrown = new Throwable[1];
      Thread other =
          new Thread(
              () -> {
                try {
                  array.upload(stream, 0, foreign);
                } catch (RuntimeException e) {
                  thrown[0] = e;
                }
              });
      other.start();
      other.join();
      assertThat(thrown[0]).isInstanceOf(wrongThreadException());
      array.fill(stream, 3);
      assertThat(array.download(stream)).containsOnly(3);
    }
  }

  private static Class<?> wrongThreadException() {
    try {
      return Class.forName("java.lang.WrongThreadException");
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  /** The stream and the staging memory stay usable. */
  @Test
  void anArenaThatIsClosedEndsTheTransfer() {
    Arena arena = Arena.shared();
    ByteBuffer gone = bytes(arena.allocate(LARGE, 8));
    arena.close();
    try (DeviceArray<byte[]> array = gpu.memory().upload(stream, new byte[LARGE])) {
      assertThatThrownBy(() -> array.upload(stream, 0, gone))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
      assertThatThrownBy(() -> array.download(stream, 0, gone))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
      array.upload(stream, numbers(LARGE));
      assertThat(array.download(stream)).isEqualTo(numbers(LARGE));
    }
  }

  /** Each transfer either ends before the close, or is refused; none touches freed memory. */
  @Test
  void anArenaThatIsClosedInTheMiddleEndsTheTransferOrComesAfterIt() throws Exception {
    try (DeviceArray<byte[]> array = gpu.memory().upload(stream, new byte[LARGE])) {
      for (int round = 0; round < 20; round++) {
        Arena arena = Arena.shared();
        ByteBuffer source = bytes(arena.allocate(LARGE, 8));
        Thread closing =
            new Thread(
                () -> {
                  try {
                    Thread.sleep(1);
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                  arena.close();
                });
        closing.start();
        try {
          for (int i = 0; i < 100; i++) {
            array.upload(stream, 0, source);
            array.download(stream, 0, source);
          }
          throw new AssertionError("the arena is never closed");
        } catch (IllegalStateException e) {
          assertThat(e).hasMessageContaining("closed");
        }
        // The JDK interrupts a thread whose access the close has ended.
        Thread.interrupted();
        closing.join();
      }
      array.fill(stream, 7);
      assertThat(array.download(stream)).containsOnly(7);
    }
  }

  /** The JDK makes buffers of byte arrays alone; the array itself goes for the others. */
  @ParameterizedTest
  @MethodSource("dev.streamfence.corpus.HostArrays#ofEveryType")
  void aSegmentOnTheHeapGoesUpAsABufferOrAsItsArray(Object values) {
    int length = Array.getLength(values);
    @SuppressWarnings("unchecked") // The class of an Object that is an array.
    Class<Object> type = (Class<Object>) values.getClass();
    try (DeviceArray<Object> array = gpu.memory().allocate(stream, type, length)) {
      if (values instanceof boolean[]) {
        // The JDK has no segment of booleans.
        return;
      }
      Object segment = Segments.ofArray(values);
      if (values instanceof byte[]) {
        array.upload(stream, 0, bytes(segment));
        assertThat(array.download(stream)).isEqualTo(values);
      } else {
        assertThatThrownBy(() -> Segments.asByteBuffer(segment))
            .isInstanceOf(UnsupportedOperationException.class);
      }
      // Native memory takes its elements, with whatever type.
      try (Arena arena = Arena.confined()) {
        Object copy = arena.allocate(array.sizeInBytes(), 8);
        Segments.copy(segment, copy);
        array.upload(stream, 0, bytes(copy));
        assertThat(array.download(stream)).isEqualTo(values);
      }
    }
  }

  @Test
  void aReadOnlySegmentGoesUpAndIsNoTarget() {
    try (Arena arena = Arena.confined();
        DeviceArray<byte[]> array = gpu.memory().upload(stream, new byte[4])) {
      Object segment = arena.allocate(4, 1);
      bytes(segment).put(0, numbers(4));
      ByteBuffer readOnly = bytes(Segments.asReadOnly(segment));
      array.upload(stream, 0, readOnly);
      assertThat(array.download(stream)).isEqualTo(numbers(4));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.download(stream, 0, readOnly))
          .withMessageContaining("read-only");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.downloadLater(stream, 0, readOnly))
          .withMessageContaining("read-only");
    }
  }

  /** The JDK's buffers of segments begin in big-endian order. */
  @Test
  void theOrderOfABufferOfASegmentHasToBeSaid() {
    try (Arena arena = Arena.confined();
        DeviceArray<int[]> array = gpu.memory().upload(stream, new int[2])) {
      ByteBuffer unordered = Segments.asByteBuffer(arena.allocate(8, 4));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> array.upload(stream, 0, unordered))
          .withMessageContaining("see ByteBuffer.order");
      array.upload(stream, 0, unordered.order(ByteOrder.nativeOrder()));
    }
  }

  @Test
  void aSegmentNeedsNoAlignment() {
    try (Arena arena = Arena.confined();
        DeviceArray<int[]> array = gpu.memory().upload(stream, new int[] {1, 2})) {
      ByteBuffer odd = bytes(Segments.asSlice(arena.allocate(16, 8), 3, 8));
      array.download(stream, 0, odd);
      assertThat(odd.getInt(4)).isEqualTo(2);
      odd.putInt(0, 7);
      array.upload(stream, 0, odd);
      IntBuffer ints = odd.asIntBuffer();
      ints.put(1, 9);
      array.upload(stream, 1, ints.slice(1, 1));
      assertThat(array.download(stream)).containsExactly(7, 9);
    }
  }

  @Test
  void aPinnedArrayIsASegmentInsideItsAccesses() {
    try (PinnedArray<int[]> host = gpu.memory().pinned(int[].class, 2);
        Arena arena = Arena.confined();
        DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 2)) {
      Object segment = arena.allocate(8, 4);
      bytes(segment).putInt(0, 5).putInt(4, 6);
      host.write(bytes -> Segments.copy(segment, Segments.ofBuffer(bytes)));
      array.upload(stream, host);
      array.fill(stream, 0, 1, 7);
      array.download(stream, host);
      host.visit(bytes -> Segments.copy(Segments.ofBuffer(bytes), segment));
      assertThat(bytes(segment).getInt(0)).isEqualTo(7);
      assertThat(bytes(segment).getInt(4)).isEqualTo(6);
    }
  }

  /** The elements are delivered by the thread that asks for them, which must be the arena's. */
  @Test
  void aDownloadToASegmentCanBeBegun() {
    try (Arena arena = Arena.confined();
        DeviceArray<byte[]> array = gpu.memory().upload(stream, numbers(LARGE))) {
      ByteBuffer target = bytes(arena.allocate(LARGE, 8));
      Download<ByteBuffer> later = array.downloadLater(stream, 0, target);
      assertThat(later.value()).isSameAs(target);
      byte[] seen = new byte[LARGE];
      target.get(0, seen);
      assertThat(seen).isEqualTo(numbers(LARGE));
    }
  }

  /** Only then: an end that failed for that reason would leave memory behind. */
  @Test
  void aRuntimeThatAnotherThreadClosesCannotDeliverToAConfinedSegment() throws Exception {
    try (Arena arena = Arena.confined()) {
      DeviceArray<byte[]> array = gpu.memory().upload(stream, numbers(8));
      Download<ByteBuffer> later = array.downloadLater(stream, 0, bytes(arena.allocate(8, 8)));
      Thread other = new Thread(gpu::close);
      other.start();
      other.join();
      assertThat(gpu.isOpen()).isFalse();
      assertThatThrownBy(later::value)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("could not write to the target")
          .hasCauseInstanceOf(wrongThreadException().asSubclass(Throwable.class));
    }
  }

  @Test
  void aSegmentBeyondTwoGibibytesGoesInSlices(@TempDir Path folder) {
    try (Arena arena = Arena.confined();
        DeviceArray<byte[]> array = gpu.memory().upload(stream, numbers(1000))) {
      Object large = arena.map(folder.resolve("sparse"), (5L << 30) + 1000);
      assertThatThrownBy(() -> Segments.asByteBuffer(large))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("too large");
      Object end = Segments.asSlice(large, 5L << 30, 1000);
      array.download(stream, 0, bytes(end));
      array.fill(stream, 0);
      array.upload(stream, 0, bytes(end));
      assertThat(array.download(stream)).isEqualTo(numbers(1000));
    }
  }
}
