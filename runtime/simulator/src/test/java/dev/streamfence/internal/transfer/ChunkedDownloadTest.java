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
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.transfer.StagingPool.Chunk;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A download in pieces, with little staging memory, or that gives up at a deadline. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ChunkedDownloadTest {
  private static final int CHUNK = 16;
  private static final int CHUNKS = 8;
  private static final int SIZE = 5 * CHUNK + 3;
  private static final int FOR_EVER = Integer.MAX_VALUE;

  /** The number of queries of a copy that still answer no. */
  private final AtomicInteger busy = new AtomicInteger();

  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final SimulatedStreams on =
      new SimulatedStreams(
          Schedule.LAZY,
          (method, call) -> {
            calls.add(method);
            return method.equals("isEventComplete") && busy.getAndDecrement() > 0
                ? false
                : call.proceed();
          });
  private final UpstreamResource memory = UpstreamResource.streamOrdered(on.pool, false);
  private final StagingPool pool = new StagingPool(on.driver, on.pool.hostMemory(), CHUNK);
  private final Deque<Chunk> taken = new ArrayDeque<>();
  private final Bytes content = Bytes.of(SIZE, 0);
  private final Bytes seen = Bytes.of(SIZE, 0);
  private Allocation block;

  @BeforeEach
  void open() {
    for (int i = 0; i < SIZE; i++) {
      content.values()[i] = (byte) (i + 1);
    }
    block = memory.allocate(SIZE, on.a, "");
    on.copies.upload(on.a, content, Region.of(block).range(0, SIZE));
    calls.clear();
  }

  @AfterEach
  void close() {
    busy.set(0);
    taken.forEach(pool::giveBack);
    taken.clear();
    // Those of an unfinished download are back too: this would wait for them.
    pool.destroy(false);
    memory.deallocate(block);
    on.pool.synchronizeAll("the end");
    on.close();
  }

  private static Deadline passed() {
    return Deadline.after(Duration.ZERO);
  }

  private static Deadline far() {
    return Deadline.after(Duration.ofDays(1));
  }

  private void take(int count) {
    for (int i = 0; i < count; i++) {
      taken.add(pool.take());
    }
  }

  private boolean download(int bytes, Deadline deadline) throws InterruptedException {
    return new ChunkedDownload(
            on.pool,
            pool,
            new StagingThreads(1).reading(seen, bytes),
            on.a,
            Region.of(block).range(0, bytes),
            deadline)
        .run(new NamedUse("a download"));
  }

  private void assertSeen(int bytes) {
    for (int i = 0; i < SIZE; i++) {
      assertThat(seen.values()[i]).as("byte %d", i).isEqualTo((byte) (i < bytes ? i + 1 : 0));
    }
  }

  @Test
  void itIsNotNotedAsDoneBeforeItsLastPieceIs() throws Exception {
    List<Long> left = new ArrayList<>();
    HostBytes watching =
        new HostBytes() {
          @Override
          public void writeTo(ByteBuffer buffer, long offset) {
            throw new AssertionError("a download reads no host data");
          }

          @Override
          public void readFrom(ByteBuffer buffer, long offset) {
            left.add(on.a.submitted() - on.a.completed());
          }
        };
    new ChunkedDownload(
            on.pool,
            pool,
            new StagingThreads(1).reading(watching, 2 * CHUNK),
            on.a,
            Region.of(block).range(0, 2 * CHUNK),
            null)
        .run(new NamedUse("a download"));
    assertThat(left).hasSize(2);
    assertThat(left.get(0)).isPositive();
    assertThat(on.a.completed()).isEqualTo(on.a.submitted());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, CHUNKS - 2, CHUNKS - 1})
  void aDownloadNeedsOnlyOneChunk(int inUse) throws Exception {
    take(inUse);
    assertThat(download(SIZE, null)).isTrue();
    assertSeen(SIZE);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, CHUNKS - 2, CHUNKS - 1})
  void aDownloadWithADeadlineNeedsOnlyOneChunk(int inUse) throws Exception {
    take(inUse);
    busy.set(5);
    assertThat(download(SIZE, far())).isTrue();
    assertSeen(SIZE);
    assertThat(calls).doesNotContain("synchronizeEvent", "synchronizeStream");
  }

  /** With nothing held, so that the stream is free meanwhile. */
  @Test
  void aDownloadOfOneChunkWaitsForOne() throws Exception {
    take(CHUNKS);
    AtomicBoolean done = new AtomicBoolean();
    Thread downloading =
        Waiting.thread(
            () -> {
              try {
                done.set(download(CHUNK, null));
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    on.copies.fill(on.a, Region.of(block).range(CHUNK, 1), 1, 9);
    assertThat(on.a.submitted()).isGreaterThan(2);
    pool.giveBack(taken.removeFirst());
    downloading.join();
    assertThat(done).isTrue();
    assertSeen(CHUNK);
  }

  @Test
  void aDeadlineEndsTheWaitForTheOnlyChunk() throws Exception {
    take(CHUNKS);
    assertThat(download(CHUNK, passed())).isFalse();
    assertThat(calls).doesNotContain("copyToHostAsync");
    assertSeen(0);
  }

  @Test
  void aWaitWithADeadlineNeverWaitsInTheDriverForASecondChunk() throws Exception {
    take(CHUNKS);
    for (int i = 0; i < 2; i++) {
      Chunk idle = taken.removeLast();
      pool.copied(idle, on.a.stream());
      pool.giveBack(idle);
    }
    busy.set(4);
    assertThat(download(SIZE, far())).isTrue();
    assertSeen(SIZE);
    assertThat(calls).doesNotContain("synchronizeEvent", "synchronizeStream");
  }

  @Test
  void aDownloadWithoutADeadlineWaitsInTheDriver() throws Exception {
    assertThat(download(SIZE, null)).isTrue();
    assertThat(calls).contains("synchronizeEvent").doesNotContain("isEventComplete");
  }

  @Test
  void aDeadlineEndsTheWaitForAStreamThatAnotherThreadHolds() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    Thread launching =
        Waiting.thread(
            () -> {
              try (Submission launch = on.a.begin(new NamedUse("a launch"))) {
                assertThat(launch.isHeldByCurrentThread()).isTrue();
                Waiting.await(goOn);
              }
            });
    assertThat(download(SIZE, passed())).isFalse();
    assertThat(calls).doesNotContain("copyToHostAsync");
    goOn.countDown();
    launching.join();
  }

  @Test
  void aDeadlineEndsTheWaitForAChunk() throws Exception {
    take(CHUNKS);
    assertThat(download(SIZE, passed())).isFalse();
    assertThat(calls).doesNotContain("copyToHostAsync");
    assertSeen(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {CHUNK, 2 * CHUNK, SIZE})
  void aDeadlineEndsTheWaitForACopy(int bytes) throws Exception {
    busy.set(FOR_EVER);
    assertThat(download(bytes, passed())).isFalse();
    assertThat(calls)
        .contains("copyToHostAsync", "isEventComplete")
        .doesNotContain("synchronizeEvent", "synchronizeStream");
    assertSeen(0);
  }

  @Test
  void withOneChunkADeadlineEndsTheWaitForTheFirstCopy() throws Exception {
    take(CHUNKS - 1);
    busy.set(FOR_EVER);
    assertThat(download(SIZE, passed())).isFalse();
    assertSeen(0);
  }

  @Test
  void aDownloadInTimeReturnsTrue() throws Exception {
    assertThat(download(2 * CHUNK, far())).isTrue();
    assertSeen(2 * CHUNK);
    assertThat(on.a.completed()).isEqualTo(on.a.submitted());
  }

  @Test
  void chunksOfACopyThatFailsGoBackToThePool() {
    on.device.failCall(DriverCall.COPY_TO_HOST_ASYNC, 2, 1);
    assertThatThrownBy(() -> download(SIZE, null))
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.purpose()).isEqualTo("a download"));
    take(CHUNKS);
    assertThat(taken).doesNotHaveDuplicates();
  }
}
