package dev.streamfence.internal.trace;

import dev.streamfence.graph.GraphStructure;
import dev.streamfence.trace.TraceSpan;
import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedMemory;
import dev.streamfence.trace.TracedPressure;
import dev.streamfence.trace.TracedUse;
import dev.streamfence.trace.TracedWork;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * A trace as one page of HTML. The data is compressed in it, in columns: 100,000 launches take
 * about 2 MB. The page, {@code timeline.html} beside this class, draws them on a canvas.
 */
final class TimelinePage {
  /** Where the data belongs in the page. */
  private static final String PLACE = "@DATA@";

  /** Texts that repeat, each once. */
  private static final class Texts {
    private final Map<String, Integer> positions = new LinkedHashMap<>();

    private int of(String text) {
      return positions.computeIfAbsent(text, key -> positions.size());
    }
  }

  private final List<TracedWork> works;
  private final List<TracedMemory> memory;
  private final List<TracedPressure> pressure;
  private final long forgotten;
  private final Schedule schedule;
  private final Texts texts = new Texts();
  private final Texts devices = new Texts();
  private final Map<Long, Integer> graphs = new HashMap<>();
  private final List<GraphPicture> pictures = new ArrayList<>();
  private final Map<String, Lane> lanes = new LinkedHashMap<>();

  /** A row of the page; the streams of a device come first. Immutable. */
  private record Lane(int position, int device, String name, boolean isStream) {}

  TimelinePage(
      List<TracedWork> works,
      List<TracedMemory> memory,
      List<TracedPressure> pressure,
      long forgotten) {
    this.pressure = pressure;
    this.works = works;
    this.memory = memory;
    this.forgotten = forgotten;
    this.schedule = new Schedule(works);
    Stream.concat(
            works.stream().map(TracedWork::device), pressure.stream().map(TracedPressure::device))
        .distinct()
        .sorted()
        .forEach(this::lanes);
  }

  private void lanes(String device) {
    works.stream()
        .filter(work -> work.device().equals(device))
        .sorted(Comparator.comparingInt(TracedWork::stream))
        .forEach(this::lane);
    pressure.stream()
        .filter(each -> each.device().equals(device))
        .sorted(Comparator.comparing(TracedPressure::kind).thenComparing(TracedPressure::thread))
        .forEach(this::lane);
  }

  void writeTo(Appendable out) throws IOException {
    String page = page();
    int place = page.indexOf(PLACE);
    out.append(page, 0, place);
    out.append(Base64.getEncoder().encodeToString(compressed()));
    out.append(page, place + PLACE.length(), page.length());
  }

