package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who waits for whom, by driver calls and by what ends up in memory under the most hostile
 * schedule.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OrderingTest {
  private static final int N = 4;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final DeviceStream c = gpu.streams().acquire();
  private final VectorKernels onA = VectorKernels.on(a);
  private final VectorKernels onB = VectorKernels.on(b);
  private final VectorKernels onC = VectorKernels.on(c);

  private boolean lost;

  @AfterEach
  void close() {
    gpu.close();
    // What belongs to a lost context goes with it, and not one by one.
    if (!lost) {
      assertThat(device.liveObjects()).isZero();
    }
  }

  private DeviceArray<int[]> zeros(DeviceStream stream) {
    return gpu.memory().allocateZeroed(stream, int[].class, N);
  }

  private long waits() {
    return device.calls(DriverCall.WAIT_FOR_EVENT);
  }

  private long records() {
    return device.calls(DriverCall.RECORD_EVENT);
  }

  @Test
  void aChainOnOneStreamIsOneDriverCallPerLaunch() {
    DeviceArray<int[]> values = zeros(a);
    onA.increment(values, N);
    long before = device.calls();
    for (int i = 0; i < 1000; i++) {
      onA.increment(values, N);
    }
    assertThat(device.calls() - before).isEqualTo(1000);
    assertThat(values.download(a)).containsOnly(1001);
    values.close();
  }

  @Test
  void aPingPongOverTwoStreamsIsThreeDriverCallsPerLaunch() {
    DeviceArray<int[]> values = zeros(a);
    onA.increment(values, N);
    onB.increment(values, N);
    onA.increment(values, N);
    onB.increment(values, N);
    long before = device.calls();
    long waitsBefore = waits();
    for (int i = 0; i < 500; i++) {
      onA.increment(values, N);
      onB.increment(values, N);
    }
    assertThat(waits() - waitsBefore).isEqualTo(1000);
    assertThat(device.calls() - before).isEqualTo(3000);
    assertThat(values.download(b)).containsOnly(1004);
    values.close();
  }

  @Test
  void noEventIsRecordedWhileOneStreamIsInUse() {
    DeviceArray<int[]> values = zeros(a);
    for (int i = 0; i < 100; i++) {
      onA.increment(values, N);
    }
    assertThat(records()).isZero();
    values.close();
  }

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
  void aWriterWaitsForEveryReaderWhicheverStreamItIsOn() {
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
  void aSecondUseOnTheSameForeignStreamWaitsNoMore() {
    DeviceArray<int[]> values = zeros(a);
    onB.increment(values, N);
    long before = waits();
    onB.increment(values, N);
    onB.increment(values, N);
    assertThat(waits()).isEqualTo(before);
    values.close();
  }

  @Test
  void whatAnotherStreamHadWaitedForIsNotWaitedForAgain() {
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
  void whatIsKnownToBeDoneIsNotWaitedFor() {
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
  void dependenciesAreBoundedByTheNumberOfStreams() {
    DeviceArray<int[]> shared = zeros(a);
    DeviceArray<int[]> sumB = gpu.memory().allocate(b, int[].class, N);
    DeviceArray<int[]> sumC = gpu.memory().allocate(c, int[].class, N);
    for (int i = 0; i < 1000; i++) {
      onB.add(shared, shared, sumB, N);
      onC.add(shared, shared, sumC, N);
    }
    assertThat(Inside.block(shared).dependencies().size()).isEqualTo(3);
    long before = waits();
    shared.close();
    assertThat(waits() - before).isLessThanOrEqualTo(2);
    sumB.close();
    sumC.close();
  }

  @Test
  void aFreeComesAfterTheReadersOfOtherStreams() {
    DeviceArray<int[]> source = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    DeviceArray<int[]> copyOnB = gpu.memory().allocate(b, int[].class, N);
    DeviceArray<int[]> copyOnC = gpu.memory().allocate(c, int[].class, N);
    copyOnB.copyFrom(b, source);
    copyOnC.copyFrom(c, source);
    long address = Inside.block(source).address();
    source.close();
    // Nobody reads b before the address is written again: c, where it was used last, has to wait.
    DeviceArray<int[]> reused = gpu.memory().allocate(c, int[].class, N);
    assertThat(Inside.block(reused).address()).isEqualTo(address);
    reused.fill(c, -1);
    c.synchronize();
    assertThat(copyOnB.download(b)).containsExactly(1, 2, 3, 4);
    assertThat(copyOnC.download(c)).containsExactly(1, 2, 3, 4);
    copyOnB.close();
    copyOnC.close();
    reused.close();
  }

  @Test
  void aFreedAddressIsUsedAgain() {
    DeviceArray<int[]> first = zeros(a);
    long address = Inside.block(first).address();
    long generation = Inside.block(first).generation();
    first.close();
    DeviceArray<int[]> second = zeros(a);
    assertThat(Inside.block(second).address()).isEqualTo(address);
    assertThat(Inside.block(second).generation()).isNotEqualTo(generation);
    second.close();
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

  @Test
  void whenTheEventCannotBeRecordedTheStreamIsSynchronized() {
    DeviceArray<int[]> values = zeros(a);
    onB.increment(values, N);
    onB.increment(values, N);
    device.failCall(DriverCall.RECORD_EVENT, 1, 999);
    long before = device.calls(DriverCall.SYNCHRONIZE_STREAM);
    onB.increment(values, N);
    assertThat(device.calls(DriverCall.SYNCHRONIZE_STREAM) - before).isEqualTo(1);
    long waitsBefore = waits();
    onA.increment(values, N);
    assertThat(waits()).isEqualTo(waitsBefore);
    assertThat(values.download(a)).containsOnly(4);
    values.close();
  }

  @Test
  void whenNeitherEventNorSynchronizationWorksTheDeviceIsLost() {
    lost = true;
    DeviceArray<int[]> values = zeros(a);
    onB.increment(values, N);
    onB.increment(values, N);
    device.failCall(DriverCall.RECORD_EVENT, 1, 999);
    device.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, 999);
    assertThatThrownBy(() -> onB.increment(values, N)).isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(() -> onA.increment(values, N))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("the device is lost");
    values.close();
  }

  @Test
  void aWaitThatCannotBeQueuedIsMadeGoodByTheHost() {
    DeviceArray<int[]> values = zeros(a);
    onA.increment(values, N);
    device.failCall(DriverCall.WAIT_FOR_EVENT, 1, 999);
    assertThatThrownBy(() -> onB.increment(values, N))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> assertThat(e.purpose()).contains("increment on stream 2"));
    // The launch that failed is registered as the last write: whoever comes next relies on it
    // alone.
    onC.increment(values, N);
    assertThat(values.download(c)).containsOnly(2);
    values.close();
  }

  @Test
  void aFreeThatFailsLeavesTheArrayOpenAndMayBeRepeated() {
    DeviceArray<int[]> values = zeros(a);
    device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    assertThatThrownBy(values::close).isInstanceOf(CudaDriverException.class);
    assertThat(values.isOpen()).isTrue();
    assertThat(values.download(a)).containsOnly(0);
    values.close();
    assertThat(values.isOpen()).isFalse();
  }

  @Test
  void streamsAreLentAgain() {
    try (DeviceRuntime small =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(), RuntimeOptions.defaults().withStreams(2))) {
      DeviceStream first = small.streams().acquire();
      DeviceStream second = small.streams().acquire();
      assertThat(List.of(first.id(), second.id())).containsExactly(1, 2);
      assertThatThrownBy(() -> small.streams().acquire())
          .isInstanceOf(StreamMisuseException.class)
          .hasMessageContaining("all 2 streams");
      first.close();
      first.close();
      assertThat(small.streams().acquire().id()).isEqualTo(1);
      assertThat(small.streams().lent()).isEqualTo(2);
      second.close();
    }
  }

  @Test
  void streamsAreLentAgainForTheSamePriorityOnly() {
    try (DeviceRuntime small =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(), RuntimeOptions.defaults().withStreams(2))) {
      small.streams().acquire(-1).close();
      small.streams().acquire(0).close();
      assertThat(small.streams().acquire(-1).id()).isEqualTo(1);
      assertThatThrownBy(() -> small.streams().acquire(-2))
          .isInstanceOf(StreamMisuseException.class)
          .hasMessageContaining("another priority than -2");
    }
  }

  @Test
  void aFaultNamesWhatWasNotDoneOnEveryStreamAndThenEverythingFailsFastWithIt() {
    lost = true;
    DeviceArray<int[]> values = gpu.memory().allocate(a, int[].class, N);
    DeviceArray<int[]> other = zeros(b);
    onC.increment(other, N);
    c.synchronize();
    onA.overrun(values, 4096);
    onB.increment(other, N);
    assertThatThrownBy(a::synchronize)
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> {
              assertThat(e.code()).isEqualTo(700);
              assertThat(e.outstanding())
                  .anyMatch(work -> work.startsWith("overrun on stream 1"))
                  .anyMatch(work -> work.startsWith("increment on stream 2"))
                  .noneMatch(work -> work.contains("stream 3"));
            });
    long before = device.calls();
    for (Runnable later :
        List.<Runnable>of(
            () -> onB.increment(other, N),
            () -> other.fill(b, 1),
            () -> other.download(b),
            () -> gpu.memory().allocate(b, int[].class, 1),
            () -> gpu.streams().acquire(),
            b::synchronize,
            () -> VectorKernels.on(b).increment(other, N))) {
      assertThatThrownBy(later::run)
          .isInstanceOfSatisfying(
              CudaDriverException.class,
              e -> {
                assertThat(e.code()).isEqualTo(700);
                assertThat(e).hasMessageContaining("overrun on stream 1");
              });
    }
    assertThat(device.calls()).isEqualTo(before);
    values.close();
    other.close();
  }

  @Test
  void theDefaultStreamIsNumberZeroAndIsNeverGivenBack() {
    DeviceStream shared = gpu.streams().defaultStream();
    assertThat(shared.id()).isZero();
    shared.close();
    try (DeviceArray<int[]> values = zeros(shared)) {
      assertThat(values.download(shared)).containsOnly(0);
    }
  }

  @Test
  void aFaultThatIsFirstSeenAtCloseIsThrown() {
    lost = true;
    DeviceArray<int[]> values = gpu.memory().allocate(a, int[].class, N);
    onA.overrun(values, 4096);
    assertThatThrownBy(gpu::close)
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.code()).isEqualTo(700));
    assertThat(gpu.isOpen()).isFalse();
  }

  @Test
  void aModuleIsUnloadedOnlyWhenItsKernelsAreDone() {
    AtomicBoolean wasIdle = new AtomicBoolean();
    List<CudaDriver.StreamHandle> streams = new ArrayList<>();
    CudaDriver simulated = Inside.open(SimulatedDevice.builder().schedule(Schedule.LAZY).build());
    CudaDriver watching =
        InterceptedDriver.of(
            simulated,
            (method, call) -> {
              if (method.equals("unloadModule")) {
                wasIdle.set(streams.stream().allMatch(simulated::isStreamIdle));
              }
              Object answer = call.proceed();
              if (answer instanceof CudaDriver.StreamHandle stream) {
                streams.add(stream);
              }
              return answer;
            });
    DeviceRuntime closing = RuntimeOverDriver.open(watching, RuntimeOptions.defaults());
    DeviceStream stream = closing.streams().acquire();
    DeviceArray<int[]> values = closing.memory().allocateZeroed(stream, int[].class, N);
    VectorKernels.on(stream).increment(values, N);
    assertThat(simulated.isStreamIdle(streams.get(0))).isFalse();
    closing.close();
    assertThat(wasIdle).isTrue();
  }

  @Test
  void anArrayClosedWhileItsStreamIsTakenIsFreedLater() {
    DeviceArray<int[]> values = zeros(a);
    DeviceArray<int[]> unrelated = zeros(a);
    try (Submission open = Inside.timeline(a).begin(new NamedUse("a launch"))) {
      open.preflight();
      unrelated.close();
      open.commit();
    }
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isZero();
    values.close();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(2);
  }

  @Test
  void aFreeThatFailedAtTheEndOfALaunchIsRepeated() {
    DeviceArray<int[]> values = zeros(a);
    try (Submission open = Inside.timeline(a).begin(new NamedUse("a launch"))) {
      open.use(Inside.block(values).dependencies(), true, false, 0);
      open.preflight();
      values.close();
      open.commit();
      device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    }
    DeviceArray<int[]> next = zeros(a);
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(2);
    next.close();
  }

  @Test
  void aWaitThatThrowsSomethingElseLosesTheDeviceAndBlocksNobody() {
    lost = true;
    CudaDriver refusing =
        InterceptedDriver.of(
            SIMULATED,
            (method, call) -> {
              if (method.equals("waitForEvent") || method.equals("synchronizeEvent")) {
                throw new IllegalStateException("an event that is gone");
              }
              return call.proceed();
            });
    FaultLatch faults = new FaultLatch();
    StreamPool pool = new StreamPool(refusing, faults, 2);
    Timeline first = pool.acquire(0);
    Timeline second = pool.acquire(0);
    Dependencies block = new Dependencies(1, "a block", first, 1, () -> {});
    try (Submission open = first.begin(new NamedUse("the allocation"))) {
      open.preflight();
      open.commit();
    }
    assertThatThrownBy(
            () -> {
              try (Submission open = second.begin(new NamedUse("a launch"))) {
                open.use(block, false, true, 0);
                open.preflight();
              }
            })
        .isInstanceOf(IllegalStateException.class);
    assertThat(faults.fault()).isNotNull();
    assertThat(second.submitted()).isEqualTo(1);
    assertThat(block.close(null)).isTrue();
  }

  @Test
  void aSubmissionBelongsToTheThreadThatBeganIt() throws Exception {
    Submission open = Inside.timeline(a).begin(new NamedUse("a launch"));
    open.preflight();
    Thread other = new Thread(open::close);
    other.start();
    other.join();
    open.commit();
    open.close();
    onA.increment(zeros(a), N);
    gpu.memory().reap();
  }

  @Test
  void aRuntimeIsNotClosedUnderAnOpenLaunch() throws Exception {
    DeviceArray<int[]> values = zeros(a);
    Submission open = Inside.timeline(a).begin(new NamedUse("a launch"));
    assertThatThrownBy(gpu::close).isInstanceOf(StreamMisuseException.class);
    assertThat(gpu.isOpen()).isTrue();
    Thread closer = new Thread(gpu::close);
    closer.start();
    while (gpu.isOpen()) {
      Thread.onSpinWait();
    }
    open.use(Inside.block(values).dependencies(), true, true, 0);
    open.preflight();
    open.commit();
    open.close();
    closer.join();
    assertThatThrownBy(() -> onA.increment(values, N)).isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void oneFailureAtCloseDoesNotKeepTheRestFromBeingFreed() {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[N]);
    onB.increment(values, N);
    onA.increment(values, N);
    int before = device.liveObjects();
    for (DriverCall call :
        List.of(DriverCall.DESTROY_EVENT, DriverCall.DESTROY_STREAM, DriverCall.UNLOAD_MODULE)) {
      device.failCall(call, 1, 999);
    }
    assertThatThrownBy(gpu::close).isInstanceOf(CudaDriverException.class);
    assertThat(before).isGreaterThan(70);
    // One event, one stream, and the module, which has no variables.
    assertThat(device.liveObjects()).isEqualTo(3);
    lost = true;
  }

  @Test
  void allocationsAndFreesDoNotCountAsUseOfAStream() {
    DeviceArray<int[]> values = gpu.memory().allocate(b, int[].class, N);
    values.close();
    DeviceArray<int[]> used = zeros(a);
    onA.increment(used, N);
    onA.increment(used, N);
    assertThat(records()).isZero();
    used.close();
  }

  @Test
  @Tag("long")
  void aMillionReadsOnThreeStreamsLeaveOneEachAndAFreeWaitsForThemAlone() {
    SimulatedDevice eager = SimulatedDevice.builder().build();
    try (DeviceRuntime runtime = DeviceRuntime.simulated(eager)) {
      DeviceStream[] readers = new DeviceStream[3];
      for (int i = 0; i < readers.length; i++) {
        readers[i] = runtime.streams().acquire();
      }
      DeviceArray<int[]> table = runtime.memory().upload(readers[0], new int[N]);
      int before = eager.liveObjects();
      for (int i = 0; i < 1_000_000; i++) {
        read(table, readers[i % readers.length]);
      }
      // The write that came first, and the last read of each stream.
      assertThat(Inside.block(table).dependencies().size()).isEqualTo(4);
      int rings = 3 * 64;
      assertThat(eager.liveObjects()).isLessThanOrEqualTo(before + rings);
      long waitsBefore = eager.calls(DriverCall.WAIT_FOR_EVENT);
      table.close();
      assertThat(eager.calls(DriverCall.WAIT_FOR_EVENT) - waitsBefore).isLessThanOrEqualTo(3);
    }
    assertThat(eager.liveObjects()).isZero();
  }

  /** What a launch that reads an array does, but for the kernel. */
  private static void read(DeviceArray<?> array, DeviceStream stream) {
    try (Submission open = Inside.timeline(stream).begin(READING)) {
      open.use(Inside.block(array).dependencies(), true, false, 0);
      open.preflight();
      open.commit();
    }
  }

  @Test
  void aLaunchOverSeveralArraysRecordsOneEventAndMakesNone() {
    DeviceArray<int[]> x = zeros(a);
    DeviceArray<int[]> y = zeros(a);
    DeviceArray<int[]> sum = zeros(b);
    onA.increment(x, N);
    onB.add(x, y, sum, N);
    onA.increment(x, N);
    onB.add(x, y, sum, N);
    long recordsBefore = records();
    long eventsBefore = device.calls(DriverCall.CREATE_EVENT);
    onB.add(x, y, sum, N);
    assertThat(records() - recordsBefore).isEqualTo(1);
    assertThat(device.calls(DriverCall.CREATE_EVENT)).isEqualTo(eventsBefore);
    x.close();
    y.close();
    sum.close();
  }

  @Test
  void anArrayThatOneLaunchReadsAndWritesIsOneUseThatWrites() {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    onB.add(values, values, values, N);
    assertThat(Inside.block(values).dependencies().size()).isEqualTo(1);
    long before = waits();
    onC.increment(values, N);
    assertThat(waits() - before).isEqualTo(1);
    assertThat(values.download(c)).containsExactly(3, 5, 7, 9);
    values.close();
  }

  @Test
  void whatAChainHasQueuedIsProtectedWhenItsNextKernelIsRefused() {
    DeviceArray<int[]> input = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    DeviceArray<int[]> sum = zeros(b);
    onB.add(input, input, sum, N);
    device.failCall(DriverCall.LAUNCH_KERNEL, 1, 701);
    assertThatThrownBy(() -> onB.increment(input, N)).isInstanceOf(CudaDriverException.class);
    input.close();
    DeviceArray<int[]> reused = gpu.memory().allocate(a, int[].class, N);
    reused.fill(a, -1);
    assertThat(sum.download(b)).containsExactly(2, 4, 6, 8);
    sum.close();
    reused.close();
  }

  @Test
  void aStreamThatCannotBeMadeIsNoStreamLess() {
    int lent = gpu.streams().lent();
    device.failCall(DriverCall.CREATE_STREAM, 1, 2);
    assertThatThrownBy(() -> gpu.streams().acquire())
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> assertThat(e.call()).isEqualTo("cuStreamCreateWithPriority"));
    assertThat(gpu.streams().lent()).isEqualTo(lent);
    for (int i = lent; i < gpu.streams().capacity(); i++) {
      assertThat(gpu.streams().acquire().id()).isEqualTo(i + 1);
    }
  }

  private static final UseLabels READING = new NamedUse("reading");

  private static final CudaDriver SIMULATED =
      Inside.open(SimulatedDevice.builder().schedule(Schedule.LAZY).build());

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
  @Tag("long")
  void everyDriverCallMayFailWithoutALeakOrALostUpdate() {
    long calls = countCalls();
    assertThat(calls).isGreaterThan(20);
    for (long position = 1; position <= calls; position++) {
      for (int code : new int[] {1, 2, 999}) {
        SimulatedDevice failing = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
        DeviceRuntime runtime = DeviceRuntime.simulated(failing);
        failing.failCall(position, code);
        try {
          assertThat(program(runtime)).as("call %s, code %s", position, code).containsOnly(3);
        } catch (CudaDriverException e) {
          assertThat(e.code()).isEqualTo(code);
        } catch (dev.streamfence.OutOfMemoryBudgetException e) {
          assertThat(code).isEqualTo(2);
        }
        try {
          runtime.close();
        } catch (CudaDriverException e) {
          assertThat(e.code()).isEqualTo(code);
          continue;
        }
        assertThat(failing.liveObjects()).as("call %s, code %s", position, code).isZero();
      }
    }
  }

  private static long countCalls() {
    SimulatedDevice counting = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    try (DeviceRuntime runtime = DeviceRuntime.simulated(counting)) {
      assertThat(program(runtime)).containsOnly(3);
      return counting.calls();
    }
  }

  private static int[] program(DeviceRuntime runtime) {
    try (DeviceStream first = runtime.streams().acquire();
        DeviceStream second = runtime.streams().acquire();
        DeviceArray<int[]> values = runtime.memory().upload(first, new int[] {1, 1});
        DeviceArray<int[]> sum = runtime.memory().allocateZeroed(second, int[].class, 2)) {
      VectorKernels.on(first).increment(values, 2);
      DeviceArray<int[]> copy = values.copy(second);
      VectorKernels.on(second).add(copy, values, sum, 2);
      copy.close();
      VectorKernels.on(first).increment(values, 2);
      assertThat(sum.download(first)).containsOnly(4);
      return values.download(second);
    }
  }
}
