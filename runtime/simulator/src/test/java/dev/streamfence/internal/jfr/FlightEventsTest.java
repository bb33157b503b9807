package dev.streamfence.internal.jfr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.graph.GraphNode;
import dev.streamfence.graph.GraphStructure;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.device.AllocatedBytes;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.trace.Trace;
import dev.streamfence.trace.TracedDependency.Satisfied;
import dev.streamfence.trace.TracedMemory;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import jdk.jfr.Configuration;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** The events for JDK Flight Recorder. */
@Isolated("recordings belong to the whole process")
final class FlightEventsTest {
  static final Set<String> EVENTS =
      Set.of(
          "KernelLaunch",
          "Transfer",
          "StreamWork",
          "StreamWait",
          "Dependency",
          "DeviceTime",
          "Allocation",
          "Free",
          "Reclaim",
          "ModuleLoad",
          "GraphRecording",
          "DeviceFault",
          "OverdueWork",
          "StagingShortage",
          "MemoryWait",
          "Spill",
          "SpillReturn",
          "LockWait");

  @TempDir private Path folder;

  /** What a user's program does while a recording asks for all events. */
  private Path record(Runnable program) {
    Path file = folder.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      EVENTS.forEach(event -> recording.enable("dev.streamfence." + event).withoutThreshold());
      recording.start();
      program.run();
      recording.stop();
      recording.dump(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return file;
  }

  private static List<RecordedEvent> events(Path file, String name) throws IOException {
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals("dev.streamfence." + name))
        .toList();
  }

  @Test
  void everyEventHasALabelACategoryAndADescriptionAndIsOffByDefault() {
    FlightEvents.observesWork();
    EventPrograms.twoStreams(RuntimeOptions.defaults());
    record(() -> {});
    List<EventType> types =
        FlightRecorder.getFlightRecorder().getEventTypes().stream()
            .filter(type -> type.getName().startsWith("dev.streamfence."))
            .toList();
    assertThat(types.stream().map(type -> type.getName().substring("dev.streamfence.".length())))
        .isSubsetOf(EVENTS)
        .contains("KernelLaunch", "Transfer", "StreamWait", "Allocation", "Free");
    for (EventType type : types) {
      assertThat(type.getLabel()).as(type.getName()).isNotBlank();
      assertThat(type.getDescription()).as(type.getName()).isNotBlank();
      assertThat(type.getCategoryNames()).as(type.getName()).containsExactly("Streamfence");
      assertThat(type.isEnabled()).as(type.getName()).isFalse();
      assertThat(type.getFields().stream().map(field -> field.getLabel()))
          .as(type.getName())
          .doesNotContainNull();
    }
  }

  @Test
  void aRecordingContainsTheTrace() {
    Trace kept = Trace.inMemory(100);
    Path file =
        record(
            () ->
                // A shape that no other recording of this process contains, see FlightReader.
                EventPrograms.twoStreams(
                    RuntimeOptions.defaults().withTrace(kept).withDeviceTimes(true), 700));
    Trace read = Trace.ofFlightRecording(file);

    assertThat(read.works())
        .usingRecursiveComparison()
        .ignoringFields("submission", "execution", "uses")
        .isEqualTo(kept.works());
    assertThat(read.works().get(2).uses().toString())
        .isEqualTo(kept.works().get(2).uses().toString().replace('\t', ' ').replace('\n', ' '));
    assertThat(read.works())
        .filteredOn(work -> work.kind() == WorkKind.LAUNCH)
        .hasSize(2)
        .allMatch(work -> work.execution() != null)
        .extracting(work -> work.span().durationNanos())
        .isEqualTo(
            kept.works().stream()
                .filter(work -> work.kind() == WorkKind.LAUNCH)
                .map(work -> work.span().durationNanos())
                .toList());
    assertThat(read.memory())
        .extracting(TracedMemory::change, TracedMemory::liveBytes)
        .containsExactly(tuple(2800L, 2800L), tuple(-2800L, 0L));
    assertThat(read.explain()).contains("increment, written by increment");
  }