  private static String page() throws IOException {
    try (InputStream in = TimelinePage.class.getResourceAsStream("timeline.html")) {
      if (in == null) {
        throw new IOException("timeline.html is missing beside " + TimelinePage.class);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private byte[] compressed() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Writer out = new OutputStreamWriter(new GZIPOutputStream(bytes), StandardCharsets.UTF_8)) {
      write(new JsonText(out));
    }
    return bytes.toByteArray();
  }

  private void write(JsonText json) throws IOException {
    json.open('{').name("forgotten").value(forgotten);
    int[] lane = works.stream().mapToInt(work -> lane(work).position()).toArray();
    column(json, "lane", i -> lane[i]);
    column(json, "kind", i -> texts.of(work(i).kind().inWords()));
    column(json, "name", i -> texts.of(work(i).name()));
    column(json, "detail", i -> texts.of(work(i).detail()));
    column(json, "bytes", i -> work(i).bytes());
    column(json, "ticket", i -> work(i).ticket());
    column(json, "thread", i -> texts.of(work(i).thread()));
    // The differences of neighbours compress better than the numbers.
    column(json, "submitted", i -> submitted(i) - (i == 0 ? 0 : submitted(i - 1)));
    column(json, "submission", i -> work(i).submission().durationNanos());
    column(json, "queue", i -> work(i).span().startNanos() - submitted(i));
    column(json, "took", i -> work(i).span().durationNanos());
    column(json, "flags", this::flags);
    column(json, "gap", schedule::gap);
    column(json, "uses", i -> texts.of(uses(work(i))));
    column(json, "graph", i -> graph(work(i)));
    json.name("graphs").open('[');
    for (GraphPicture each : pictures) {
      json.value(each.svg()).value(String.join("\n", each.lines()));
    }
    json.close(']');
    dependencies(json);
    memory(json);
    pressure(json);
    json.name("lanes").open('[');
    for (Lane each : lanes.values()) {
      json.open('[').value(each.device()).value(each.name());
      json.value(each.isStream() ? 1 : 0).close(']');
    }
    json.close(']');
    texts(json, "devices", devices);
    texts(json, "texts", texts);
    json.close('}');
  }

  private TracedWork work(int position) {
    return works.get(position);
  }

  private long submitted(int position) {
    return work(position).submission().startNanos();
  }

  private Lane lane(TracedWork work) {
    return lanes.computeIfAbsent(
        work.device() + "/stream " + work.stream(),
        key -> new Lane(lanes.size(), devices.of(work.device()), work.streamName(), true));
  }

  private Lane lane(TracedPressure each) {
    String name = each.kind() == TracedPressure.Kind.WAIT ? "waits of " + each.thread() : "spills";
    return lanes.computeIfAbsent(
        each.device() + "/" + name,
        key -> new Lane(lanes.size(), devices.of(each.device()), name, false));
  }

  private long flags(int position) {
    TraceSpan measured = work(position).execution();
    return (measured != null ? 1 : 0)
        | (work(position).isQueued() ? 2 : 0)
        | (schedule.isCritical(position) ? 4 : 0);
  }

  private static String uses(TracedWork work) {
    return work.uses().stream().map(TracedUse::toString).collect(Collectors.joining("\n"));
  }

  /** The position of the work's graph among the pictures, which has each once; -1 for none. */
  private int graph(TracedWork work) {
    GraphStructure graph = work.graph();
    if (graph == null) {
      return -1;
    }
    return graphs.computeIfAbsent(
        graph.number(),
        number -> {
          pictures.add(new GraphPicture(graph));
          return graphs.size();
        });
  }

  private void column(JsonText json, String name, IntToLongFunction value) throws IOException {
    json.name(name).open('[');
    for (int i = 0; i < works.size(); i++) {
      json.value(value.applyAsLong(i));
    }
    json.close(']');
  }

  /** Seven numbers each: later and earlier work, array, who writes, how, and stream and ticket. */
  private void dependencies(JsonText json) throws IOException {
    EarlierWork earlier = new EarlierWork(works);
    json.name("after").open('[');
    for (int i = 0; i < works.size(); i++) {
      for (TracedDependency each : works.get(i).dependencies()) {
        json.value(i).value(earlier.find(works.get(i), each));
        json.value(texts.of(each.array()));
        json.value((each.earlierWrites() ? 1 : 0) | (each.laterWrites() ? 2 : 0));
        json.value(texts.of(each.satisfied().name()));
        json.value(each.stream()).value(each.ticket());
      }
    }
    json.close(']');
  }

  /** Four numbers each: device, time, bytes of open arrays, and tag. */
  private void memory(JsonText json) throws IOException {
    json.name("memory").open('[');
    for (TracedMemory each : memory) {
      json.value(devices.of(each.device())).value(each.nanos());
      json.value(each.liveBytes()).value(texts.of(each.tag()));
    }
    json.close(']');
  }

  /** Eight numbers each: lane, kind, start, duration, bytes, sentence, outcome, and thread. */
  private void pressure(JsonText json) throws IOException {
    json.name("pressure").open('[');
    for (TracedPressure each : pressure) {
      json.value(lane(each).position()).value(texts.of(each.kind().name()));
      json.value(each.span().startNanos()).value(each.span().durationNanos());
      json.value(each.bytes()).value(texts.of(each.toString()));
      json.value(texts.of(each.outcome().name())).value(texts.of(each.thread()));
    }
    json.close(']');
  }

  private static void texts(JsonText json, String name, Texts texts) throws IOException {
    json.name(name).open('[');
    for (String text : texts.positions.keySet()) {
      json.value(text);
    }
    json.close(']');
  }
}
