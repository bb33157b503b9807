package dev.streamfence.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.memory.SimulatedStreams;
import dev.streamfence.internal.memory.UpstreamResource;
import dev.streamfence.internal.memory.Waiting;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A download of more pieces than fit into staging memory, and what other threads do while it copies
 * the first ones on the host. The simulated device reports every access that nothing orders.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LongDownloadTest {
  private static final int CHUNK = 16;
  private static final int SIZE = 5 * CHUNK + 3;

  /** Stops at its first piece until it may go on. */
  private static final class HeldBytes implements HostBytes {
    private final Bytes bytes = Bytes.of(SIZE, 0);
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @Override
    public void writeTo(ByteBuffer buffer, long offset) {
      throw new AssertionError("a download reads no host data");
    }

    @Override
    public void readFrom(ByteBuffer buffer, long offset) {
      reached.countDown();
      Waiting.await(goOn);
      bytes.readFrom(buffer, offset);
    }
  }

  /** The block on stream a, a download of it that copies its first piece, and another block. */
  private static final class Scene implements AutoCloseable {
    final SimulatedStreams on;
    final DeviceCopies copies;
    final UpstreamResource memory;
    final Allocation block;
    final Allocation other;
    final HeldBytes seen = new HeldBytes();
    final Thread downloading;
    private final CompletableFuture<Boolean> result = new CompletableFuture<>();
    private final List<Thread> threads = new ArrayList<>();
    private boolean isOpen = true;

    Scene(Schedule schedule) {
      on = new SimulatedStreams(schedule);
      copies = new DeviceCopies(on.pool, CHUNK, 1);
      memory = UpstreamResource.streamOrdered(on.pool, false);
      block = memory.allocate(SIZE, on.a, "");
      other = memory.allocate(SIZE, on.a, "");
      copies.upload(on.a, numbers(), Region.of(block));
      downloading =
          new Thread(
              () -> {
                try {
                  copies.download(on.a, Region.of(block), seen);
                  result.complete(true);
                } catch (RuntimeException e) {
                  result.completeExceptionally(e);
                }
              });
      downloading.start();
      Waiting.await(seen.reached);
    }

    /** Runs something that has to wait for the download. */
    void waiting(Runnable work) {
      threads.add(Waiting.thread(work));
    }

    void goOn() {
      seen.goOn.countDown();
      join(downloading);
      threads.forEach(LongDownloadTest::join);
    }

    byte[] content(Allocation of) {
      Bytes content = Bytes.of(SIZE, -1);
      copies.download(on.a, Region.of(of), content);
      return content.values();
    }

    void free(Allocation allocation) {
      memory.deallocate(allocation);
      isOpen &= allocation != block;
    }

    @Override
    public void close() {
      goOn();
      if (isOpen) {
        memory.deallocate(block);
      }
      memory.deallocate(other);
      on.pool.synchronizeAll("the end");
      copies.destroy(true);
      on.close();
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Bytes numbers() {
    Bytes numbers = Bytes.of(SIZE, 0);
    for (int i = 0; i < SIZE; i++) {
      numbers.values()[i] = (byte) (i + 1);
    }
    return numbers;
  }

  @ParameterizedTest
  @EnumSource
  void anotherThreadUsesTheSameStreamMeanwhile(Schedule schedule) throws Exception {
    try (Scene scene = new Scene(schedule)) {
      scene.copies.fill(scene.on.a, Region.of(scene.other), 1, 7);
      assertThat(scene.content(scene.other)).containsOnly(7);
      // Reads do not wait for each other, even of the same memory.
      scene.copies.copy(scene.on.a, Region.of(scene.block), Region.of(scene.other));
      assertThat(scene.content(scene.other)).isEqualTo(numbers().values());
      assertThat(scene.downloading.isAlive()).isTrue();
      scene.goOn();
      assertThat(scene.seen.bytes.values()).isEqualTo(numbers().values());
      assertThat(scene.result.get()).isTrue();
    }
  }

  @Test
  void itComesAfterEverythingThatWasQueuedOnItsStreamBefore() {
    try (Scene scene = new Scene(Schedule.LAZY)) {
      scene.goOn();
      scene.copies.fill(scene.on.a, Region.of(scene.other), 1, 7);
      assertThat(scene.content(scene.block)).isEqualTo(numbers().values());
      assertThat(scene.on.driver.isStreamIdle(scene.on.a.stream())).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWriterOnTheSameStreamComesAfterTheLastPiece(Schedule schedule) {
    try (Scene scene = new Scene(schedule)) {
      scene.waiting(() -> scene.copies.fill(scene.on.a, Region.of(scene.block), 1, 7));
      scene.goOn();
      assertThat(scene.seen.bytes.values()).isEqualTo(numbers().values());
      assertThat(scene.content(scene.block)).containsOnly(7);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWriterOnAnotherStreamComesAfterTheLastPiece(Schedule schedule) {
    try (Scene scene = new Scene(schedule)) {
      scene.waiting(() -> scene.copies.fill(scene.on.b, Region.of(scene.block), 1, 7));
      scene.goOn();
      assertThat(scene.seen.bytes.values()).isEqualTo(numbers().values());
      assertThat(scene.content(scene.block)).containsOnly(7);
    }
  }

  @Test
  void aCloseMeanwhileFreesTheMemoryAfterTheLastPiece() {
    try (Scene scene = new Scene(Schedule.LAZY)) {
      scene.free(scene.block);
      assertThat(scene.block.isOpen()).isFalse();
      assertThat(scene.on.device.calls(DriverCall.FREE_ASYNC)).isZero();
      scene.goOn();
      assertThat(scene.on.device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
      assertThat(scene.seen.bytes.values()).isEqualTo(numbers().values());
    }
  }

  @Test
  void anErrorInTheMiddleLeavesArrayAndStreamUsable() {
    try (Scene scene = new Scene(Schedule.LAZY)) {
      scene.on.device.failCall(DriverCall.COPY_TO_HOST_ASYNC, 1, 1);
      scene.waiting(() -> scene.copies.fill(scene.on.a, Region.of(scene.block), 1, 7));
      scene.goOn();
      assertThatThrownBy(scene.result::get)
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOfSatisfying(
              CudaDriverException.class,
              e ->
                  assertThat(e.purpose())
                      .isEqualTo("download of 83 bytes from " + scene.block + " on " + scene.on.a));
      assertThat(scene.content(scene.block)).containsOnly(7);
    }
  }

  @Test
  void aFailureOfTheHostCopyLeavesArrayAndStreamUsable() {
    try (Scene scene = new Scene(Schedule.LAZY)) {
      scene.goOn();
      HostBytes tooShort = Bytes.of(CHUNK + 1, 0);
      assertThatThrownBy(() -> scene.copies.download(scene.on.a, Region.of(scene.block), tooShort))
          .isInstanceOf(IndexOutOfBoundsException.class);
      scene.copies.fill(scene.on.a, Region.of(scene.block), 1, 7);
      assertThat(scene.content(scene.block)).containsOnly(7);
    }
  }

  @Test
  void anInterruptInTheMiddleLeavesArrayAndStreamUsable() {
    try (Scene scene = new Scene(Schedule.LAZY)) {
      scene.goOn();
      HostBytes interrupting =
          new HostBytes() {
            @Override
            public void writeTo(ByteBuffer buffer, long offset) {}

            @Override
            public void readFrom(ByteBuffer buffer, long offset) {
              Thread.currentThread().interrupt();
            }
          };
      assertThatThrownBy(
              () ->
                  scene.copies.download(
                      scene.on.a,
                      Region.of(scene.block),
                      interrupting,
                      Deadline.after(Duration.ofDays(1))))
          .isInstanceOf(InterruptedException.class);
      assertThat(Thread.interrupted()).isFalse();
      scene.copies.fill(scene.on.a, Region.of(scene.block), 1, 7);
      assertThat(scene.content(scene.block)).containsOnly(7);
    }
  }

  @Test
  void withoutADeadlineAnInterruptChangesNothing() {
    try (Scene scene = new Scene(Schedule.LAZY)) {
      scene.goOn();
      Thread.currentThread().interrupt();
      byte[] content = scene.content(scene.block);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(content).isEqualTo(numbers().values());
    }
  }

  @Test
  void moreLongDownloadsThanTransferStreamsTakeTurns() {
    try (Scene scene = new Scene(Schedule.LAZY)) {
      List<HeldBytes> all = new ArrayList<>();
      List<Thread> threads = new ArrayList<>();
      AtomicBoolean failed = new AtomicBoolean();
      for (int i = 0; i < 6; i++) {
        HeldBytes seen = new HeldBytes();
        all.add(seen);
        threads.add(
            Waiting.thread(
                () -> {
                  try {
                    scene.copies.download(scene.on.b, Region.of(scene.block), seen);
                  } catch (RuntimeException e) {
                    failed.set(true);
                  }
                }));
      }
      // A short download needs no stream of the pool's own, and waits for none.
      Bytes few = Bytes.of(2 * CHUNK, 0);
      scene.goOn();
      while (all.stream().filter(seen -> seen.reached.getCount() == 0).count() < 3) {
        Thread.onSpinWait();
      }
      scene.copies.download(scene.on.b, Region.of(scene.block).range(0, 2 * CHUNK), few);
      assertThat(few.values()).isEqualTo(Arrays.copyOf(numbers().values(), 2 * CHUNK));
      all.forEach(seen -> seen.goOn.countDown());
      threads.forEach(LongDownloadTest::join);
      assertThat(failed).isFalse();
      assertThat(all)
          .allSatisfy(seen -> assertThat(seen.bytes.values()).isEqualTo(numbers().values()));
    }
  }

  /** Otherwise every later launch would record an event for it. */
  @Test
  void theTransferStreamDoesNotCountAsASecondStreamInUse() {
    try (Scene scene = new Scene(Schedule.LAZY)) {
      scene.goOn();
      long recorded = scene.on.device.calls(DriverCall.RECORD_EVENT);
      scene.copies.fill(scene.on.a, Region.of(scene.block), 1, 7);
      assertThat(scene.on.device.calls(DriverCall.RECORD_EVENT)).isEqualTo(recorded);
      assertThat(scene.on.device.calls(DriverCall.CREATE_STREAM)).isEqualTo(4);
    }
  }
}
