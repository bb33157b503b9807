package dev.streamfence.internal.transfer;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies by several threads: each byte once, whichever thread takes it. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StagingThreadsTest {
  private static final int PIECE = StagingThreads.SMALLEST_PIECE_BYTES;

  /** Host data that notes which threads move it. */
  private static final class NotedBytes implements HostBytes {
    private final byte[] bytes;
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final List<String> orders = new ArrayList<>();

    /** How often each byte was moved. */
    private final byte[] moves;

    NotedBytes(int size) {
      bytes = new byte[size];
      moves = new byte[size];
    }

    @Override
    public void writeTo(ByteBuffer buffer, long offset) {
      note(buffer, (int) offset);
      buffer.put(bytes, (int) offset, buffer.remaining());
    }

    @Override
    public void readFrom(ByteBuffer buffer, long offset) {
      note(buffer, (int) offset);
      buffer.get(bytes, (int) offset, buffer.remaining());
    }

    private void note(ByteBuffer buffer, int offset) {
      threads.add(Thread.currentThread());
      synchronized (orders) {
        orders.add(buffer.order().toString());
        for (int i = 0; i < buffer.remaining(); i++) {
          moves[offset + i]++;
        }
      }
    }

    private void requireMovedOnceFrom(int first) {
      byte[] once = new byte[moves.length];
      Arrays.fill(once, first, once.length, (byte) 1);
      assertThat(moves).isEqualTo(once);
    }
  }

  private static void write(
      StagingThreads threads, HostBytes source, ByteBuffer buffer, long offset) {
    try (StagingCopies copies = threads.writing(source, buffer.remaining())) {
      copies.await(copies.offer(buffer, offset));
    }
  }

  private static void read(
      StagingThreads threads, HostBytes target, ByteBuffer buffer, long offset) {
    try (StagingCopies copies = threads.reading(target, buffer.remaining())) {
      copies.await(copies.offer(buffer, offset));
    }
  }

  private static byte[] numbered(int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (i * 31 + (i >>> 8));
    }
    return bytes;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, PIECE, 2 * PIECE - 1, 2 * PIECE, 3 * PIECE + 5, 8 * PIECE + 1})
  void everyByteArrivesOnce(int size) {
    for (int threads = 1; threads <= 5; threads++) {
      StagingThreads copies = new StagingThreads(threads);
      NotedBytes source = new NotedBytes(size + 3);
      System.arraycopy(numbered(size), 0, source.bytes, 3, size);
      ByteBuffer buffer = ByteBuffer.allocate(size + 2).order(ByteOrder.nativeOrder());
      buffer.position(2);
      write(copies, source, buffer.slice().order(ByteOrder.nativeOrder()), 3);
      NotedBytes target = new NotedBytes(size + 3);
      read(copies, target, buffer.slice(2, size).order(ByteOrder.nativeOrder()), 3);
      assertThat(target.bytes).isEqualTo(source.bytes);
      source.requireMovedOnceFrom(3);
      target.requireMovedOnceFrom(3);
      assertThat(source.orders).containsOnly(ByteOrder.nativeOrder().toString());
    }
  }

  @Test
  void smallCopiesAndCopiesByOneThreadStayInTheCallingThread() {
    NotedBytes small = new NotedBytes(2 * PIECE - 1);
    read(new StagingThreads(4), small, ByteBuffer.allocate(2 * PIECE - 1), 0);
    NotedBytes alone = new NotedBytes(8 * PIECE);
    read(new StagingThreads(1), alone, ByteBuffer.allocate(8 * PIECE), 0);
    assertThat(small.threads).containsExactly(Thread.currentThread());
    assertThat(alone.threads).containsExactly(Thread.currentThread());
  }

  /** The helpers of the tests before may not be back yet; a copy then has none. */
  private static final IllegalStateException HELPERS_ARE_BUSY =
      new IllegalStateException("no helper is free");

  private static void untilAHelperIsFree(Runnable copy) {
    for (; ; ) {
      try {
        copy.run();
        return;
      } catch (IllegalStateException e) {
        if (e != HELPERS_ARE_BUSY) {
          throw e;
        }
      }
    }
  }

  @Test
  void helpersAreNamedDaemonsThatCopyAtTheSameTime() {
    CyclicBarrier together = new CyclicBarrier(2);
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    HostBytes meeting =
        new HostBytes() {
          @Override
          public void writeTo(ByteBuffer buffer, long offset) {
            threads.add(Thread.currentThread());
            try {
              together.await(1, SECONDS);
            } catch (TimeoutException | BrokenBarrierException e) {
              throw HELPERS_ARE_BUSY;
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }

          @Override
          public void readFrom(ByteBuffer buffer, long offset) {}
        };
    untilAHelperIsFree(
        () -> {
          together.reset();
          threads.clear();
          write(new StagingThreads(2), meeting, ByteBuffer.allocate(2 * PIECE), 0);
        });
    assertThat(threads).hasSize(2).contains(Thread.currentThread());
    threads.remove(Thread.currentThread());
    assertThat(threads)
        .allSatisfy(
            helper -> {
              assertThat(helper.isDaemon()).isTrue();
              assertThat(helper.getName()).startsWith("streamfence staging ");
            });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatACopyThrowsIsThrownWhenNoPieceIsMovedAnyMore(boolean isRead) {
    Thread caller = Thread.currentThread();
    CountDownLatch helping = new CountDownLatch(1);
    AtomicBoolean isThrowing = new AtomicBoolean();
    AtomicBoolean hasThrown = new AtomicBoolean();
    AtomicInteger moving = new AtomicInteger();
    StackOverflowError planned = new StackOverflowError("as planned");
    HostBytes failing =
        new HostBytes() {
          @Override
          public void writeTo(ByteBuffer buffer, long offset) {
            if (Thread.currentThread() == caller) {
              awaitHelper();
              isThrowing.set(true);
              throw planned;
            }
            moving.incrementAndGet();
            helping.countDown();
            // Until the caller waits for this piece, or has thrown nonetheless.
            while (!hasThrown.get()
                && !(isThrowing.get() && caller.getState() == Thread.State.WAITING)) {
              Thread.onSpinWait();
            }
            moving.decrementAndGet();
          }

          private void awaitHelper() {
            try {
              if (!helping.await(1, SECONDS)) {
                throw HELPERS_ARE_BUSY;
              }
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }

          @Override
          public void readFrom(ByteBuffer buffer, long offset) {
            writeTo(buffer, offset);
          }
        };
    StagingThreads copies = new StagingThreads(2);
    ByteBuffer buffer = ByteBuffer.allocate(2 * PIECE);
    Runnable copy =
        isRead ? () -> copies.read(failing, buffer) : () -> write(copies, failing, buffer, 0);
    assertThatThrownBy(
            () -> {
              try {
                untilAHelperIsFree(copy);
              } finally {
                int movingAfterwards = moving.get();
                hasThrown.set(true);
                assertThat(movingAfterwards).as("pieces that are being moved").isZero();
              }
            })
        .isSameAs(planned);
  }

  /** Such as that of a confined arena. */
  @Test
  void dataThatOnlyTheCallingThreadCanAccessIsCopiedByIt() {
    Thread caller = Thread.currentThread();
    NotedBytes values = new NotedBytes(8 * PIECE);
    HostBytes confined =
        new HostBytes() {
          @Override
          public void writeTo(ByteBuffer buffer, long offset) {
            requireOwner();
            values.writeTo(buffer, offset);
          }

          @Override
          public void readFrom(ByteBuffer buffer, long offset) {
            requireOwner();
            values.readFrom(buffer, offset);
          }

          private void requireOwner() {
            if (Thread.currentThread() != caller) {
              throw new IllegalStateException("not the owner");
            }
          }
        };
    StagingThreads copies = new StagingThreads(4);
    for (int round = 0; round < 50; round++) {
      Arrays.fill(values.bytes, (byte) 0);
      read(copies, confined, ByteBuffer.wrap(numbered(8 * PIECE)), 0);
      assertThat(values.bytes).isEqualTo(numbered(8 * PIECE));
      ByteBuffer copied = ByteBuffer.allocate(8 * PIECE);
      write(copies, confined, copied, 0);
      assertThat(copied.array()).isEqualTo(values.bytes);
    }
    assertThat(values.threads).containsExactly(caller);
  }

  @Test
  void anInterruptIsKept() {
    Thread.currentThread().interrupt();
    NotedBytes target = new NotedBytes(8 * PIECE);
    read(new StagingThreads(4), target, ByteBuffer.wrap(numbered(8 * PIECE)), 0);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(target.bytes).isEqualTo(numbered(8 * PIECE));
  }

  @Test
  void manyCallersShareTheHelpersAndNoneWaitsForAnother() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    int callers = 2 * Runtime.getRuntime().availableProcessors() + 2;
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    HostBytes stuck =
        new HostBytes() {
          @Override
          public void writeTo(ByteBuffer buffer, long offset) {
            try {
              goOn.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }

          @Override
          public void readFrom(ByteBuffer buffer, long offset) {}
        };
    try {
      List<Future<?>> waiting = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        waiting.add(
            threads.submit(
                () -> write(new StagingThreads(4), stuck, ByteBuffer.allocate(4 * PIECE), 0)));
      }
      // All helpers are stuck, or soon will be: this copy ends all the same.
      NotedBytes target = new NotedBytes(8 * PIECE);
      read(new StagingThreads(4), target, ByteBuffer.wrap(numbered(8 * PIECE)), 0);
      assertThat(target.bytes).isEqualTo(numbered(8 * PIECE));
      goOn.countDown();
      for (Future<?> one : waiting) {
        one.get();
      }
    } finally {
      goOn.countDown();
      threads.shutdownNow();
    }
  }
}
