package dev.streamfence.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.memory.SimulatedStreams;
import dev.streamfence.internal.memory.UntrackingResource;
import dev.streamfence.internal.memory.UpstreamResource;
import dev.streamfence.internal.memory.Waiting;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.WorkObserver;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Copies and fills of parts of allocations, in pieces, and their effect on errors and other
 * streams.
 */
final class DeviceCopiesTest {
  private static final int CHUNK = 16;
  private static final int SIZE = 64;

  private final SimulatedStreams on = new SimulatedStreams(Schedule.LAZY);
  private final DeviceCopies copies = new DeviceCopies(on.pool, CHUNK, 1);
  private final UpstreamResource memory = UpstreamResource.streamOrdered(on.pool, false);
  private Allocation block;

  @BeforeEach
  void open() {
    block = memory.allocate(SIZE, on.a, "keys");
    copies.fill(on.a, Region.of(block).range(0, SIZE), 1, 0);
  }

  @AfterEach
  void close() {
    if (block.hazards().isOpen()) {
      memory.deallocate(block);
    }
    on.pool.synchronizeAll("the end");
    copies.destroy(true);
    on.close();
  }

  private byte[] content() {
    Bytes seen = Bytes.of(SIZE, -1);
    copies.download(on.a, Region.of(block).range(0, SIZE), seen);
    return seen.values();
  }

  /** Zeros, and from an offset on the numbers from 1. */
  private static byte[] numbersAt(int offset, int count) {
    byte[] values = new byte[SIZE];
    for (int i = 0; i < count; i++) {
      values[offset + i] = (byte) (i + 1);
    }
    return values;
  }

  private static Bytes numbers(int count) {
    return new Bytes(Arrays.copyOf(numbersAt(0, count), count));
  }

  @Test
  void anUploadIsDividedIntoFullPiecesAndTheRest() {
    copies.upload(on.a, numbers(2 * CHUNK), Region.of(block).range(0, 2 * CHUNK));
    assertThat(on.device.calls(DriverCall.COPY_TO_DEVICE_ASYNC)).isEqualTo(2);
    assertThat(content()).isEqualTo(numbersAt(0, 2 * CHUNK));
    copies.upload(on.a, numbers(2 * CHUNK + 1), Region.of(block).range(0, 2 * CHUNK + 1));
    assertThat(on.device.calls(DriverCall.COPY_TO_DEVICE_ASYNC)).isEqualTo(5);
    assertThat(content()).isEqualTo(numbersAt(0, 2 * CHUNK + 1));
  }

  @Test
  void anUploadBeginsAtItsOffset() {
    copies.upload(on.a, numbers(40), Region.of(block).range(9, 40));
    assertThat(content()).isEqualTo(numbersAt(9, 40));
  }

  @Test
  void aDownloadBeginsAtItsOffset() {
    copies.upload(on.a, numbers(SIZE), Region.of(block).range(0, SIZE));
    Bytes seen = Bytes.of(40, 0);
    copies.download(on.b, Region.of(block).range(9, 40), seen);
    assertThat(seen.values()).isEqualTo(Arrays.copyOfRange(numbers(SIZE).values(), 9, 49));
  }

  @Test
  void aDownloadWithADeadlineSaysWhetherTheDataIsThere() throws Exception {
    copies.upload(on.a, numbers(SIZE), Region.of(block).range(0, SIZE));
    Bytes seen = Bytes.of(SIZE, 0);
    assertThat(
            copies.download(
                on.b, Region.of(block).range(0, SIZE), seen, Deadline.after(Duration.ofDays(1))))
        .isTrue();
    assertThat(seen.values()).isEqualTo(numbers(SIZE).values());
    CountDownLatch goOn = new CountDownLatch(1);
    Thread launching =
        Waiting.thread(
            () -> {
              try (Submission launch = on.b.begin(new NamedUse("a launch"))) {
                assertThat(launch.isHeldByCurrentThread()).isTrue();
                Waiting.await(goOn);
              }
            });
    assertThat(
            copies.download(
                on.b, Region.of(block).range(0, SIZE), seen, Deadline.after(Duration.ZERO)))
        .isFalse();
    goOn.countDown();
    launching.join();
  }

