package dev.streamfence.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.memory.SimulatedStreams;
import dev.streamfence.internal.memory.Waiting;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.transfer.StagingPool.Chunk;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that wait for staging memory while another thread takes the last chunk. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StagingContentionTest {
  private static final int CHUNKS = 8;

  /** Runs before page-locked memory is allocated. */
  private final AtomicReference<Runnable> beforeAllocation = new AtomicReference<>(() -> {});

  private final SimulatedStreams on =
      new SimulatedStreams(
          Schedule.LAZY,
          (method, call) -> {
            if (method.equals("allocateHost")) {
              beforeAllocation.get().run();
            }
            return call.proceed();
          });
  private final StagingPool pool = new StagingPool(on.driver, on.pool.hostMemory(), 16);
  private final Deque<Chunk> taken = new ArrayDeque<>();

  @AfterEach
  void close() {
    taken.forEach(pool::giveBack);
    pool.destroy(true);
    on.close();
  }

  private void take(int count) {
    for (int i = 0; i < count; i++) {
      taken.add(pool.take());
    }
  }

  private Chunk take(boolean withDeadline) {
    try {
      return withDeadline ? pool.take(Deadline.after(Duration.ofDays(1))) : pool.take();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aThreadThatWaitsForTheLastChunkMakesItWhenAnotherThreadFails(boolean withDeadline)
      throws Exception {
    take(CHUNKS - 1);
    CountDownLatch goOn = new CountDownLatch(1);
    beforeAllocation.set(
        () -> {
          Waiting.await(goOn);
          throw new CudaDriverException("cuMemAllocHost", 2, "CUDA_ERROR_OUT_OF_MEMORY");
        });
    CompletableFuture<Throwable> failed = new CompletableFuture<>();
    Thread making =
        Waiting.thread(
            () -> {
              try {
                pool.take();
              } catch (CudaDriverException e) {
                failed.complete(e);
              }
            });
    CompletableFuture<Chunk> got = new CompletableFuture<>();
    Thread waiting = Waiting.thread(() -> got.complete(take(withDeadline)));
    beforeAllocation.set(() -> {});
    goOn.countDown();
    making.join();
    waiting.join();
    assertThat(failed.get()).isInstanceOf(CudaDriverException.class);
    taken.add(got.get());
    assertThat(taken).doesNotHaveDuplicates().hasSize(CHUNKS);
    assertThat(pool.tryTakeReady()).isNull();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aWaitingThreadGetsTheOldChunkWhenAnotherThreadMakesTheLast(boolean withDeadline)
      throws Exception {
    take(CHUNKS - 1);
    Chunk old = taken.removeLast();
    pool.copied(old, on.a.stream());
    pool.giveBack(old);
    CountDownLatch goOn = new CountDownLatch(1);
    beforeAllocation.set(() -> Waiting.await(goOn));
    CompletableFuture<Chunk> made = new CompletableFuture<>();
    Thread making = Waiting.thread(() -> made.complete(pool.take()));
    CompletableFuture<Chunk> got = new CompletableFuture<>();
    Thread waiting = Waiting.thread(() -> got.complete(take(withDeadline)));
    goOn.countDown();
    making.join();
    waiting.join();
    assertThat(got.get()).isSameAs(old);
    taken.add(made.get());
    taken.add(old);
    assertThat(taken).doesNotHaveDuplicates().hasSize(CHUNKS);
  }

  @Test
  void anErrorWhileAChunkIsMadeLeavesTheOldOneWithThePool() {
    Chunk old = pool.take();
    pool.copied(old, on.a.stream());
    pool.giveBack(old);
    beforeAllocation.set(
        () -> {
          throw new StackOverflowError("as planned");
        });
    assertThatThrownBy(pool::take).isInstanceOf(StackOverflowError.class);
    beforeAllocation.set(() -> {});
    on.driver.synchronizeStream(on.a.stream());
    assertThat(pool.take()).isSameAs(old);
    taken.add(old);
    assertThat(on.device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(1);
  }

  @Test
  void otherThreadsMayAskForChunksOfADestroyedPool() throws Exception {
    take(1);
    taken.forEach(pool::giveBack);
    pool.destroy(true);
    Thread other = new Thread(() -> pool.destroy(true));
    other.start();
    other.join();
    assertThat(on.device.calls(DriverCall.DESTROY_EVENT)).isEqualTo(1);
    Chunk fresh = pool.take();
    assertThat(taken).doesNotContain(fresh);
    taken.clear();
    taken.add(fresh);
  }
}
