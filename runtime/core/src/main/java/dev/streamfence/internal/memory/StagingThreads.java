package dev.streamfence.internal.memory;

import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Copies between host data and page-locked memory by several threads: one thread does not reach the
 * speed of the bus. The helping threads belong to the process, are daemons, and end when they have
 * had nothing to do for a while. The calling thread copies too, and alone if no helper is free, so
 * it never waits for a copy of another caller. It also copies what a helper could not, since data
 * may be accessible to its thread alone. Immutable and thread-safe.
 */
final class StagingThreads {
  /** A smaller piece takes less time than handing it to another thread. */
  static final int SMALLEST_PIECE_BYTES = 512 << 10;

  private static final AtomicInteger NUMBERS = new AtomicInteger();

  /** At most one helper for each processor, whatever the number of runtimes. */
  private static final ThreadPoolExecutor HELPERS =
      new ThreadPoolExecutor(
          0,
          Runtime.getRuntime().availableProcessors(),
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          work -> {
            Thread thread = new Thread(work, "streamfence staging " + NUMBERS.incrementAndGet());
            thread.setDaemon(true);
            return thread;
          });

  private final int threads;

  /**
   * Creates the copies of one runtime.
   *
   * @param threads how many threads copy at the same time, the calling one included; at least 1
   */
  StagingThreads(int threads) {
    this.threads = threads;
  }

  /** Like {@link HostBytes#writeTo}. */
  void write(HostBytes source, ByteBuffer buffer, long offset) {
    copy(buffer, (piece, at) -> source.writeTo(piece, offset + at));
  }

  /** Like {@link HostBytes#readFrom}. */
  void read(HostBytes target, ByteBuffer buffer, long offset) {
    copy(buffer, (piece, at) -> target.readFrom(piece, offset + at));
  }

  private interface PieceCopy {
    void copy(ByteBuffer piece, int at);
  }

  private void copy(ByteBuffer buffer, PieceCopy copy) {
    int bytes = buffer.remaining();
    int pieces = Math.min(threads, bytes / SMALLEST_PIECE_BYTES);
    if (pieces < 2) {
      copy.copy(buffer, 0);
      return;
    }
    // Each piece begins at a multiple of the largest element.
    int size = (bytes / pieces + Long.BYTES - 1) & -Long.BYTES;
    new Pieces(buffer, size, copy).copyAll(pieces - 1);
  }

  /** The pieces of one copy, taken by the calling thread and by those that help it. */
  private static final class Pieces implements Runnable {
    private final ByteBuffer buffer;
    private final int size;
    private final int count;
    private final PieceCopy copy;
    private final AtomicInteger next = new AtomicInteger();

    /** Whether a helper has failed, so that the calling thread copies what is left. */
    private volatile boolean isLeftToCaller;

    // Guarded by this.
    private final int[] returned;
    private int returnedCount;
    private int left;

    Pieces(ByteBuffer buffer, int size, PieceCopy copy) {
      this.buffer = buffer;
      this.size = size;
      this.copy = copy;
      this.count = (buffer.remaining() + size - 1) / size;
      this.returned = new int[count];
      this.left = count;
    }

    /** Copies all pieces, and throws what one of them threw in the calling thread. */
    void copyAll(int helpers) {
      try {
        for (int i = 0; i < helpers; i++) {
          HELPERS.execute(this);
        }
      } catch (RejectedExecutionException | OutOfMemoryError allBusy) {
        // This thread copies what no other thread takes.
      }
      Throwable failure = null;
      for (int i = take(); i >= 0; i = take()) {
        try {
          copy(i);
        } catch (RuntimeException | Error e) {
          failure = failure == null ? e : failure;
        } finally {
          done();
        }
      }
      if (failure instanceof RuntimeException e) {
        throw e;
      }
      if (failure instanceof Error e) {
        throw e;
      }
    }

    /** A helper's part. */
    @Override
    public void run() {
      while (!isLeftToCaller) {
        int i = next.getAndIncrement();
        if (i >= count) {
          return;
        }
        boolean copied = false;
        try {
          copy(i);
          copied = true;
        } catch (RuntimeException | Error mayBeTheThread) {
          // The data of a confined arena, for example, is accessible to its own thread alone.
        } finally {
          if (copied) {
            done();
          } else {
            giveBack(i);
          }
        }
      }
    }

    private void copy(int i) {
      int from = i * size;
      int bytes = Math.min(size, buffer.remaining() - from);
      copy.copy(buffer.slice(buffer.position() + from, bytes).order(buffer.order()), from);
    }

    /** The next piece for the calling thread; -1 when all pieces are copied. */
    private int take() {
      int i = next.getAndIncrement();
      return i < count ? i : takeReturned();
    }

    private synchronized int takeReturned() {
      boolean interrupted = false;
      while (left > 0 && returnedCount == 0) {
        try {
          wait();
        } catch (InterruptedException e) {
          // A moment at most: each piece that is left is being copied.
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      return left == 0 ? -1 : returned[--returnedCount];
    }

    private synchronized void done() {
      left--;
      if (left == 0) {
        notifyAll();
      }
    }

    private synchronized void giveBack(int i) {
      isLeftToCaller = true;
      returned[returnedCount++] = i;
      notifyAll();
    }
  }
}