  @Test
  void aRecordedGraphIsAnEventAndItsLaunchesReferToIt() throws IOException {
    Trace kept = Trace.inMemory(100);
    try (DeviceRuntime gpu =
            DeviceRuntime.simulated(
                SimulatedDevice.builder().build(), RuntimeOptions.defaults().withTrace(kept));
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[900], "left of a step");
        DeviceArray<int[]> y = gpu.memory().upload(a, new int[900], "right of a step")) {
      VectorKernels onA = VectorKernels.on(a);
      onA.increment(x, 4);
      Path file =
          record(
              () -> {
                try (KernelGraph step =
                    gpu.graph(
                        "a step of seven",
                        body -> {
                          onA.increment(x, 900);
                          onA.increment(y, 900);
                          onA.add(x, y, y, 900);
                          onA.add(y, y, x, 900);
                          x.fill(a, 0);
                          body.ifNonZero(y, then -> y.fill(a, 1));
                        })) {
                  step.launch(a);
                  step.launch(a);
                }
              });

      assertThat(events(file, "GraphRecording"))
          .singleElement()
          .satisfies(
              recorded -> {
                assertThat(recorded.getString("graphName")).isEqualTo("a step of seven");
                assertThat(recorded.getInt("nodeCount")).isEqualTo(7);
                assertThat(recorded.getInt("edgeCount")).isEqualTo(5);
                assertThat(recorded.getInt("impliedEdges")).isEqualTo(2);
                assertThat(recorded.getDuration()).isPositive();
              });
      List<GraphStructure> read = graphs(Trace.ofFlightRecording(file));
      assertThat(read).hasSize(2).isEqualTo(graphs(kept));
      assertThat(read.get(0).edges())
          .hasSize(5)
          .anySatisfy(edge -> assertThat(edge.reasons()).hasSizeGreaterThan(1));
      assertThat(read.get(0).nodes())
          .extracting(GraphNode::parent)
          .containsExactly(-1, -1, -1, -1, -1, -1, 5);
      assertThat(read.get(0)).isSameAs(read.get(1));
    }
  }

  private static List<GraphStructure> graphs(Trace trace) {
    return trace.works().stream().map(TracedWork::graph).filter(Objects::nonNull).toList();
  }

  @Test
  void aRecordingThatBeginsAfterAGraphHasItsLaunchesWithoutNodes() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(SimulatedDevice.builder().build());
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4]);
        KernelGraph step = gpu.graph("late", body -> x.fill(a, 0))) {
      Path file = record(() -> step.launch(a));
      assertThat(Trace.ofFlightRecording(file).works())
          .singleElement()
          .satisfies(
              work -> {
                assertThat(work.name()).isEqualTo("late");
                assertThat(work.graph()).isNull();
              });
    }
  }

  /** As JDK 17 loses texts, see {@link FlightReader}. */
  @Test
  void aGraphWhoseNodesAreMissingInARecordingIsLeftOut() {
    Trace kept = Trace.inMemory(100);
    try (DeviceRuntime gpu =
            DeviceRuntime.simulated(
                SimulatedDevice.builder().build(), RuntimeOptions.defaults().withTrace(kept));
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4]);
        KernelGraph step = gpu.graph("lost", body -> x.fill(a, 0))) {
      step.launch(a);
      Path file =
          record(
              () -> {
                GraphRecordingEvent lost = new GraphRecordingEvent();
                lost.graph = graphs(kept).get(0).number();
                lost.nodeCount = 1;
                lost.commit();
                step.launch(a);
              });
      assertThat(Trace.ofFlightRecording(file).works())
          .singleElement()
          .satisfies(work -> assertThat(work.graph()).isNull());
    }
  }

  @Test
  void aWaitSaysWhichArrayIsTheReason() throws IOException {
    Path file = record(() -> EventPrograms.twoStreams(RuntimeOptions.defaults()));
    List<RecordedEvent> waits = events(file, "StreamWait");
    assertThat(waits).hasSize(1);
    RecordedEvent wait = waits.get(0);
    assertThat(wait.getString("work")).isEqualTo("increment");
    assertThat(wait.getInt("stream")).isEqualTo(2);
    assertThat(wait.getInt("earlierStream")).isEqualTo(1);
    assertThat(wait.getString("array")).startsWith("keys");
    assertThat(wait.getBoolean("earlierWrites")).isTrue();
    assertThat(wait.getBoolean("laterWrites")).isTrue();
    assertThat(Trace.ofFlightRecording(file).works())
        .filteredOn(TracedWork::hasWaited)
        .singleElement()
        .satisfies(
            work ->
                assertThat(work.dependencies().get(0).satisfied()).isEqualTo(Satisfied.BY_WAIT));
  }

  @Test
  void aLoadedModuleIsAnEventWithItsDuration() throws IOException {
    // A name that no other recording of this process contains, see FlightReader.
    KernelImage image =
        KernelImage.resource(
            "recorded/vector.ptx",
            name -> VectorKernels.class.getResourceAsStream("/kernels/vector.ptx"));
    Path file =
        record(
            () -> {
              try (DeviceRuntime gpu = DeviceRuntime.simulated();
                  DeviceStream a = gpu.streams().acquire()) {
                LoadedModule.of(a, image);
              }
            });
    assertThat(events(file, "ModuleLoad"))
        .singleElement()
        .satisfies(
            load -> {
              assertThat(load.getString("module")).contains("recorded/vector.ptx");
              assertThat(load.getLong("bytes")).isPositive();
              assertThat(load.getDuration()).isPositive();
            });
  }

  @Test
  void aFaultIsAnEventWithTheWorkThatWasOutstanding() throws IOException {
    Path file = record(EventPrograms::fault);
    assertThat(events(file, "DeviceFault"))
        .singleElement()
        .satisfies(
            fault -> {
              assertThat(fault.getString("call")).isEqualTo("cuStreamSynchronize");
              assertThat(fault.getString("code")).isEqualTo("CUDA_ERROR_ILLEGAL_ADDRESS");
              assertThat(fault.getString("outstanding"))
                  .contains("increment on stream 1", "\nincrement on stream 2");
            });
  }

  @Test
  void aRefusedAllocationAndAReclaimAreEvents() throws IOException {
    Path file = record(EventPrograms::reclaim);
    assertThat(events(file, "Reclaim")).isNotEmpty();
    assertThat(events(file, "Allocation"))
        .hasSize(3)
        .filteredOn(event -> event.getLong("generation") == 0)
        .singleElement()
        .satisfies(
            refused -> {
              assertThat(refused.getLong("bytes")).isEqualTo(1000);
              assertThat(refused.getString("error")).isEqualTo("CudaDriverException");
            });
    assertThat(Trace.ofFlightRecording(file).memory())
        .extracting(TracedMemory::change, TracedMemory::liveBytes)
        .containsExactly(
            tuple(1024L, 1024L), tuple(-1024L, 0L), tuple(1024L, 1024L), tuple(-1024L, 0L));
  }

  @Test
  void memoryOfSeveralThreadsIsReadInTheOrderOfItsChanges() {
    Path file =
        record(
            () -> {
              try (DeviceRuntime gpu = DeviceRuntime.simulated();
                  DeviceStream a = gpu.streams().acquire();
                  DeviceArray<byte[]> x = gpu.memory().allocate(a, byte[].class, 100)) {
                CompletableFuture.runAsync(() -> gpu.memory().allocate(a, byte[].class, 10).close())
                    .join();
                assertThat(x.isOpen()).isTrue();
              }
            });
    assertThat(Trace.ofFlightRecording(file).memory())
        .extracting(TracedMemory::change, TracedMemory::liveBytes)
        .containsExactly(tuple(100L, 100L), tuple(10L, 110L), tuple(-10L, 100L), tuple(-100L, 0L));
  }

  @Test
  void aTaskThatWaitsForMemoryAndAnArrayThatIsSpilledAreEvents() throws IOException {
    Path file = record(EventPrograms::spill);
    assertThat(events(file, "Spill"))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getString("array")).isEqualTo("spillable byte[10] 'idle'");
              assertThat(event.getLong("bytes")).isEqualTo(10);
              assertThat(event.getString("place")).isEqualTo("HOST");
            });
    assertThat(events(file, "SpillReturn")).hasSize(1);
    assertThat(events(file, "MemoryWait"))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getString("task")).startsWith("task 1 of thread");
              assertThat(event.getString("request")).isEqualTo("'keys'");
              assertThat(event.getLong("bytes")).isEqualTo(50);
              assertThat(event.getString("ending")).isEqualTo("SPLIT");
            });
  }

  @Test
  void theSettingsTurnEveryEventOn() throws Exception {
    Configuration settings = Configuration.create(Path.of("../streamfence.jfc"));
    assertThat(settings.getSettings().keySet().stream().filter(key -> key.endsWith("#enabled")))
        .containsExactlyInAnyOrderElementsOf(
            EVENTS.stream().map(event -> "dev.streamfence." + event + "#enabled").toList());
    assertThat(settings.getSettings()).containsEntry("dev.streamfence.LockWait#threshold", "1 ms");
  }

  @Test
  void aFileThatIsNoRecordingIsRefusedByName() throws IOException {
    Path file = Files.writeString(folder.resolve("notes.txt"), "no recording");
    assertThatThrownBy(() -> Trace.ofFlightRecording(file))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("notes.txt");
  }

  @Test
  void whileNothingAsksForThemEventsTakeNoMemory() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream a = gpu.streams().acquire()) {
      assertThat(FlightEvents.observesWork()).isFalse();
      assertThat(
              AllocatedBytes.leastOfFiveRounds(
                  () -> {
                    for (int i = 0; i < 10_000; i++) {
                      FlightEvents.observesWork();
                      FlightEvents.observesMemory();
                      FlightEvents.endWait(FlightEvents.beginLockWait());
                    }
                  }))
          .isZero();
      assertThat(a.isIdle()).isTrue();
    }
  }

  @Test
  void aThreadThatWaitsForAnotherOnesSubmissionIsAnEvent() throws IOException {
    Path file = record(EventPrograms::lockWait);
    assertThat(events(file, "LockWait"))
        .anyMatch(event -> event.getDuration().compareTo(Duration.ofMillis(5)) > 0);
  }

  @Test
  void workThatIsOverdueIsAnEvent() throws IOException {
    Path file = record(EventPrograms::overdueWork);
    assertThat(events(file, "OverdueWork"))
        .singleElement()
        .satisfies(event -> assertThat(event.getString("work")).startsWith("increment on stream"));
  }
}
