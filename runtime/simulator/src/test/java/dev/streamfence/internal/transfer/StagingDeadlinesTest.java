package dev.streamfence.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.internal.memory.SimulatedStreams;
import dev.streamfence.internal.memory.Waiting;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.transfer.StagingPool.Chunk;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Staging memory for copies that give up at a deadline: nothing of it waits in the driver. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StagingDeadlinesTest {
  private static final int CHUNKS = 8;
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
  private final StagingPool pool = new StagingPool(on.driver, on.pool.hostMemory(), 16);
  private final Deque<Chunk> taken = new ArrayDeque<>();

  @TempDir private Path folder;

  @AfterEach
  void close() {
    assertThat(calls).doesNotContain("synchronizeEvent", "synchronizeStream");
    taken.forEach(pool::giveBack);
    pool.destroy(true);
    on.close();
  }

  @Test
  void aCopyThatWaitsForStagingMemoryIsAnEvent() throws Exception {
    take(CHUNKS);
    assertThat(
            shortages(() -> assertThat(takeUntil(Deadline.after(Duration.ofMillis(20)))).isNull()))
        .hasSize(1);
  }

  @Test
  void aCopyThatWaitsForStagingMemoryWithoutADeadlineIsAnEvent() throws Exception {
    take(CHUNKS);
    assertThat(
            shortages(
                () -> {
                  CompletableFuture<Chunk> got = new CompletableFuture<>();
                  Waiting.thread(() -> got.complete(pool.take()));
                  pool.giveBack(taken.removeFirst());
                  taken.add(got.join());
                }))
        .hasSize(1);
  }

  private List<RecordedEvent> shortages(Runnable waits) throws IOException {
    Path file = folder.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("dev.streamfence.StagingShortage").withoutThreshold();
      recording.start();
      waits.run();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file);
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

  /** Takes all chunks but one, which is given back with a copy that runs. */
  private Chunk leaveOneWithACopy() {
    take(CHUNKS);
    Chunk last = taken.removeLast();
    pool.copied(last, on.a.stream());
    pool.giveBack(last);
    return last;
  }

  @Test
  void aChunkThatIsReadyIsTakenEvenWhenTheDeadlineHasPassed() throws Exception {
    Chunk chunk = pool.take(passed());
    assertThat(chunk).isNotNull();
    taken.add(chunk);
    assertThat(calls).doesNotContain("isEventComplete");
  }

  @Test
  void whenAllAreTakenAPassedDeadlineEndsTheRequest() throws Exception {
    take(CHUNKS);
    assertThat(pool.take(passed())).isNull();
  }

  @Test
  void aChunkWhoseCopyRunsAtTheDeadlineStaysWithThePool() throws Exception {
    Chunk last = leaveOneWithACopy();
    busy.set(FOR_EVER);
    assertThat(pool.take(passed())).isNull();
    busy.set(0);
    assertThat(pool.take(passed())).isSameAs(last);
    taken.add(last);
  }

  @Test
  void aChunkWhoseCopyEndsInTimeIsTaken() throws Exception {
    Chunk last = leaveOneWithACopy();
    busy.set(3);
    assertThat(pool.take(far())).isSameAs(last);
    assertThat(busy).hasNegativeValue();
    long asked = on.device.calls(DriverCall.IS_EVENT_COMPLETE);
    pool.giveBack(last);
    assertThat(pool.take(far())).isSameAs(last);
    assertThat(on.device.calls(DriverCall.IS_EVENT_COMPLETE)).isEqualTo(asked);
    taken.add(last);
  }

  @Test
  void anInterruptWhileTheCopyRunsLeavesTheChunkWithThePool() throws Exception {
    Chunk last = leaveOneWithACopy();
    busy.set(FOR_EVER);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> pool.take(far())).isInstanceOf(InterruptedException.class);
    busy.set(0);
    assertThat(pool.take(far())).isSameAs(last);
    taken.add(last);
  }

  @Test
  void aThreadThatWaitsWithADeadlineGetsTheReturnedChunk() throws Exception {
    take(CHUNKS);
    CompletableFuture<Chunk> got = new CompletableFuture<>();
    Thread taker = Waiting.thread(() -> got.complete(takeUntil(far())));
    Chunk back = taken.removeFirst();
    pool.giveBack(back);
    taker.join();
    assertThat(got.get()).isSameAs(back);
    taken.add(back);
  }

  private Chunk takeUntil(Deadline deadline) {
    try {
      return pool.take(deadline);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aWaitEndsWithItsDeadline() throws Exception {
    take(CHUNKS);
    long before = System.nanoTime();
    assertThat(pool.take(Deadline.after(Duration.ofMillis(5)))).isNull();
    assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(5_000_000);
  }

  @Test
  void onlyAReadyChunkIsTakenWithoutAWait() {
    Chunk last = leaveOneWithACopy();
    busy.set(FOR_EVER);
    assertThat(pool.tryTakeReady()).isNull();
    busy.set(0);
    assertThat(pool.tryTakeReady()).isSameAs(last);
    long asked = on.device.calls(DriverCall.IS_EVENT_COMPLETE);
    assertThat(pool.tryTakeReady()).isNull();
    pool.giveBack(last);
    assertThat(pool.tryTakeReady()).isSameAs(last);
    assertThat(on.device.calls(DriverCall.IS_EVENT_COMPLETE)).isEqualTo(asked);
    taken.add(last);
  }

  @Test
  void aWaitForACopySaysWhetherItIsDone() throws Exception {
    Chunk chunk = pool.take();
    taken.add(chunk);
    pool.copied(chunk, on.a.stream());
    busy.set(FOR_EVER);
    assertThat(pool.await(chunk, passed())).isFalse();
    busy.set(2);
    assertThat(pool.await(chunk, far())).isTrue();
  }
}
