package dev.streamfence.internal.jfr;

import dev.streamfence.graph.GraphStructure;
import dev.streamfence.internal.jfr.MemoryEvent.AllocationEvent;
import dev.streamfence.internal.jfr.MemoryEvent.FreeEvent;
import dev.streamfence.internal.jfr.OrderEvent.DependencyEvent;
import dev.streamfence.internal.jfr.OrderEvent.StreamWaitEvent;
import dev.streamfence.internal.jfr.PressureEvent.MemoryWaitEvent;
import dev.streamfence.internal.jfr.PressureEvent.SpillEvent;
import dev.streamfence.internal.jfr.PressureEvent.SpillReturnEvent;
import dev.streamfence.internal.jfr.WorkEvent.KernelLaunchEvent;
import dev.streamfence.internal.jfr.WorkEvent.StreamWorkEvent;
import dev.streamfence.internal.jfr.WorkEvent.TransferEvent;
import dev.streamfence.trace.TraceSpan;
import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedDependency.Satisfied;
import dev.streamfence.trace.TracedMemory;
import dev.streamfence.trace.TracedPressure;
import dev.streamfence.trace.TracedPressure.Kind;
import dev.streamfence.trace.TracedPressure.Outcome;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/** Reads the events of this project back from a recording. Needs the module {@code jdk.jfr}. */
public final class FlightReader {
  /** What a recording contains. Immutable. */
  public record Recorded(
      List<TracedWork> works, List<TracedMemory> memory, List<TracedPressure> pressure) {}

  private record Key(String device, int stream, long ticket) {
    private static Key of(RecordedEvent event) {
      return new Key(text(event, "device"), event.getInt("stream"), event.getLong("ticket"));
    }
  }

  private final List<RecordedEvent> works = new ArrayList<>();
  private final List<RecordedEvent> memory = new ArrayList<>();
  private final List<RecordedEvent> pressure = new ArrayList<>();
  private final Map<Key, List<TracedDependency>> dependencies = new HashMap<>();
  private final Map<Key, RecordedEvent> times = new HashMap<>();

  private final Map<Long, GraphStructure> graphs = new HashMap<>();

  private FlightReader() {}

