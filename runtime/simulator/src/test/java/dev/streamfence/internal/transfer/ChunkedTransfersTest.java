package dev.streamfence.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.memory.SimulatedStreams;
import dev.streamfence.internal.memory.UpstreamResource;
import dev.streamfence.internal.memory.Waiting;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.transfer.StagingPool.Chunk;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transfers in pieces, with few chunks or failures: whom the chunks belong to meanwhile. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ChunkedTransfersTest {
  private static final int PIECE = 64;
  private static final int CHUNK = 2 * PIECE;
  private static final int CHUNKS = 8;
  private static final int SIZE = 5 * CHUNK + 3;
  private static final String HELPER = "helper";
  private static final IllegalStateException PLANNED = new IllegalStateException("as planned");

  /** Whether to look, when an event is recorded, if a chunk can be taken. */
  private boolean isWatching;

  private boolean wasAvailable;
  private final SimulatedStreams on =
      new SimulatedStreams(
          Schedule.LAZY,
          (method, call) -> {
            if (isWatching && method.equals("recordEvent")) {
              wasAvailable |= available() > 0;
            }
            return call.proceed();
          });
  private final UpstreamResource memory = UpstreamResource.streamOrdered(on.pool, false);
  private final StagingPool pool = new StagingPool(on.driver, on.pool.hostMemory(), CHUNK);
  private final Deque<Chunk> taken = new ArrayDeque<>();
  private final Allocation block = memory.allocate(SIZE, on.a, "");

  @AfterEach
  void close() {
    isWatching = false;
    taken.forEach(pool::giveBack);
    pool.destroy(false);
    memory.deallocate(block);
    on.pool.synchronizeAll("the end");
    on.close();
  }

  private static Bytes numbers() {
    Bytes numbers = Bytes.of(SIZE, 0);
    for (int i = 0; i < SIZE; i++) {
      numbers.values()[i] = (byte) (i * 7 + 1);
    }
    return numbers;
  }

  /** How many chunks can be taken now. */
  private int available() {
    Deque<Chunk> free = new ArrayDeque<>();
    for (Chunk chunk = pool.tryTakeReady(); chunk != null; chunk = pool.tryTakeReady()) {
      free.add(chunk);
    }
    free.forEach(pool::giveBack);
    return free.size();
  }

  private void take(int count) {
    for (int i = 0; i < count; i++) {
      taken.add(pool.take());
    }
  }

  private void upload(HostBytes source, int helpers) {
    StagingCopies copies =
        new StagingCopies(
            SIZE, helper -> new Thread(helper, HELPER).start(), helpers, PIECE, source::writeTo);
    new ChunkedUpload(pool, copies, on.a, on.pool.sticky(), Region.of(block))
        .run(on.driver, on.a.stream());
  }

  private void download(HostBytes target, int helpers) {
    StagingCopies copies =
        new StagingCopies(
            SIZE, helper -> new Thread(helper, HELPER).start(), helpers, PIECE, target::readFrom);
    try {
      new ChunkedDownload(on.pool, pool, copies, on.a, Region.of(block), null)
          .run(new NamedUse("a download"));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatGoesUpComesBackWhateverTheNumberOfHelpers() {
    for (int helpers = 0; helpers < 4; helpers++) {
      upload(numbers(), helpers);
      Bytes seen = Bytes.of(SIZE, 0);
      download(seen, helpers);
      assertThat(seen.values()).isEqualTo(numbers().values());
      on.copies.fill(on.a, Region.of(block), 1, 0);
    }
  }

  @Test
  void oneChunkIsEnough() {
    take(CHUNKS - 1);
    upload(numbers(), 1);
    Bytes seen = Bytes.of(SIZE, 0);
    download(seen, 1);
    assertThat(seen.values()).isEqualTo(numbers().values());
  }

  @Test
  void aChunkBelongsToItsTransferUntilAnEventCoversItsCopy() {
    take(CHUNKS - 1);
    isWatching = true;
    upload(numbers(), 0);
    assertThat(wasAvailable).isFalse();
  }

  @Test
  void chunksOfAnUploadThatFailsGoBackToThePool() {
    on.device.failCall(DriverCall.COPY_TO_DEVICE_ASYNC, 2, 1);
    assertThatThrownBy(() -> upload(numbers(), 0)).isInstanceOf(CudaDriverException.class);
    on.pool.synchronizeAll("the copies that were queued");
    take(CHUNKS);
    assertThat(taken).doesNotHaveDuplicates();
  }

  /** Fails in the calling thread, once a helper copies, which stops until it may go on. */
  private static final class HalfFailing implements HostBytes {
    private final CountDownLatch helping = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @Override
    public void writeTo(ByteBuffer buffer, long offset) {
      if (Thread.currentThread().getName().equals(HELPER)) {
        helping.countDown();
        Waiting.await(goOn);
      } else {
        Waiting.await(helping);
        throw PLANNED;
      }
    }

    @Override
    public void readFrom(ByteBuffer buffer, long offset) {
      writeTo(buffer, offset);
    }
  }

  private void failsWhenItsHelperIsDone(HalfFailing bytes, Runnable transfer) throws Exception {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    Thread failing =
        new Thread(
            () -> {
              try {
                transfer.run();
                failure.complete(null);
              } catch (RuntimeException e) {
                failure.complete(e);
              }
            });
    take(2);
    failing.start();
    Waiting.await(bytes.helping);
    Waiting.await(failing);
    assertThat(failure).isNotDone();
    // It holds two: the others are left to other transfers.
    assertThat(available()).isEqualTo(CHUNKS - 2 - 2);
    bytes.goOn.countDown();
    failing.join();
    assertThat(failure.get()).isSameAs(PLANNED);
    on.pool.synchronizeAll("the copies that were queued");
    assertThat(available()).isEqualTo(CHUNKS - 2);
  }

  @Test
  void anUploadThatFailsWaitsForItsHelpersBeforeItsChunksAreOfOthers() throws Exception {
    HalfFailing source = new HalfFailing();
    failsWhenItsHelperIsDone(source, () -> upload(source, 1));
  }

  @Test
  void aDownloadThatFailsWaitsForItsHelpersBeforeItsChunksAreOfOthers() throws Exception {
    HalfFailing target = new HalfFailing();
    failsWhenItsHelperIsDone(target, () -> download(target, 1));
  }
}
