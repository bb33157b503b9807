package dev.streamfence.internal.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.internal.memory.SimulatedStreams;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.trace.DeviceTimes.Timing;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.trace.KernelTime;
import dev.streamfence.trace.Trace;
import dev.streamfence.trace.TraceSpan;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Times that are measured on the device. */
final class DeviceTimesTest {
  private static final int INVALID_VALUE = 1;

  /** The simulated device's times of the kernels below: 2 µs, and 10 ns per 1,000 instructions. */
  private static final Duration AT_LEAST = Duration.ofNanos(2_000);

  private final Trace trace = Trace.inMemory(100_000);

  private DeviceRuntime open(SimulatedDevice device, boolean timed) {
    return DeviceRuntime.simulated(
        device, RuntimeOptions.defaults().withTrace(trace).withDeviceTimes(timed));
  }

  private List<TracedWork> launches() {
    return trace.works().stream().filter(work -> work.kind() == WorkKind.LAUNCH).toList();
  }

  @ParameterizedTest
  @EnumSource
  void launchesAndCopiesAreMeasuredUnderEverySchedule(Schedule schedule) {
    SimulatedDevice device = SimulatedDevice.builder().schedule(schedule).build();
    try (DeviceRuntime gpu = open(device, true);
        DeviceStream a = gpu.streams().acquire();
        DeviceStream b = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[1000])) {
      for (int i = 0; i < 5; i++) {
        VectorKernels.on(a).increment(x, 1000);
        VectorKernels.on(b).increment(x, 1000);
      }
      gpu.synchronize();
      List<TracedWork> works =
          trace.works().stream().filter(work -> work.kind() != WorkKind.ALLOCATION).toList();
      assertThat(works).hasSize(11).allMatch(work -> work.execution() != null);
      long end = Long.MIN_VALUE;
      for (TracedWork work : works) {
        TraceSpan execution = work.span();
        // Each one waits for the one before, and none runs before it is submitted.
        assertThat(execution.startNanos()).isGreaterThanOrEqualTo(end);
        assertThat(execution.startNanos())
            .isGreaterThanOrEqualTo(work.submission().startNanos() - 1_000);
        end = execution.endNanos() - 1;
      }
      assertThat(gpu.kernelTimes())
          .extracting(KernelTime::kernel, KernelTime::launches)
          .containsExactly(tuple("increment", 10L));
      assertThat(gpu.kernelTimes().get(0).longest()).isGreaterThanOrEqualTo(AT_LEAST);
      assertThat(gpu.kernelTimes().get(0).total())
          .isGreaterThanOrEqualTo(AT_LEAST.multipliedBy(10));
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void theSameLaunchTakesTheSimulatedDeviceTheSameTime() {
    try (DeviceRuntime gpu = open(SimulatedDevice.builder().build(), true);
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[1000])) {
      VectorKernels kernels = VectorKernels.on(a);
      kernels.increment(x, 1000);
      kernels.increment(x, 1000);
      kernels.increment(x, 10);
      gpu.synchronize();
      List<Long> nanos = launches().stream().map(work -> work.span().durationNanos()).toList();
      assertThat(nanos.get(0)).isEqualTo(nanos.get(1)).isGreaterThan(nanos.get(2));
    }
  }

