package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The uses of an array that wait for each other, checked by driver calls and by the data. */
final class OrderingTest extends ThreeStreams {
  @Test
  void aReaderOnAnotherStreamWaitsForTheAllocationItself() {
    DeviceArray<int[]> fresh = gpu.memory().allocate(a, int[].class, N);
    long before = waits();
    fresh.fill(b, 7);
    assertThat(waits() - before).isEqualTo(1);
    assertThat(fresh.download(b)).containsOnly(7);
    fresh.close();
  }

  @Test
  void aWriterWaitsForEveryReaderOnAnyStream() {
    DeviceArray<int[]> shared = zeros(a);
    DeviceArray<int[]> onBCopy = gpu.memory().allocate(b, int[].class, N);
    DeviceArray<int[]> onCCopy = gpu.memory().allocate(c, int[].class, N);
    onBCopy.copyFrom(b, shared);
    onCCopy.copyFrom(c, shared);
    shared.fill(a, 9);
    assertThat(shared.download(a)).containsOnly(9);
    assertThat(onBCopy.download(b)).containsOnly(0);
    assertThat(onCCopy.download(c)).containsOnly(0);
    shared.close();
    onBCopy.close();
    onCCopy.close();
  }

  @Test
  void aSecondUseOnTheSameOtherStreamWaitsNoMore() {
    DeviceArray<int[]> values = zeros(a);
    onB.increment(values, N);
    long before = waits();
    onB.increment(values, N);
    onB.increment(values, N);
    assertThat(waits()).isEqualTo(before);
    values.close();
  }

  @Test
  void aStreamDoesNotWaitAgainForWorkThatAnotherStreamHadWaitedFor() {
    DeviceArray<int[]> first = zeros(a);
    DeviceArray<int[]> second = zeros(b);
    onB.add(first, first, second, N);
    long before = waits();
    // C waits for B, and with it for A, which B had waited for.
    DeviceArray<int[]> third = gpu.memory().allocate(c, int[].class, N);
    onC.add(second, first, third, N);
    assertThat(waits() - before).isEqualTo(1);
    assertThat(third.download(c)).containsOnly(0);
    first.close();
    second.close();
    third.close();
  }

  @Test
  void synchronizingAStreamSaysNothingOfLaterWorkOnAnotherThatItWaitedFor() {
    DeviceArray<int[]> shared = zeros(a);
    long waitedFor = Inside.timeline(a).submitted();
    onB.increment(shared, N);
    DeviceArray<int[]> own = zeros(a);
    b.synchronize();
    assertThat(Inside.timeline(a).completed()).isEqualTo(waitedFor);
    shared.close();
    own.close();
  }

  @Test
  void workKnownToBeDoneIsNotWaitedFor() {
    DeviceArray<int[]> values = zeros(a);
    a.synchronize();
    long before = waits();
    onB.increment(values, N);
    assertThat(waits()).isEqualTo(before);
    values.close();
  }

  @Test
  void readersDoNotWaitForEachOther() {
    DeviceArray<int[]> shared = zeros(a);
    DeviceArray<int[]> sumB = gpu.memory().allocate(b, int[].class, N);
    DeviceArray<int[]> sumC = gpu.memory().allocate(c, int[].class, N);
    onB.add(shared, shared, sumB, N);
    onC.add(shared, shared, sumC, N);
    long before = waits();
    onB.add(shared, shared, sumB, N);
    onC.add(shared, shared, sumC, N);
    assertThat(waits()).isEqualTo(before);
    shared.close();
    sumB.close();
    sumC.close();
  }

  @Test
  void anArrayThatOneLaunchReadsAndWritesIsOneUseThatWrites() {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    onB.add(values, values, values, N);
    assertThat(Inside.allocation(values).hazards().size()).isEqualTo(1);
    long before = waits();
    onC.increment(values, N);
    assertThat(waits() - before).isEqualTo(1);
    assertThat(values.download(c)).containsExactly(3, 5, 7, 9);
    values.close();
  }

