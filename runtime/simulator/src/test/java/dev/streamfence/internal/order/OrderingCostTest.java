package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver calls that ordering costs, and the hazard state of each array. */
final class OrderingCostTest extends ThreeStreams {
  private static final UseLabels READING = new NamedUse("reading");

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
  void aLaunchOverSeveralArraysRecordsOneEventAndCreatesNone() {
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
  void aStreamThatNoOtherWaitsForRecordsAnEventForEachFourthLaunch() {
    DeviceArray<int[]> own = zeros(a);
    DeviceArray<int[]> other = zeros(b);
    onB.increment(other, N);
    for (int i = 0; i < 40; i++) {
      onA.increment(own, N);
    }
    long before = records();
    for (int i = 0; i < 100; i++) {
      onA.increment(own, N);
    }
    assertThat(records() - before).isEqualTo(25);
    onB.increment(own, N);
    long afterWait = records();
    for (int i = 0; i < 10; i++) {
      onA.increment(other, N);
    }
    assertThat(records() - afterWait).as("asked for one, it may be asked again").isEqualTo(10);
    own.close();
    other.close();
  }

  /** Tickets of allocations and frees have no events. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void launchesBetweenFreesHaveEvents(int offset) {
    DeviceArray<int[]> own = zeros(a);
    onB.increment(zeros(b), N);
    for (int i = 0; i < 40 || Inside.timeline(a).submitted() % 4 != offset; i++) {
      onA.increment(own, N);
    }
    long before = records();
    for (int i = 0; i < 100; i++) {
      onA.increment(own, N);
      onA.increment(own, N);
      gpu.memory().allocate(a, int[].class, N).close();
    }
    assertThat(records() - before).isBetween(50L, 101L);
  }

  @Test
  void aWaitFindsAnEventAmongTheFourLaunchesThatFollow() {
    DeviceArray<int[]> own = zeros(a);
    DeviceArray<int[]> awaited = zeros(a);
    onB.increment(zeros(b), N);
    for (int i = 0; i < 40; i++) {
      onA.increment(own, N);
    }
    onA.increment(awaited, N);
    for (int i = 0; i < 3; i++) {
      onA.increment(own, N);
    }
    long recordsBefore = records();
    long waitsBefore = waits();
    gpu.memory().allocate(b, int[].class, N).copyFrom(b, awaited);
    assertThat(waits() - waitsBefore).isEqualTo(1);
    assertThat(records() - recordsBefore).as("that of the copy alone").isEqualTo(1);
  }

  @Test
  void whatOneEventCoversIsWaitedForOnce() {
    DeviceArray<int[]> own = zeros(a);
    List<DeviceArray<int[]>> used = Stream.generate(() -> zeros(a)).limit(3).toList();
    onB.increment(zeros(b), N);
    for (int i = 0; i < 40; i++) {
      onA.increment(own, N);
    }
    long before = records();
    while (records() == before) {
      onA.increment(own, N);
    }
    used.forEach(each -> onA.increment(each, N));
    before = records();
    while (records() == before) {
      onA.increment(own, N);
    }
    DeviceArray<int[]> sum = gpu.memory().allocate(b, int[].class, N);
    long waitsBefore = waits();
    used.forEach(each -> onB.add(each, each, sum, N));
    assertThat(waits() - waitsBefore).isEqualTo(1);
    assertThat(sum.download(b)).containsOnly(2);
  }

  @Test
  void theHazardStateIsBoundedByTheNumberOfStreams() {
    DeviceArray<int[]> shared = zeros(a);
    DeviceArray<int[]> sumB = gpu.memory().allocate(b, int[].class, N);
    DeviceArray<int[]> sumC = gpu.memory().allocate(c, int[].class, N);
    for (int i = 0; i < 1000; i++) {
      onB.add(shared, shared, sumB, N);
      onC.add(shared, shared, sumC, N);
    }
    assertThat(Inside.allocation(shared).hazards().size()).isEqualTo(3);
    long before = waits();
    shared.close();
    assertThat(waits() - before).isLessThanOrEqualTo(2);
    sumB.close();
    sumC.close();
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
      assertThat(Inside.allocation(table).hazards().size()).isEqualTo(4);
      int rings = 3 * 64;
      assertThat(eager.liveObjects()).isLessThanOrEqualTo(before + rings);
      long waitsBefore = eager.calls(DriverCall.WAIT_FOR_EVENT);
      table.close();
      assertThat(eager.calls(DriverCall.WAIT_FOR_EVENT) - waitsBefore).isLessThanOrEqualTo(3);
    }
    assertThat(eager.liveObjects()).isZero();
  }

  /** The steps of a launch that reads an array, without the kernel. */
  private static void read(DeviceArray<?> array, DeviceStream stream) {
    try (Submission open = Inside.timeline(stream).begin(READING)) {
      open.use(Inside.allocation(array).hazards(), true, false, 0);
      open.preflight();
      open.commit();
    }
  }
}
