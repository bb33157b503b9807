package dev.streamfence.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.memory.UpstreamResource;
import dev.streamfence.internal.memory.Waiting;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.transfer.StagingPool.Chunk;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Staging memory that cannot be had, is short, or is given up while a copy uses it. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StagingPoolTest {
  private static final int CHUNK = 16;
  private static final int CHUNKS = 8;

  private final List<String> calls = new CopyOnWriteArrayList<>();

  /** What happens before the driver creates the event of a chunk. */
  private volatile Runnable beforeAnEvent = () -> {};

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final CudaDriver driver =
      InterceptedDriver.of(
          Inside.open(device),
          (method, call) -> {
            calls.add(method);
            if (method.equals("createEvent")) {
              beforeAnEvent.run();
            }
            return call.proceed();
          });
  private final StreamPool streams = new StreamPool(driver, 2);
  private final Timeline timeline = streams.acquire();
  private final StagingPool pool = new StagingPool(driver, streams.hostMemory(), CHUNK);

  @AfterEach
  void close() {
    streams.destroy();
    assertThat(device.liveObjects()).isZero();
    driver.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALLOCATE_HOST", "CREATE_EVENT"})
  void chunksThatCouldNotBeMadeCanBeMadeLater(DriverCall failing) {
    for (int i = 0; i < CHUNKS; i++) {
      device.failCall(failing, 1, 2);
      assertThatThrownBy(pool::take).isInstanceOf(CudaDriverException.class);
    }
    Deque<Chunk> taken = new ArrayDeque<>();
    for (int i = 0; i < CHUNKS; i++) {
      Chunk chunk = pool.tryTakeReady();
      assertThat(chunk).isNotNull();
      taken.add(chunk);
    }
    assertThat(pool.tryTakeReady()).isNull();
    taken.forEach(pool::giveBack);
    pool.destroy(true);
  }

  @Test
  void aTransferThatHoldsAChunkLeavesFourToOthers() {
    List<Chunk> taken = new ArrayList<>(List.of(pool.take()));
    for (Chunk more = pool.tryTakeAnother(); more != null; more = pool.tryTakeAnother()) {
      taken.add(more);
      assertThat(taken).hasSizeLessThan(CHUNKS);
    }
    assertThat(taken).hasSize(CHUNKS - 4);
    assertThat(pool.tryTakeAnotherReady()).isNull();
    // New ones count like idle ones, and a transfer that holds none takes any.
    List<Chunk> others = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      others.add(pool.tryTakeReady());
    }
    assertThat(others).doesNotContainNull();
    assertThat(pool.tryTakeReady()).isNull();
    others.forEach(pool::giveBack);
    assertThat(pool.tryTakeAnotherReady()).isNull();
    pool.giveBack(taken.remove(0));
    taken.add(pool.tryTakeAnotherReady());
    assertThat(pool.tryTakeAnother()).isNull();
    taken.forEach(pool::giveBack);
    pool.destroy(true);
  }

  @Test
  void aChunkWhoseCopyRunsIsTakenWhenNoOtherCanBeMade() {
    Chunk busy = pool.take();
    pool.copied(busy, timeline.stream());
    pool.giveBack(busy);
    device.failCall(DriverCall.ALLOCATE_HOST, 1, 2);
    calls.clear();
    assertThat(pool.take()).isSameAs(busy);
    assertThat(calls).contains("synchronizeEvent");
    pool.giveBack(busy);
    pool.destroy(true);
  }

  @Test
  void onALostDeviceAChunkWhoseCopyRunsIsNotTakenAndStaysWithThePool() {
    Chunk busy = pool.take();
    pool.copied(busy, timeline.stream());
    pool.giveBack(busy);
    device.failCall(DriverCall.ALLOCATE_HOST, 1, 700);
    assertThatThrownBy(pool::take)
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.code()).isEqualTo(700));
    // It would wait for ever for one that did not come back.
    pool.destroy(true);
  }

  @Test
  void aChunkWhoseCopyIsNotKnownToBeDoneIsLeftForAFreshOne() {
    Chunk busy = pool.take();
    pool.copied(busy, timeline.stream());
    pool.giveBack(busy);
    Chunk fresh = pool.take();
    assertThat(fresh).isNotSameAs(busy);
    Chunk oldest = pool.take();
    assertThat(oldest).isSameAs(busy);
    pool.giveBack(fresh);
    pool.giveBack(oldest);
    pool.destroy(true);
  }

  @ParameterizedTest
  @EnumSource(names = {"IS_EVENT_COMPLETE", "SYNCHRONIZE_EVENT"})
  void aChunkWhoseCopyCannotBeQueriedStaysWithThePool(DriverCall failing) {
    Deque<Chunk> all = new ArrayDeque<>();
    for (int i = 0; i < CHUNKS; i++) {
      all.add(pool.take());
    }
    Chunk last = all.removeLast();
    pool.copied(last, timeline.stream());
    pool.giveBack(last);
    device.failCall(failing, 1, 1);
    assertThatThrownBy(pool::take).isInstanceOf(CudaDriverException.class);
    assertThat(pool.take()).isSameAs(last);
    pool.giveBack(last);
    all.forEach(pool::giveBack);
    pool.destroy(true);
  }

  @Test
  void aThreadThatWaitsForAChunkGetsTheReturnedOne() throws Exception {
    Deque<Chunk> taken = new ArrayDeque<>();
    for (int i = 0; i < CHUNKS; i++) {
      taken.add(pool.take());
    }
    CompletableFuture<Chunk> got = new CompletableFuture<>();
    Waiting.thread(() -> got.complete(pool.take()));
    assertThat(got).isNotDone();
    Chunk back = taken.removeFirst();
    pool.giveBack(back);
    assertThat(got.get()).isSameAs(back);
    taken.add(back);
    taken.forEach(pool::giveBack);
    pool.destroy(true);
  }

  @Test
  void aThreadThatWaitsForAChunkMakesTheOneThatAnotherCouldNotMake() throws Exception {
    Deque<Chunk> taken = new ArrayDeque<>();
    for (int i = 1; i < CHUNKS; i++) {
      taken.add(pool.take());
    }
    CountDownLatch refused = new CountDownLatch(1);
    beforeAnEvent =
        () -> {
          Waiting.await(refused);
          throw new IllegalStateException("no event");
        };
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    Waiting.thread(() -> failure.complete(catchThrowable(pool::take)));
    CompletableFuture<Chunk> got = new CompletableFuture<>();
    Waiting.thread(() -> got.complete(pool.take()));
    beforeAnEvent = () -> {};
    refused.countDown();
    assertThat(failure.get()).hasMessage("no event");
    taken.add(got.get());
    taken.forEach(pool::giveBack);
    pool.destroy(true);
  }

  @Test
  void stagingMemoryIsGivenBackOnlyAfterADownloadIsDelivered() throws Exception {
    DeviceCopies copies = new DeviceCopies(streams, CHUNK, 1);
    UpstreamResource memory = UpstreamResource.streamOrdered(streams, false);
    Allocation block = memory.allocate(CHUNK, timeline, "");
    copies.fill(timeline, Region.of(block).range(0, CHUNK), 1, 7);
    CountDownLatch delivering = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    HostBytes target =
        new HostBytes() {
          @Override
          public void writeTo(ByteBuffer buffer, long offset) {
            throw new AssertionError("not an upload");
          }

          @Override
          public void readFrom(ByteBuffer buffer, long offset) {
            delivering.countDown();
            Waiting.await(goOn);
            calls.add("delivered " + buffer.get(0));
          }
        };
    CompletableFuture<Void> download =
        CompletableFuture.runAsync(
            () -> copies.download(timeline, Region.of(block).range(0, CHUNK), target));
    delivering.await();
    Thread closer = Waiting.thread(() -> copies.destroy(true));
    assertThat(calls).doesNotContain("destroyEvent");
    goOn.countDown();
    download.join();
    closer.join();
    assertThat(calls).containsSubsequence("delivered 7", "destroyEvent");
    memory.deallocate(block);
    streams.synchronizeAll("the end");
  }

  /** Its copies may still run when the device is not known to be done. */
  @Test
  void copiesThatRunAreWaitedForUnlessTheDeviceIsDone() {
    Chunk busy = pool.take();
    pool.copied(busy, timeline.stream());
    pool.giveBack(busy);
    Chunk idle = pool.take();
    pool.giveBack(idle);
    calls.clear();
    pool.destroy(false);
    assertThat(calls).containsExactly("synchronizeEvent", "destroyEvent", "destroyEvent");
  }
}