  @Test
  void aCopyGoesFromOneOffsetToTheOther() {
    Allocation source = memory.allocate(SIZE, on.a, "");
    copies.upload(on.a, numbers(SIZE), Region.of(source).range(0, SIZE));
    copies.copy(on.a, Region.of(source).range(10, 5), Region.of(block).range(20, 5));
    byte[] expected = new byte[SIZE];
    System.arraycopy(numbers(SIZE).values(), 10, expected, 20, 5);
    assertThat(content()).isEqualTo(expected);
    memory.deallocate(source);
  }

  @Test
  void aFillOfEachWidthBeginsAtItsOffset() {
    copies.fill(on.a, Region.of(block).range(8, 4 * 2), 4, 0x01010101);
    copies.fill(on.a, Region.of(block).range(18, 2 * 3), 2, 0x0202);
    copies.fill(on.a, Region.of(block).range(31, 1), 1, 3);
    copies.fill(on.a, Region.of(block).range(40, 8 * 2), 8, 0x0505050504040404L);
    byte[] expected = new byte[SIZE];
    Arrays.fill(expected, 8, 16, (byte) 1);
    Arrays.fill(expected, 18, 24, (byte) 2);
    Arrays.fill(expected, 31, 32, (byte) 3);
    for (int i = 40; i < 56; i += 8) {
      Arrays.fill(expected, i, i + 4, (byte) 4);
      Arrays.fill(expected, i + 4, i + 8, (byte) 5);
    }
    assertThat(content()).isEqualTo(expected);
  }

  /** Up to 1024 values are filled, and the rest is copied from them. */
  @ParameterizedTest
  @CsvSource({"1, 0", "3, 0", "1024, 0", "1025, 1", "2048, 1", "2049, 2", "5000, 3"})
  void aFillOfManyWideValuesReachesEachAndNothingElse(int count, int copiesOnDevice) {
    requireFilled(on.a, copies, count);
    assertThat(on.device.calls(DriverCall.FILL_32_STRIDED_ASYNC)).isEqualTo(2);
    assertThat(on.device.calls(DriverCall.COPY_ON_DEVICE_ASYNC)).isEqualTo(copiesOnDevice);
  }

  /** Tools take a strided fill for one of the memory behind it as well. */
  @ParameterizedTest
  @CsvSource({"1, 0", "2, 1", "3, 2", "5000, 13"})
  void whereToolsLookOnAWideFillHasNoStride(int count, int copiesOnDevice) {
    StreamPool visible = new StreamPool(on.driver, 1, true, WorkObserver.NONE, () -> "a runtime");
    DeviceCopies others = new DeviceCopies(visible, CHUNK, 1);
    requireFilled(visible.acquire(), others, count);
    assertThat(on.device.calls(DriverCall.FILL_32_STRIDED_ASYNC)).isZero();
    assertThat(on.device.calls(DriverCall.COPY_ON_DEVICE_ASYNC)).isEqualTo(copiesOnDevice);
    others.destroy(false);
    visible.destroy();
  }

  /** Fills all but the first and the last of some wide values, whose halves differ. */
  private static void requireFilled(Timeline timeline, DeviceCopies copies, int count) {
    UpstreamResource memory = UpstreamResource.streamOrdered(timeline.pool(), false);
    Allocation values = memory.allocate(8L * (count + 2), timeline, "");
    copies.fill(timeline, Region.of(values), 1, 7);
    copies.fill(timeline, Region.of(values).range(8, 8L * count), 8, 0x0506070801020304L);
    Bytes seen = Bytes.of(8 * (count + 2), 0);
    copies.download(timeline, Region.of(values), seen);
    memory.deallocate(values);
    timeline.synchronize("the end of the fill");
    memory.reap();
    LongBuffer found = ByteBuffer.wrap(seen.values()).order(ByteOrder.nativeOrder()).asLongBuffer();
    assertThat(found.get(0)).isEqualTo(0x0707070707070707L);
    for (int i = 1; i <= count; i++) {
      assertThat(found.get(i)).as("value %d", i).isEqualTo(0x0506070801020304L);
    }
    assertThat(found.get(count + 1)).isEqualTo(0x0707070707070707L);
  }