  /** Whatever time the host takes to queue its nodes, or until it waits for them. */
  @ParameterizedTest
  @EnumSource
  void theSameGraphTakesTheSimulatedDeviceTheSameTime(Schedule schedule) throws Exception {
    try (DeviceRuntime gpu = open(SimulatedDevice.builder().schedule(schedule).build(), true);
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[1000]);
        DeviceArray<int[]> counter = gpu.memory().upload(a, new int[] {1})) {
      VectorKernels kernels = VectorKernels.on(a);
      try (KernelGraph one = gpu.graph("one", body -> kernels.increment(x, 1000));
          KernelGraph loop =
              gpu.graph(
                  "loop",
                  body ->
                      body.whileNonZero(
                          counter,
                          pass -> {
                            kernels.increment(x, 1000);
                            counter.fill(a, 0);
                          }))) {
        for (int i = 0; i < 3; i++) {
          kernels.increment(x, 1000);
          one.launch(a);
          counter.fill(a, 1);
          loop.launch(a);
          Thread.sleep(1);
          gpu.synchronize();
        }
      }
      assertThat(durationsOf("one")).isEqualTo(durationsOf("increment"));
      assertThat(durationsOf("loop")).hasSize(3).containsOnly(durationsOf("loop").get(0));
    }
  }

  private List<Long> durationsOf(String name) {
    return trace.works().stream()
        .filter(work -> work.name().equals(name) && work.execution() != null)
        .map(work -> work.span().durationNanos())
        .toList();
  }

  @Test
  void theTimeOfAGraphDoesNotContainThatBeforeItsSubmission() throws Exception {
    Trace trace = Trace.inMemory(10);
    try (DeviceRuntime gpu =
            DeviceRuntime.simulated(
                SimulatedDevice.builder().build(),
                RuntimeOptions.defaults().withTrace(trace).withDeviceTimes(true));
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4]);
        KernelGraph graph = gpu.graph("step", body -> x.fill(a, 1))) {
      gpu.synchronize();
      Thread.sleep(100);
      graph.launch(a);
      gpu.synchronize();
      TracedWork launch = trace.works().get(trace.works().size() - 1);
      assertThat(launch.span().endNanos() - launch.submission().endNanos()).isLessThan(50_000_000);
      assertThat(launch.execution()).isNotNull();
    }
  }

  @Test
  void workThatIsNotDoneHasNoTimeYet() {
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    try (DeviceRuntime gpu = open(device, true);
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[1000])) {
      VectorKernels.on(a).increment(x, 1000);
      assertThat(launches().get(0).execution()).isNull();
      gpu.synchronize();
      assertThat(launches().get(0).execution()).isNotNull();
    }
  }

  @Test
  void eachPieceOfWorkTakesTwoEvents() {
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    try (DeviceRuntime gpu = open(device, true);
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4])) {
      VectorKernels kernels = VectorKernels.on(a);
      kernels.increment(x, 4);
      gpu.synchronize();
      long created = device.calls(DriverCall.CREATE_EVENT);
      long recorded = device.calls(DriverCall.RECORD_EVENT);
      long calls = device.calls();
      kernels.increment(x, 4);
      assertThat(device.calls(DriverCall.CREATE_EVENT)).isEqualTo(created);
      assertThat(device.calls(DriverCall.RECORD_EVENT)).isEqualTo(recorded + 2);
      assertThat(device.calls()).isEqualTo(calls + 3);
    }
  }

  @Test
  void withoutDeviceTimesATraceMakesNoDriverCall() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    try (DeviceRuntime gpu = open(device, false);
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4])) {
      VectorKernels kernels = VectorKernels.on(a);
      kernels.increment(x, 4);
      long calls = device.calls();
      kernels.increment(x, 4);
      assertThat(device.calls()).isEqualTo(calls + 1);
      assertThat(launches()).hasSize(2).allMatch(work -> work.execution() == null);
      assertThat(gpu.kernelTimes()).isEmpty();
    }
  }

  @Test
  void manyPendingLaunchesTakeABoundedNumberOfEventsAndNoneWaits() {
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    try (DeviceRuntime gpu = open(device, true);
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4])) {
      long events = device.calls(DriverCall.CREATE_EVENT);
      long polls = device.calls(DriverCall.IS_EVENT_COMPLETE);
      VectorKernels kernels = VectorKernels.on(a);
      for (int i = 0; i < 3 * StreamTimes.MOST_PENDING; i++) {
        kernels.increment(x, 4);
      }
      assertThat(device.calls(DriverCall.CREATE_EVENT) - events)
          .isLessThanOrEqualTo(2L * StreamTimes.MOST_PENDING);
      assertThat(device.calls(DriverCall.IS_EVENT_COMPLETE)).isGreaterThan(polls);
      gpu.synchronize();
      assertThat(launches()).anyMatch(work -> work.execution() != null);
      assertThat(gpu.statistics().launches()).isEqualTo(3L * StreamTimes.MOST_PENDING);
    }
    assertThat(device.liveObjects()).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"CREATE_EVENT", "RECORD_EVENT", "IS_EVENT_COMPLETE", "ELAPSED_TIME"})
  void aMeasurementThatFailsNeverFailsTheWork(DriverCall call) {
    for (int position = 1; position <= 8; position++) {
      SimulatedDevice device = SimulatedDevice.builder().build();
      try (DeviceRuntime gpu = open(device, true);
          DeviceStream a = gpu.streams().acquire();
          DeviceArray<int[]> x = gpu.memory().upload(a, new int[] {1, 2, 3, 4})) {
        VectorKernels kernels = VectorKernels.on(a);
        kernels.increment(x, 4);
        device.failCall(call, position, INVALID_VALUE);
        for (int i = 0; i < 5; i++) {
          kernels.increment(x, 4);
        }
        gpu.kernelTimes();
        assertThat(gpu.statistics().launches()).isEqualTo(6);
      }
      assertThat(device.liveObjects()).as("%s, position %d", call, position).isZero();
    }
  }

  /**
   * A runtime that measures with what is made of the times between the reference and each start.
   */
  private DeviceRuntime open(SimulatedDevice device, UnaryOperator<Float> sinceReference) {
    AtomicInteger calls = new AtomicInteger();
    return RuntimeOverDriver.open(
        InterceptedDriver.of(
            Inside.open(device),
            (method, call) -> {
              Object result = call.proceed();
              return method.equals("elapsedMillis") && calls.getAndIncrement() % 2 == 0
                  ? sinceReference.apply((Float) result)
                  : result;
            }),
        RuntimeOptions.defaults().withTrace(trace).withDeviceTimes(true));
  }

  @Test
  void noWorkIsSaidToRunBeforeItIsSubmitted() {
    try (DeviceRuntime gpu = open(SimulatedDevice.builder().build(), millis -> millis - 5);
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4])) {
      VectorKernels kernels = VectorKernels.on(a);
      kernels.increment(x, 4);
      kernels.increment(x, 4);
      gpu.synchronize();
      assertThat(launches()).hasSize(2);
      // All times move by as much as the clock was wrong, and no more.
      assertThat(
              trace.works().stream()
                  .filter(work -> work.execution() != null)
                  .mapToLong(work -> work.span().startNanos() - work.submission().startNanos())
                  .min()
                  .orElseThrow())
          .isBetween(0L, 1_000L);
    }
  }

  @Test
  void aReferenceThatMovesBetweenStreamsAtTheEndLeavesNoEvent() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    List<DeviceStream> streams = new ArrayList<>();
    try (DeviceRuntime gpu = open(device, millis -> 1_000f)) {
      for (int i = 0; i < 16; i++) {
        DeviceStream stream = gpu.streams().acquire();
        streams.add(stream);
        try (DeviceArray<int[]> x = gpu.memory().upload(stream, new int[4])) {
          VectorKernels.on(stream).increment(x, 4);
          VectorKernels.on(stream).increment(x, 4);
        }
      }
      streams.forEach(DeviceStream::close);
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void threadsThatMoveTheReferenceFromStreamToStreamDoNotWaitForEachOther() throws Exception {
    SimulatedDevice device = SimulatedDevice.builder().build();
    try (DeviceRuntime gpu = open(device, millis -> 1_000f)) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        threads.add(
            new Thread(
                () -> {
                  try (DeviceStream stream = gpu.streams().acquire();
                      DeviceArray<int[]> x = gpu.memory().upload(stream, new int[4])) {
                    VectorKernels kernels = VectorKernels.on(stream);
                    for (int launch = 0; launch < 2_000; launch++) {
                      kernels.increment(x, 4);
                    }
                  }
                }));
      }
      threads.forEach(thread -> thread.setDaemon(true));
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join(Duration.ofSeconds(30).toMillis());
        assertThat(thread.isAlive()).isFalse();
      }
    }
    assertThat(device.liveObjects()).isZero();
  }

  private static TracedWork ticket(long ticket) {
    return new TracedWork(
        "device",
        WorkKind.LAUNCH,
        "increment",
        "",
        0,
        1,
        "stream 1",
        ticket,
        ticket,
        "main",
        new TraceSpan(0, 1),
        null,
        List.of(),
        List.of(),
        true,
        null);
  }

  @Test
  void theTimesOfWorkThatEndsWithItsRuntimeAreKept() {
    SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    try (DeviceRuntime gpu = open(device, true);
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4])) {
      VectorKernels.on(a).increment(x, 4);
    }
    assertThat(launches()).singleElement().matches(work -> work.execution() != null);
  }

  @Test
  void workWhoseEventsWereThoseOfOverdueWorkIsWatchedFromItsOwnBeginning() {
    AtomicLong now = new AtomicLong(100);
    AtomicBoolean isDone = new AtomicBoolean(true);
    AtomicReference<Object> last = new AtomicReference<>();
    try (SimulatedStreams on =
        new SimulatedStreams(
            Schedule.EAGER,
            (method, call) -> {
              if (method.equals("recordEvent")) {
                last.set(call.argument(0));
              }
              return switch (method) {
                case "nanoTime" -> now.get();
                case "elapsedMillis" -> 0f;
                case "isEventComplete" -> isDone.get() || call.argument(0) != last.get();
                default -> call.proceed();
              };
            })) {
      DeviceTimes times = new DeviceTimes(on.driver);
      times.start(on.a);
      long events = on.device.calls(DriverCall.CREATE_EVENT);
      for (long ticket = 1; ticket <= 3; ticket++) {
        Timing timing = times.begin(on.a);
        times.submitted(times.end(timing, on.a), ticket(ticket), "increment", 0, null, null);
        isDone.set(false);
        assertThat(times.overdue(50, true)).isEmpty();
        now.addAndGet(100);
        assertThat(times.overdue(50, true))
            .extracting(running -> running.work().ticket(), StreamTimes.Running::nanos)
            .containsExactly(tuple(ticket, 100L));
        assertThat(times.overdue(50, true)).isEmpty();
        isDone.set(true);
        times.refresh();
      }
      assertThat(on.device.calls(DriverCall.CREATE_EVENT)).isEqualTo(events + 2);
      times.close(new Teardown());
    }
  }

  @Test
  void workIsWatchedInTheOrderOfItsTicketsWhicheverThreadReportsFirst() {
    List<Object> begun = new ArrayList<>();
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(SimulatedDevice.builder().build()),
            (method, call) ->
                method.equals("isEventComplete")
                    ? begun.contains(call.argument(0))
                    : call.proceed());
    DeviceTimes times = new DeviceTimes(driver);
    StreamTimes stream = new StreamTimes(times, driver);
    for (long ticket : new long[] {2, 3, 1}) {
      Timing timing = new Timing(stream, driver.createTimedEvent(), driver.createTimedEvent());
      if (ticket == 1) {
        begun.add(timing.start);
      }
      times.submitted(timing, ticket(ticket), "increment", 0, null, null);
    }
    assertThat(stream.running(-1, true).work().ticket()).isEqualTo(1);
  }
}
