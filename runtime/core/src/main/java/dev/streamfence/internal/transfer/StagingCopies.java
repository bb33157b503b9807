package dev.streamfence.internal.transfer;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The copies of one transfer between host data and page-locked memory. The caller offers one buffer
 * after the other; it and the threads that help it take the pieces in this order. No thread waits
 * for the others at the end of a buffer, so the bus and all threads are busy at the same time.
 *
 * <p>The calling thread copies too, and alone if no helper is free: it never waits for a copy of
 * another caller. It also copies what a helper could not, since data may be accessible to its
 * thread alone. Apart from {@link #run}, which the helpers call, confined to the calling thread.
 */
final class StagingCopies implements AutoCloseable, Runnable {
  /** Copies between a part of a buffer and the host data, from a byte of that on. */
  interface PieceCopy {
    void copy(ByteBuffer piece, long offset);
  }

  /** A buffer that was offered. */
  static final class OfferedBuffer {
    private final ByteBuffer buffer;
    private final long offset;
    private final int pieceBytes;
    private final int count;

    // Guarded by the copies of its transfer.
    private int next;
    private int left;

    private OfferedBuffer(ByteBuffer buffer, long offset, int pieces) {
      this.buffer = buffer;
      this.offset = offset;
      // Pieces of whole cache lines, and so of whole elements. One piece is as long as the buffer:
      // rounded up, it could have more bytes than an int counts.
      int last = Math.max(0, buffer.remaining() - 1);
      this.pieceBytes = pieces == 1 ? last + 1 : (last / pieces / CACHE_LINE + 1) * CACHE_LINE;
      this.count = last / pieceBytes + 1;
      this.left = count;
    }
  }

  private record Piece(OfferedBuffer offered, int index) {
    void copy(PieceCopy copy) {
      int from = index * offered.pieceBytes;
      ByteBuffer buffer = offered.buffer;
      int bytes = Math.min(offered.pieceBytes, buffer.remaining() - from);
      copy.copy(
          buffer.slice(buffer.position() + from, bytes).order(buffer.order()),
          offered.offset + from);
    }
  }

  private static final int CACHE_LINE = 64;

  /** How long a helper waits for the next piece before it is free for another transfer. */
  private static final long KEEP_ALIVE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Executor threads;
  private final int mostHelpers;
  private final int smallestPiece;
  private final PieceCopy copy;

  // All below is guarded by this: a monitor takes nothing from the Java heap, which may be full
  // while
  // a helper hands its piece back.
  private final Deque<OfferedBuffer> untaken = new ArrayDeque<>();

  /**
   * The pieces that helpers could not copy, one each at most: adding one allocates nothing, since a
   * full heap may be the reason.
   */
  private final Deque<Piece> returned;

  private int helpers;

  /** How many threads wait here. */
  private int waiting;

  /** How many bytes of the transfer are still to be offered. */
  private long unoffered;

  /** How many pieces helpers are copying. */
  private int running;

  /** Whether helpers take no further piece: one has failed, or the transfer is over. */
  private boolean isLeftToCaller;

  /**
   * Creates the copies of a transfer.
   *
   * @param bytes how many bytes the transfer has
   * @param threads runs the helpers; refuses them if all its threads are busy
   * @param mostHelpers how many threads help at the same time
   * @param smallestPiece bytes below which handing a piece over takes longer than copying it
   */
  StagingCopies(long bytes, Executor threads, int mostHelpers, int smallestPiece, PieceCopy copy) {
    this.unoffered = bytes;
    this.threads = threads;
    // Without helpers nothing is shared, and a transfer of a few bytes takes no lock.
    this.mostHelpers = bytes < 2L * smallestPiece ? 0 : mostHelpers;
    this.smallestPiece = smallestPiece;
    this.copy = copy;
    this.returned = new ArrayDeque<>(this.mostHelpers);
  }

  /**
   * Lets the remaining bytes of a buffer be copied. The buffer belongs to these copies until {@link
   * #await} or {@link #close} has returned.
   *
   * @param offset where its bytes begin in the host data
   */
  OfferedBuffer offer(ByteBuffer buffer, long offset) {
    int pieces = mostHelpers == 0 ? 1 : Math.max(1, buffer.remaining() / smallestPiece);
    OfferedBuffer offered = new OfferedBuffer(buffer, offset, pieces);
    if (mostHelpers == 0) {
      return offered;
    }
    int missing = add(offered);
    for (; missing > 0; missing--) {
      try {
        threads.execute(this);
      } catch (RejectedExecutionException | OutOfMemoryError allBusy) {
        // This thread copies what no other thread takes.
        giveUp(missing);
        break;
      }
    }
    return offered;
  }

  /** Adds a buffer, and returns how many helpers to ask for, who count from now on. */
  private synchronized int add(OfferedBuffer offered) {
    untaken.addLast(offered);
    unoffered -= offered.buffer.remaining();
    wake();
    int missing =
        isLeftToCaller ? 0 : Math.max(0, Math.min(mostHelpers, offered.count - 1) - helpers);
    helpers += missing;
    return missing;
  }

  private synchronized void giveUp(int count) {
    helpers -= count;
  }

  /** Copies pieces, this buffer's and later ones, until this buffer is copied. */
  void await(OfferedBuffer offered) {
    if (mostHelpers == 0) {
      new Piece(offered, 0).copy(copy);
      return;
    }
    Piece copied = null;
    for (Piece piece = take(offered, copied); piece != null; piece = take(offered, copied)) {
      piece.copy(copy);
      copied = piece;
    }
  }

  /**
   * The next piece for the calling thread; null once a buffer is copied.
   *
   * @param copied the piece that it has just copied; null if it has copied none
   */
  private synchronized @Nullable Piece take(OfferedBuffer offered, @Nullable Piece copied) {
    if (copied != null) {
      copied.offered.left--;
    }
    Piece piece = null;
    boolean isInterrupted = false;
    while (offered.left > 0 && piece == null) {
      piece = returned.isEmpty() ? poll() : returned.removeFirst();
      if (piece == null) {
        // A moment at most: each piece that is left is being copied.
        isInterrupted |= pause(0);
      }
    }
    keep(isInterrupted);
    return piece;
  }

  /** Ends the copies. On return, no thread copies any more. */
  @Override
  public synchronized void close() {
    isLeftToCaller = true;
    wake();
    boolean isInterrupted = false;
    while (running > 0) {
      isInterrupted |= pause(0);
    }
    keep(isInterrupted);
  }

  /** A helper's part. */
  @Override
  public void run() {
    for (Piece piece = takeAsHelper(); piece != null; piece = takeAsHelper()) {
      boolean isCopied = false;
      try {
        piece.copy(copy);
        isCopied = true;
      } catch (RuntimeException | Error mayBeTheThread) {
        // The data of a confined arena, for example, is accessible to its own thread alone.
      } finally {
        helped(piece, isCopied);
      }
    }
  }

  /** The next piece for a helper; null if it is to leave. */
  private synchronized @Nullable Piece takeAsHelper() {
    Piece piece = null;
    try {
      awaitOffer();
      piece = isLeftToCaller ? null : poll();
      return piece;
    } finally {
      if (piece == null) {
        helpers--;
      } else {
        running++;
      }
    }
  }

  /** Waits for a piece, as long as a helper does, or until it is interrupted. Held: this. */
  private void awaitOffer() {
    long begun = System.nanoTime();
    long left = KEEP_ALIVE_NANOS;
    while (untaken.isEmpty() && unoffered > 0 && !isLeftToCaller && left > 0) {
      if (pause(left)) {
        return;
      }
      left = KEEP_ALIVE_NANOS - (System.nanoTime() - begun);
    }
  }

  private synchronized void helped(Piece piece, boolean isCopied) {
    running--;
    if (isCopied) {
      piece.offered.left--;
    } else {
      isLeftToCaller = true;
      returned.addLast(piece);
    }
    if (piece.offered.left == 0 || isLeftToCaller) {
      wake();
    }
  }

  /**
   * Waits for another thread; returns whether that was interrupted. Held: this.
   *
   * @param nanos for how long; 0 until it is woken
   */
  @SuppressWarnings("WaitNotInLoop") // Each caller looks again.
  private boolean pause(long nanos) {
    waiting++;
    try {
      wait(nanos / 1_000_000, (int) (nanos % 1_000_000));
      return false;
    } catch (InterruptedException e) {
      return true;
    } finally {
      waiting--;
    }
  }

  /** Lets those who wait look again. Held: this. */
  private void wake() {
    if (waiting > 0) {
      notifyAll();
    }
  }

  private static void keep(boolean isInterrupted) {
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The next piece; null if all are taken. Held: this. */
  private @Nullable Piece poll() {
    OfferedBuffer offered = untaken.peekFirst();
    if (offered == null) {
      return null;
    }
    Piece piece = new Piece(offered, offered.next++);
    if (offered.next == offered.count) {
      untaken.removeFirst();
    }
    return piece;
  }
}