  @Test
  void anErrorNamesTheBytesTheAllocationAndTheStream() {
    on.device.failCall(DriverCall.FILL_32_ASYNC, 1, 1);
    assertThatThrownBy(() -> copies.fill(on.a, Region.of(block).range(0, 4 * 3), 4, 7))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e ->
                assertThat(e.purpose())
                    .isEqualTo("fill of 12 bytes of " + block + " on " + on.a)
                    .contains("'keys'"));
    on.device.failCall(DriverCall.FILL_32_ASYNC, 1, 1);
    assertThatThrownBy(() -> copies.fill(on.a, Region.of(block).range(8, 4 * 3), 4, 7))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e ->
                assertThat(e.purpose())
                    .isEqualTo("fill of 12 bytes from byte 8 of " + block + " on " + on.a));
  }

  @Test
  void aUseOfAClosedAllocationNamesTheCopy() {
    memory.deallocate(block);
    assertThatThrownBy(() -> copies.fill(on.a, Region.of(block).range(0, 4 * 3), 4, 7))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageStartingWith("fill of 12 bytes on " + on.a + " uses " + block);
    assertThatThrownBy(() -> copies.upload(on.b, numbers(40), Region.of(block).range(0, 40)))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageStartingWith("upload of 40 bytes on " + on.b + " uses " + block);
  }

  @Test
  void bothSidesOfACopyHaveToBeTracked() {
    UntrackingResource untracking = new UntrackingResource(on.pool);
    Allocation untracked = untracking.allocate(SIZE, on.a, "");
    assertThatThrownBy(
            () ->
                copies.copy(
                    on.a, Region.of(untracked).range(0, SIZE), Region.of(block).range(0, SIZE)))
        .isInstanceOf(StreamMisuseException.class);
    assertThatThrownBy(
            () ->
                copies.copy(
                    on.a, Region.of(block).range(0, SIZE), Region.of(untracked).range(0, SIZE)))
        .isInstanceOf(StreamMisuseException.class);
    assertThat(on.device.calls(DriverCall.COPY_ON_DEVICE_ASYNC)).isZero();
    untracking.deallocate(untracked);
  }

  /** Without one, another stream that needs the result would wait for later work as well. */
  @Test
  void besideAnotherStreamEachCopyHasItsOwnEvent() {
    Allocation other = memory.allocate(SIZE, on.b, "");
    copies.fill(on.b, Region.of(other).range(0, SIZE), 1, 1);
    assertThat(recorded(() -> copies.fill(on.a, Region.of(block).range(0, SIZE), 1, 1)))
        .isEqualTo(1);
    assertThat(
            recorded(
                () ->
                    copies.copy(
                        on.a, Region.of(block).range(0, 16), Region.of(block).range(32, 16))))
        .isEqualTo(1);
    // Each piece of staging memory has one too.
    assertThat(
            recorded(() -> copies.upload(on.a, numbers(CHUNK), Region.of(block).range(0, CHUNK))))
        .isEqualTo(2);
    Bytes seen = Bytes.of(CHUNK, 0);
    assertThat(recorded(() -> copies.download(on.a, Region.of(block).range(0, CHUNK), seen)))
        .isEqualTo(2);
    memory.deallocate(other);
  }

  private long recorded(Runnable copy) {
    long before = on.device.calls(DriverCall.RECORD_EVENT);
    copy.run();
    return on.device.calls(DriverCall.RECORD_EVENT) - before;
  }

  @Test
  void afterADownloadTheStreamIsKnownToBeDone() {
    content();
    assertThat(on.a.completed()).isEqualTo(on.a.submitted());
  }
}
