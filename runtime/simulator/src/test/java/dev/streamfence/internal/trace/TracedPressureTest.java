package dev.streamfence.internal.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RetryAllocationException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.SplitAndRetryException;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryTask;
import dev.streamfence.memory.SpillableArray;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.trace.Trace;
import dev.streamfence.trace.TraceSpan;
import dev.streamfence.trace.TracedPressure;
import dev.streamfence.trace.TracedPressure.Kind;
import dev.streamfence.trace.TracedPressure.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import jdk.jfr.Recording;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Waits for memory and spilled arrays in a trace and its files. */
@Timeout(value = 20, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TracedPressureTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final int BUDGET = 1000;

  @TempDir private static Path folder;

  private final Trace trace = Trace.inMemory(1000);
  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device, options(trace));
  private final DeviceMemory memory = gpu.memory();
  private final DeviceStream stream = gpu.streams().defaultStream();

  @AfterEach
  void close() {
    gpu.close();
  }

  private static RuntimeOptions options(Trace trace) {
    return RuntimeOptions.defaults()
        .withTrace(trace)
        .withMemoryBudget(MemoryBudget.ofBytes(BUDGET))
        .withSpillMemoryInBytes(100)
        .withSpillFolder(folder);
  }

  private DeviceArray<byte[]> allocate(int bytes, String tag) {
    return memory.allocate(stream, byte[].class, bytes, tag);
  }

  /** A thread with a task that waits for memory, which this thread has. */
  private FutureTask<Object> waiting(String name, Duration patience) {
    FutureTask<Object> result =
        task(
            patience,
            () -> {
              try (DeviceArray<byte[]> array = allocate(BUDGET, "keys")) {
                return array.length();
              }
            });
    Thread thread = start(name, result);
    while (memory.pressure().waiting() == 0 || thread.getState() == Thread.State.RUNNABLE) {
      assertThat(result.isDone()).isFalse();
      Thread.onSpinWait();
    }
    return result;
  }

  private FutureTask<Object> task(Duration patience, Callable<?> body) {
    return new FutureTask<>(
        () -> {
          try (MemoryTask task = memory.task(0, patience)) {
            assertThat(task.heldBytes()).isZero();
            return body.call();
          }
        });
  }

  private static Thread start(String name, FutureTask<Object> body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static Throwable failure(FutureTask<Object> task) {
    return catchThrowable(task::get).getCause();
  }

  private Outcome onlyOutcome() {
    assertThat(trace.pressure()).hasSize(1);
    return trace.pressure().get(0).outcome();
  }

  @Test
  void aWaitIsTracedWithItsThreadItsBytesAndItsEnd() throws Exception {
    DeviceArray<byte[]> held = allocate(600, "held");
    long begun;
    try (MemoryTask busy = memory.task()) {
      FutureTask<Object> waits = waiting("q12-probe", LONG);
      assertThat(trace.pressure()).isEmpty();
      begun = trace.works().get(trace.works().size() - 1).submission().startNanos();
      held.close();
      assertThat(waits.get()).isEqualTo((long) BUDGET);
      assertThat(busy.heldBytes()).isZero();
    }
    TracedPressure wait = trace.pressure().get(0);
    assertThat(wait)
        .usingRecursiveComparison()
        .ignoringFields("span")
        .isEqualTo(
            new TracedPressure(
                gpu.toString(),
                Kind.WAIT,
                "'keys'",
                BUDGET,
                "q12-probe",
                wait.span(),
                Outcome.MEMORY));
    assertThat(wait.span().startNanos()).isGreaterThan(begun);
    assertThat(wait.span().durationNanos()).isPositive();
    assertThat(trace.pressure()).hasSize(1);
    assertThat(memory.pressure().waits()).isEqualTo(1);
  }

  @Test
  void aTaskThatGivesWayHasARetryAndThenWaitsToBeginAgain() throws Exception {
    FutureTask<Object> younger;
    try (MemoryTask older = memory.task();
        DeviceArray<byte[]> held = allocate(600, "held")) {
      younger =
          task(
              LONG,
              () -> {
                MemoryTask task = memory.task();
                try (DeviceArray<byte[]> own = allocate(400, "own")) {
                  assertThatThrownBy(() -> allocate(300, "more"))
                      .isInstanceOf(RetryAllocationException.class);
                  assertThat(own.isOpen()).isTrue();
                }
                task.awaitTurn();
                task.close();
                return "done";
              });
      start("younger", younger);
      while (memory.pressure().waiting() == 0) {
        Thread.onSpinWait();
      }
      // Both wait now, so that the younger one gives way.
      allocate(200, "next").close();
      assertThat(older.heldBytes()).isEqualTo(held.length());
    }
    assertThat(younger.get()).isEqualTo("done");
    assertThat(trace.pressure())
        .filteredOn(each -> each.thread().equals("younger"))
        .extracting(TracedPressure::what, TracedPressure::bytes, TracedPressure::outcome)
        .containsExactly(
            tuple("'more'", 300L, Outcome.RETRY), tuple("'more'", 700L, Outcome.MEMORY));
  }

  @Test
  void theOnlyTaskHasASplit() {
    try (MemoryTask task = memory.task();
        DeviceArray<byte[]> own = allocate(600, "own")) {
      assertThatThrownBy(() -> allocate(500, "more")).isInstanceOf(SplitAndRetryException.class);
      assertThat(task.heldBytes()).isEqualTo(own.length());
    }
    assertThat(onlyOutcome()).isEqualTo(Outcome.SPLIT);
  }

  @Test
  void aTaskWithoutPatienceIsRefused() {
    try (MemoryTask busy = memory.task(9, LONG);
        DeviceArray<byte[]> held = allocate(600, "held")) {
      FutureTask<Object> waits = task(Duration.ofMillis(1), () -> allocate(500, "more"));
      start("impatient", waits);
      assertThat(failure(waits)).isInstanceOf(OutOfMemoryBudgetException.class);
      assertThat(busy.heldBytes()).isEqualTo(held.length());
    }
    assertThat(onlyOutcome()).isEqualTo(Outcome.REFUSED);
  }

  @Test
  void anInterruptedWaitSaysSo() throws Exception {
    try (MemoryTask busy = memory.task(9, LONG);
        DeviceArray<byte[]> held = allocate(600, "held")) {
      FutureTask<Object> waits =
          task(
              LONG,
              () -> {
                Thread.currentThread().interrupt();
                Throwable refusal = catchThrowable(() -> allocate(500, "more"));
                assertThat(Thread.interrupted()).isTrue();
                return refusal;
              });
      start("interrupted", waits);
      assertThat((Throwable) waits.get()).isInstanceOf(OutOfMemoryBudgetException.class);
      assertThat(busy.heldBytes()).isEqualTo(held.length());
    }
    assertThat(onlyOutcome()).isEqualTo(Outcome.INTERRUPTED);
  }

  @Test
  void theCloseOfTheRuntimeEndsAWait() {
    MemoryTask busy = memory.task(9, LONG);
    allocate(600, "held");
    FutureTask<Object> waits = waiting("waits", LONG);
    gpu.close();
    assertThat(failure(waits)).isInstanceOf(RuntimeClosedException.class);
    assertThat(onlyOutcome()).isEqualTo(Outcome.CLOSED);
    busy.close();
  }

  @Test
  void aWaitThatTheLossOfTheDeviceEndsFails() {
    try (MemoryTask busy = memory.task(9, LONG)) {
      DeviceArray<byte[]> held = allocate(600, "held");
      FutureTask<Object> waits = waiting("waits", LONG);
      device.failCall(1, 700);
      assertThatThrownBy(() -> held.fill(stream, (byte) 1)).isInstanceOf(CudaDriverException.class);
      assertThat(failure(waits)).isInstanceOf(CudaDriverException.class);
      assertThat(busy.priority()).isEqualTo(9);
    }
    assertThat(onlyOutcome()).isEqualTo(Outcome.FAILED);
  }

  /** An array goes to host memory and comes back, and one goes to a file and comes back. */
  private void spillTwo() {
    for (int bytes : new int[] {80, 120}) {
      try (SpillableArray<byte[]> idle =
          memory.spillable(memory.upload(stream, new byte[bytes], "idle"))) {
        assertThat(memory.spill(stream, bytes)).isEqualTo(bytes);
        idle.use(stream).close();
      }
    }
  }

  @Test
  void arraysThatLeaveTheDeviceAndComeBackAreTracedWithTheirPlace() {
    spillTwo();
    String main = Thread.currentThread().getName();
    assertThat(trace.pressure())
        .extracting(
            TracedPressure::kind,
            TracedPressure::what,
            TracedPressure::bytes,
            TracedPressure::thread,
            TracedPressure::outcome)
        .containsExactly(
            tuple(Kind.SPILL, "spillable byte[80] 'idle'", 80L, main, Outcome.HOST),
            tuple(Kind.RETURN, "spillable byte[80] 'idle'", 80L, main, Outcome.HOST),
            tuple(Kind.SPILL, "spillable byte[120] 'idle'", 120L, main, Outcome.DISK),
            tuple(Kind.RETURN, "spillable byte[120] 'idle'", 120L, main, Outcome.DISK));
    assertThat(memory.pressure().spilling().spills()).isEqualTo(2);
  }

  @Test
  void anArrayThatCannotLeaveOrComeBackIsNotTraced() {
    try (SpillableArray<byte[]> idle =
        memory.spillable(memory.upload(stream, new byte[80], "idle"))) {
      device.failCall(1, 1);
      assertThatThrownBy(() -> memory.spill(stream, 1)).isInstanceOf(CudaDriverException.class);
      assertThat(idle.place()).isEqualTo(SpillableArray.Place.DEVICE);
    }
    assertThat(trace.pressure()).isEmpty();
  }

  @Test
  void aTraceKeepsTheLatestAndCountsTheOthers() {
    Trace small = Trace.inMemory(3);
    for (int i = 0; i < 5; i++) {
      ((RecordedTrace) small).add(spill("array " + i, i));
    }
    assertThat(small.pressure())
        .extracting(TracedPressure::what)
        .containsExactly("array 2", "array 3", "array 4");
    assertThat(small.forgotten()).isEqualTo(2);
    small.clear();
    assertThat(small.pressure()).isEmpty();
    assertThat(small.forgotten()).isEqualTo(5);
  }

  private static TracedPressure spill(String what, long start) {
    return pressure(Kind.SPILL, what, "main", start, 10, Outcome.HOST);
  }

  private static TracedPressure pressure(
      Kind kind, String what, String thread, long start, long nanos, Outcome outcome) {
    return new TracedPressure(
        "a device", kind, what, 64, thread, new TraceSpan(start, nanos), outcome);
  }

  @Test
  void theyAreInTheOrderInWhichTheyBegan() {
    Trace small = Trace.inMemory(9);
    ((RecordedTrace) small).add(spill("second", 20));
    ((RecordedTrace) small).add(spill("first", 10));
    assertThat(small.pressure())
        .extracting(TracedPressure::what)
        .containsExactly("first", "second");
  }

  @Test
  void aRecordingContainsThem() throws IOException {
    Path file = folder.resolve("pressure.jfr");
    try (Recording recording = new Recording()) {
      for (String event : List.of("MemoryWait", "Spill", "SpillReturn")) {
        recording.enable("dev.streamfence." + event).withoutThreshold();
      }
      recording.start();
      theOnlyTaskHasASplit();
      spillTwo();
      recording.stop();
      recording.dump(file);
    }
    Trace read = Trace.ofFlightRecording(file);
    assertThat(read.pressure())
        .usingRecursiveComparison()
        .ignoringFields("span")
        .isEqualTo(trace.pressure());
    assertThat(read.pressure()).hasSize(5);
    assertThat(read.pressure().get(0).span().startNanos()).isZero();
    assertThat(read.pressure().get(0).span().durationNanos()).isPositive();
  }

  @Test
  void theTraceExplainsThemWhereTheyBegan() {
    DeviceArray<byte[]> own = allocate(850, "own");
    own.fill(stream, (byte) 1);
    SpillableArray<byte[]> idle = memory.spillable(memory.upload(stream, new byte[100], "idle"));
    trace.clear();
    try (MemoryTask task = memory.task()) {
      assertThat(task.heldBytes()).isZero();
      allocate(150, "more").close();
      assertThatThrownBy(() -> allocate(200, "much")).isInstanceOf(SplitAndRetryException.class);
    }
    assertThat(idle.place()).isEqualTo(SpillableArray.Place.HOST);
    String main = Thread.currentThread().getName();
    List<String> lines =
        trace.explain().lines().map(line -> line.replaceAll("[0-9.]+ µs", "# µs")).toList();
    assertThat(lines)
        .containsSubsequence(
            "spillable byte[100] 'idle' leaves the device for host memory: 100 bytes, # µs,"
                + " by thread "
                + main,
            "thread "
                + main
                + " waits for memory for 'much', and has to ask for less: 200 bytes, # µs");
    assertThat(lines.indexOf(lines.stream().filter(l -> l.contains("leaves")).findFirst().get()))
        .isLessThan(
            lines.indexOf(lines.stream().filter(l -> l.contains("download")).findFirst().get()));
  }

  private static List<TracedPressure> pressure() {
    return List.of(
        pressure(Kind.WAIT, "'keys'", "q2", 0, 500, Outcome.MEMORY),
        pressure(Kind.WAIT, "'rows'", "q1", 100, 900, Outcome.RETRY),
        spill("spillable int[4] 'table'", 200),
        pressure(Kind.RETURN, "spillable int[4] 'table'", "q1", 1_500, 70, Outcome.DISK));
  }

  @Test
  void thePageHasALaneForEachThreadThatWaitedAndOneForSpills() throws IOException {
    StringBuilder out = new StringBuilder();
    new TimelinePage(List.of(), List.of(), pressure(), 0).writeTo(out);
    JsonObject data = TimelinePageTest.data(out.toString());
    assertThat(data.getAsJsonArray("lanes").toString())
        .isEqualTo("[[0,\"waits of q1\",0],[0,\"waits of q2\",0],[0,\"spills\",0]]");
    JsonArray texts = data.getAsJsonArray("texts");
    List<Integer> numbers =
        StreamSupport.stream(data.getAsJsonArray("pressure").spliterator(), false)
            .map(JsonElement::getAsInt)
            .toList();
    assertThat(numbers.subList(0, 5)).containsExactly(1, 0, 0, 500, 64);
    assertThat(numbers.subList(24, 29)).containsExactly(2, numbers.get(24 + 1), 1_500, 70, 64);
    assertThat(numbers.subList(29, 32).stream().map(i -> texts.get(i).getAsString()))
        .containsExactly("spillable int[4] 'table' comes back from a file", "DISK", "q1");
  }

  @Test
  void everyOutcomeHasAColour() throws IOException {
    StringBuilder out = new StringBuilder();
    new TimelinePage(List.of(), List.of(), List.of(), 0).writeTo(out);
    assertThat(Outcome.values())
        .allSatisfy(outcome -> assertThat(out.toString()).contains(" " + outcome + ": '#"));
  }

  @Test
  void theChromeTraceHasThemOnTheirThreads() throws IOException {
    StringBuilder out = new StringBuilder();
    new ChromeTrace(List.of(), List.of(), pressure()).writeTo(out);
    assertThat(events(out.toString(), "memory").map(JsonObject::toString))
        .hasSize(4)
        .contains(
            "{\"ph\":\"X\",\"name\":\"wait for memory\",\"cat\":\"memory\",\"pid\":1,\"tid\":10001,"
                + "\"ts\":0.100,\"dur\":0.900,\"args\":{\"what\":\"'rows'\",\"bytes\":64,"
                + "\"outcome\":\"RETRY\"}}");
    assertThat(
            events(out.toString(), "metadata")
                .map(event -> event.getAsJsonObject("args").get("name").getAsString()))
        .containsExactly("a device", "Java thread q2", "Java thread q1", "Java thread main");
  }

  private static Stream<JsonObject> events(String json, String category) {
    return StreamSupport.stream(
            JsonParser.parseString(json)
                .getAsJsonObject()
                .getAsJsonArray("traceEvents")
                .spliterator(),
            false)
        .map(JsonElement::getAsJsonObject)
        .filter(event -> event.get("cat").getAsString().equals(category));
  }
}
