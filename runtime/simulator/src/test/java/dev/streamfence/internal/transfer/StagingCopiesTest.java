package dev.streamfence.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.internal.memory.Waiting;
import dev.streamfence.internal.transfer.StagingCopies.OfferedBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The pieces of one transfer, and who copies them. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StagingCopiesTest {
  private static final int PIECE = 64;
  private static final String HELPER = "helper";

  /** A piece that was copied. */
  private record Copied(long offset, int bytes, boolean byCaller) {}

  private final List<Copied> copied = Collections.synchronizedList(new ArrayList<>());

  private void note(ByteBuffer piece, long offset) {
    copied.add(new Copied(offset, piece.remaining(), !isHelper()));
  }

  private static boolean isHelper() {
    return Thread.currentThread().getName().equals(HELPER);
  }

  private static void startThread(Runnable helper) {
    Thread thread = new Thread(helper, HELPER);
    thread.setDaemon(true);
    thread.start();
  }

  @Test
  void piecesFollowEachOtherAndBeginWhereACacheLineDoes() {
    try (StagingCopies copies = new StagingCopies(1000, Runnable::run, 3, 100, this::note)) {
      copies.await(copies.offer(ByteBuffer.allocate(1000), 5_000_000_000L));
    }
    long next = 5_000_000_000L;
    for (Copied piece : copied) {
      assertThat(piece.offset()).isEqualTo(next);
      assertThat(piece.offset() % PIECE).isEqualTo(5_000_000_000L % PIECE);
      assertThat(piece.bytes()).isBetween(1, 128);
      next += piece.bytes();
    }
    assertThat(next).isEqualTo(5_000_001_000L);
  }

  @Test
  void theCallingThreadGoesOnWithTheNextBufferWhileAHelperIsNotDone() {
    CountDownLatch helping = new CountDownLatch(1);
    CountDownLatch nextBuffer = new CountDownLatch(2);
    StagingCopies.PieceCopy copy =
        (piece, offset) -> {
          if (isHelper()) {
            helping.countDown();
            Waiting.await(nextBuffer);
          }
          note(piece, offset);
          if (offset >= 2 * PIECE) {
            nextBuffer.countDown();
          }
        };
    try (StagingCopies copies =
        new StagingCopies(4 * PIECE, StagingCopiesTest::startThread, 1, PIECE, copy)) {
      OfferedBuffer first = copies.offer(ByteBuffer.allocate(2 * PIECE), 0);
      Waiting.await(helping);
      OfferedBuffer second = copies.offer(ByteBuffer.allocate(2 * PIECE), 2 * PIECE);
      copies.await(first);
      assertThat(copied).filteredOn(Copied::byCaller).hasSize(3);
      copies.await(second);
      assertThat(copied).hasSize(4);
    }
  }

  @Test
  void nothingIsCopiedAfterTheEnd() throws InterruptedException {
    CountDownLatch helping = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicBoolean isClosed = new AtomicBoolean();
    StagingCopies copies =
        new StagingCopies(
            8 * PIECE,
            StagingCopiesTest::startThread,
            1,
            PIECE,
            (piece, offset) -> {
              helping.countDown();
              Waiting.await(goOn);
              assertThat(isClosed).isFalse();
              note(piece, offset);
            });
    copies.offer(ByteBuffer.allocate(8 * PIECE), 0);
    Waiting.await(helping);
    Thread closing =
        Waiting.thread(
            () -> {
              copies.close();
              isClosed.set(true);
            });
    assertThat(isClosed).isFalse();
    goOn.countDown();
    closing.join();
    assertThat(copied).hasSize(1);
  }

  @Test
  void helpersThatNoThreadIsFreeForAreAskedForAgain() {
    List<Runnable> asked = new ArrayList<>();
    try (StagingCopies copies =
        new StagingCopies(
            8 * PIECE,
            helper -> {
              asked.add(helper);
              throw new RejectedExecutionException("as planned");
            },
            3,
            PIECE,
            this::note)) {
      copies.await(copies.offer(ByteBuffer.allocate(4 * PIECE), 0));
      copies.await(copies.offer(ByteBuffer.allocate(4 * PIECE), 4 * PIECE));
    }
    assertThat(asked).hasSize(2);
    assertThat(copied).hasSize(8).allMatch(Copied::byCaller);
  }

  @Test
  void noMoreHelpersComeThanAreAllowedOrHaveAPiece() {
    List<Runnable> asked = new ArrayList<>();
    try (StagingCopies copies = new StagingCopies(99 * PIECE, asked::add, 3, PIECE, this::note)) {
      copies.offer(ByteBuffer.allocate(2 * PIECE), 0);
      assertThat(asked).hasSize(1);
      copies.offer(ByteBuffer.allocate(97 * PIECE), 2 * PIECE);
      assertThat(asked).hasSize(3);
    }
  }

  @Test
  void aHelperThatHasNothingToDoLeavesAndIsAskedForAgain() {
    List<Runnable> asked = new ArrayList<>();
    try (StagingCopies copies =
        new StagingCopies(
            8 * PIECE,
            helper -> {
              asked.add(helper);
              helper.run();
            },
            1,
            PIECE,
            this::note)) {
      copies.await(copies.offer(ByteBuffer.allocate(4 * PIECE), 0));
      copies.await(copies.offer(ByteBuffer.allocate(4 * PIECE), 4 * PIECE));
    }
    assertThat(asked).hasSize(2);
    assertThat(copied).hasSize(8);
  }

  @Test
  void noHelperIsAskedForAfterOneHasFailed() {
    List<Runnable> asked = new ArrayList<>();
    AtomicBoolean isHelping = new AtomicBoolean();
    try (StagingCopies copies =
        new StagingCopies(
            8 * PIECE,
            helper -> {
              asked.add(helper);
              isHelping.set(true);
              helper.run();
              isHelping.set(false);
            },
            1,
            PIECE,
            (piece, offset) -> {
              if (isHelping.get()) {
                throw new StackOverflowError("as planned");
              }
              note(piece, offset);
            })) {
      OfferedBuffer first = copies.offer(ByteBuffer.allocate(4 * PIECE), 0);
      OfferedBuffer second = copies.offer(ByteBuffer.allocate(4 * PIECE), 4 * PIECE);
      copies.await(first);
      copies.await(second);
    }
    assertThat(asked).hasSize(1);
    assertThat(copied.stream().map(Copied::offset).distinct()).hasSize(8);
  }

  @Test
  void helpersThatCameAreCountedAlsoWhenAShortBufferNeedsFewer() {
    List<Runnable> asked = new ArrayList<>();
    try (StagingCopies copies = new StagingCopies(99 * PIECE, asked::add, 3, PIECE, this::note)) {
      copies.offer(ByteBuffer.allocate(9 * PIECE), 0);
      copies.offer(ByteBuffer.allocate(PIECE), 9 * PIECE);
      copies.offer(ByteBuffer.allocate(9 * PIECE), 10 * PIECE);
      assertThat(asked).hasSize(3);
    }
  }

  @Test
  void allHelpersThatDidNotComeAreAskedForAgain() {
    List<Runnable> asked = new ArrayList<>();
    AtomicBoolean isBusy = new AtomicBoolean(true);
    try (StagingCopies copies =
        new StagingCopies(
            99 * PIECE,
            helper -> {
              asked.add(helper);
              if (isBusy.get()) {
                throw new OutOfMemoryError("no thread can be made, as planned");
              }
            },
            3,
            PIECE,
            this::note)) {
      copies.offer(ByteBuffer.allocate(9 * PIECE), 0);
      isBusy.set(false);
      copies.offer(ByteBuffer.allocate(9 * PIECE), 9 * PIECE);
    }
    assertThat(asked).hasSize(1 + 3);
  }

  @Test
  void whatTheCallingThreadCannotCopyEndsTheTransfer() {
    IllegalStateException planned = new IllegalStateException("as planned");
    assertThatThrownBy(
            () -> {
              try (StagingCopies copies =
                  new StagingCopies(
                      2 * PIECE,
                      Runnable::run,
                      1,
                      PIECE,
                      (piece, offset) -> {
                        throw planned;
                      })) {
                copies.await(copies.offer(ByteBuffer.allocate(2 * PIECE), 0));
              }
            })
        .isSameAs(planned);
  }
}