  @Test
  void olderTicketsThanTheRingHoldsAreCoveredByALaterEvent() {
    DeviceArray<int[]> old = zeros(a);
    DeviceArray<int[]> busy = zeros(a);
    onB.increment(busy, N);
    onA.increment(old, N);
    for (int i = 0; i < 200; i++) {
      onA.increment(busy, N);
    }
    onB.increment(old, N);
    assertThat(old.download(b)).containsOnly(2);
    assertThat(busy.download(a)).containsOnly(201);
    old.close();
    busy.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void aWaitForAStreamThatNoneHasWaitedForCoversItsLatestUse(int later) {
    DeviceArray<int[]> used = zeros(a);
    DeviceArray<int[]> busy = zeros(a);
    DeviceArray<int[]> ofB = zeros(b);
    onB.increment(ofB, N);
    for (int i = 0; i < 50; i++) {
      onA.increment(busy, N);
    }
    onA.increment(used, N);
    for (int i = 0; i < later; i++) {
      onA.increment(busy, N);
    }
    onB.increment(used, N);
    assertThat(used.download(b)).containsOnly(2);
    used.close();
    busy.close();
    ofB.close();
  }

  @Test
  void aSubmissionBelongsToTheThreadThatBeganIt() throws Exception {
    Timeline timeline = Inside.timeline(a);
    UseLabels labels = new NamedUse("a launch");
    Submission open = timeline.begin(labels);
    open.preflight();
    CompletableFuture<Boolean> mayBegin =
        CompletableFuture.supplyAsync(
            () -> {
              open.close();
              try (Submission another = timeline.tryBegin(labels)) {
                return another != null;
              }
            });
    assertThat(mayBegin.get()).isFalse();
    assertThat(open.isHeldByCurrentThread()).isTrue();
    assertThat(timeline.submitted()).isLessThan(open.ticket());
    open.commit();
    open.close();
    assertThat(open.isHeldByCurrentThread()).isFalse();
    assertThat(timeline.submitted()).isEqualTo(open.ticket());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void threadsThatShareArraysAreOrderedUnderEverySchedule(long seed) throws Exception {
    SimulatedDevice random = SimulatedDevice.builder().schedule(Schedule.RANDOM).seed(seed).build();
    int threads = 4;
    int rounds = 100;
    try (DeviceRuntime runtime = DeviceRuntime.simulated(random)) {
      DeviceStream main = runtime.streams().acquire();
      DeviceArray<int[]> x = runtime.memory().allocateZeroed(main, int[].class, N);
      DeviceArray<int[]> y = runtime.memory().allocateZeroed(main, int[].class, N);
      CyclicBarrier start = new CyclicBarrier(threads);
      ExecutorService executor = Executors.newFixedThreadPool(threads);
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        running.add(
            executor.submit(
                () -> {
                  DeviceStream own = runtime.streams().acquire();
                  VectorKernels kernels = VectorKernels.on(own);
                  start.await();
                  for (int i = 0; i < rounds; i++) {
                    kernels.increment(x, N);
                    kernels.increment(y, N);
                    DeviceArray<int[]> scratch = runtime.memory().allocate(own, int[].class, N);
                    kernels.add(x, y, scratch, N);
                    scratch.close();
                  }
                  own.close();
                  return null;
                }));
      }
      for (Future<?> future : running) {
        future.get();
      }
      executor.shutdown();
      assertThat(x.download(main)).containsOnly(threads * rounds);
      assertThat(y.download(main)).containsOnly(threads * rounds);
      x.close();
      y.close();
    }
    assertThat(random.liveObjects()).isZero();
  }

  @Test
  void noTicketIsDoneBeforeItIsSubmitted() {
    DeviceArray<int[]> own = zeros(a);
    DeviceArray<int[]> used = zeros(a);
    DeviceArray<int[]> sum = gpu.memory().allocate(b, int[].class, N);
    onB.increment(zeros(b), N);
    // So many that nothing has asked for an event lately: the work that uses the array has none.
    for (int i = 0; i < 40; i++) {
      onA.increment(own, N);
    }
    long before = records();
    while (records() == before) {
      onA.increment(own, N);
    }
    onA.increment(used, N);
    onA.increment(own, N);
    onA.increment(own, N);
    Timeline timeline = Inside.timeline(a);
    try (Submission open = timeline.begin(new NamedUse("open"))) {
      open.preflight();
      open.commit();
      CompletableFuture.runAsync(
              () -> {
                onB.add(used, used, sum, N);
                b.synchronize();
              })
          .join();
      assertThat(timeline.completed()).isEqualTo(open.ticket() - 1);
      assertThat(timeline.isDone(open.ticket())).isFalse();
    }
  }
}