  /**
   * Reads a recording.
   *
   * @throws UncheckedIOException if that is not possible
   */
  public static Recorded read(Path file) {
    FlightReader reader = new FlightReader();
    try (RecordingFile recording = new RecordingFile(file)) {
      while (recording.hasMoreEvents()) {
        reader.add(recording.readEvent());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(file + " is no recording that can be read", e);
    }
    return reader.recorded();
  }

  private void add(RecordedEvent event) {
    String name = event.getEventType().getName();
    if (name.equals(KernelLaunchEvent.NAME)
        || name.equals(TransferEvent.NAME)
        || name.equals(StreamWorkEvent.NAME)) {
      works.add(event);
    } else if (name.equals(StreamWaitEvent.NAME)) {
      addDependency(event, Satisfied.BY_WAIT);
    } else if (name.equals(DependencyEvent.NAME)) {
      addDependency(event, Satisfied.valueOf(text(event, "satisfied")));
    } else if (name.equals(DeviceTimeEvent.NAME)) {
      times.put(Key.of(event), event);
    } else if (name.equals(AllocationEvent.NAME) || name.equals(FreeEvent.NAME)) {
      memory.add(event);
    } else if (name.equals(MemoryWaitEvent.NAME)
        || name.equals(SpillEvent.NAME)
        || name.equals(SpillReturnEvent.NAME)) {
      pressure.add(event);
    } else if (name.equals(GraphRecordingEvent.NAME)) {
      GraphStructure graph =
          FlightText.graph(
              event.getLong("graph"),
              text(event, "graphName"),
              text(event, "nodes"),
              text(event, "edges"));
      // JDK 17 may have lost a text.
      if (graph.nodes().size() == event.getInt("nodeCount")
          && graph.edges().size() == event.getInt("edgeCount")) {
        graphs.put(graph.number(), graph);
      }
    }
  }

  private void addDependency(RecordedEvent event, Satisfied satisfied) {
    dependencies
        .computeIfAbsent(Key.of(event), key -> new ArrayList<>())
        .add(
            new TracedDependency(
                text(event, "array"),
                event.getBoolean("earlierWrites"),
                event.getBoolean("laterWrites"),
                event.getInt("earlierStream"),
                event.getLong("earlierTicket"),
                "",
                WorkKind.OTHER,
                satisfied));
  }

  private Recorded recorded() {
    Comparator<RecordedEvent> byTime = Comparator.comparing(RecordedEvent::getStartTime);
    works.sort(byTime);
    memory.sort(byTime);
    Instant begin =
        Stream.of(works, memory, pressure)
            .flatMap(List::stream)
            .map(RecordedEvent::getStartTime)
            .min(Comparator.naturalOrder())
            .orElse(Instant.EPOCH);
    return new Recorded(
        works.stream().map(event -> work(event, begin)).toList(),
        memory.stream()
            .filter(event -> text(event, "error").isEmpty())
            .map(event -> change(event, begin))
            .toList(),
        pressure.stream().map(event -> pressure(event, begin)).toList());
  }

  private TracedWork work(RecordedEvent event, Instant begin) {
    Key key = Key.of(event);
    TraceSpan submission = span(event, begin);
    boolean isLaunch = event.hasField("kernel");
    return new TracedWork(
        key.device(),
        isLaunch ? WorkKind.LAUNCH : WorkKind.valueOf(text(event, "kind")),
        name(event),
        text(event, isLaunch ? "shape" : "detail"),
        isLaunch ? 0 : event.getLong("bytes"),
        key.stream(),
        text(event, "streamName"),
        event.getLong("firstTicket"),
        key.ticket(),
        thread(event),
        submission,
        execution(times.get(key), submission),
        FlightText.uses(text(event, "uses")),
        dependencies.getOrDefault(key, List.of()),
        event.getBoolean("queued"),
        event.hasField("graph") ? graphs.get(event.getLong("graph")) : null);
  }

  private static TraceSpan span(RecordedEvent event, Instant begin) {
    return new TraceSpan(
        Duration.between(begin, event.getStartTime()).toNanos(), event.getDuration().toNanos());
  }

  private static String thread(RecordedEvent event) {
    return event.getThread() == null ? "" : event.getThread().getJavaName();
  }

  private static String name(RecordedEvent event) {
    if (event.hasField("kernel")) {
      return text(event, "kernel");
    }
    return event.hasField("work")
        ? text(event, "work")
        : WorkKind.valueOf(text(event, "kind")).inWords();
  }

  private static @Nullable TraceSpan execution(@Nullable RecordedEvent time, TraceSpan submission) {
    if (time == null) {
      return null;
    }
    return new TraceSpan(
        submission.startNanos() + time.getLong("queueTime"), time.getLong("executionTime"));
  }

  /** JDK 17 loses texts that an earlier recording of the same process contains. */
  private static String text(RecordedEvent event, String field) {
    return Objects.requireNonNullElse(event.getString(field), "");
  }

  private static TracedPressure pressure(RecordedEvent event, Instant begin) {
    boolean isWait = event.hasField("ending");
    boolean isSpill = event.getEventType().getName().equals(SpillEvent.NAME);
    return new TracedPressure(
        text(event, "device"),
        isWait ? Kind.WAIT : isSpill ? Kind.SPILL : Kind.RETURN,
        text(event, isWait ? "request" : "array"),
        event.getLong("bytes"),
        thread(event),
        span(event, begin),
        Outcome.valueOf(text(event, isWait ? "ending" : "place")));
  }

  private static TracedMemory change(RecordedEvent event, Instant begin) {
    long bytes = event.getLong("bytes");
    return new TracedMemory(
        text(event, "device"),
        Duration.between(begin, event.getStartTime()).toNanos(),
        event.getEventType().getName().equals(AllocationEvent.NAME) ? bytes : -bytes,
        0,
        text(event, "tag"),
        event.getInt("stream"));
  }
}
