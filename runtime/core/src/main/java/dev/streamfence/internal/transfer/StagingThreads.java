package dev.streamfence.internal.transfer;

import java.nio.ByteBuffer;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that help with copies between host data and page-locked memory: one thread does not
 * reach the speed of the bus. They belong to the process, are daemons, and end when they have had
 * nothing to do for a while. Immutable and thread-safe.
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
            String name = "streamfence staging " + NUMBERS.incrementAndGet();
            // A helper would keep what belongs to the caller while copies follow each other.
            Thread thread = new Thread(null, work, name, 0, false);
            thread.setContextClassLoader(StagingThreads.class.getClassLoader());
            thread.setDaemon(true);
            return thread;
          });

  private final int threads;

  /**
   * Creates the threads for the copies of one runtime.
   *
   * @param threads how many threads copy at the same time, the calling one included; at least 1
   */
  StagingThreads(int threads) {
    this.threads = threads;
  }

  /** The copies of one transfer from host data to buffers. */
  StagingCopies writing(HostBytes source, long bytes) {
    return copies(bytes, source::writeTo);
  }

  /** The copies of one transfer from buffers to host data. */
  StagingCopies reading(HostBytes target, long bytes) {
    return copies(bytes, target::readFrom);
  }

  private StagingCopies copies(long bytes, StagingCopies.PieceCopy copy) {
    return new StagingCopies(bytes, HELPERS, threads - 1, SMALLEST_PIECE_BYTES, copy);
  }

  /** Copies a buffer to host data. */
  void read(HostBytes target, ByteBuffer buffer) {
    try (StagingCopies copies = reading(target, buffer.remaining())) {
      copies.await(copies.offer(buffer, 0));
    }
  }
}
