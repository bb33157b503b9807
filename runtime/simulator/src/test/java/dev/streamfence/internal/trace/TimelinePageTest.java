package dev.streamfence.internal.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.Access;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.trace.Trace;
import dev.streamfence.trace.TraceSpan;
import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedDependency.Satisfied;
import dev.streamfence.trace.TracedPressure;
import dev.streamfence.trace.TracedPressure.Kind;
import dev.streamfence.trace.TracedPressure.Outcome;
import dev.streamfence.trace.TracedUse;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files that show a trace. */
final class TimelinePageTest {
  private static final String DEVICE = "a device";

  @TempDir private Path folder;

  private static TracedWork work(
      String name, int stream, long ticket, long submitted, long start, long took, int... after) {
    List<TracedDependency> dependencies = new ArrayList<>();
    for (int i = 0; i < after.length; i += 2) {
      dependencies.add(
          new TracedDependency(
              "x",
              true,
              false,
              after[i],
              after[i + 1],
              "",
              WorkKind.OTHER,
              after[i] == stream ? Satisfied.BY_STREAM_ORDER : Satisfied.BY_WAIT));
    }
    return new TracedWork(
        DEVICE,
        WorkKind.LAUNCH,
        name,
        "grid 1 x 1 x 1 of 1 x 1 x 1",
        0,
        stream,
        "stream " + stream,
        ticket,
        ticket,
        "main",
        new TraceSpan(submitted, 1_000),
        new TraceSpan(start, took),
        List.of(new TracedUse("x", "", "allocation 1", Access.READ)),
        dependencies,
        true,
        null);
  }

  /** Stream 2 waits for the second kernel of stream 1; the third there is submitted late. */
  private static List<TracedWork> works() {
    return List.of(
        work("build", 1, 1, 0, 2_000, 50_000),
        work("sort", 1, 2, 1_000, 52_000, 100_000, 1, 1),
        work("scan", 2, 1, 2_000, 4_000, 10_000),
        work("probe", 2, 2, 3_000, 152_500, 30_000, 1, 2),
        work("late", 1, 3, 400_000, 402_000, 5_000));
  }

  @Test
  void aGapIsNamedAfterWhatTheStreamWaitedFor() {
    Schedule schedule = new Schedule(works());
    assertThat(schedule.gap(1)).isEqualTo(Schedule.NO_GAP);
    assertThat(schedule.gap(3)).isEqualTo(1);
    assertThat(schedule.gap(4)).isEqualTo(Schedule.HOST);
  }

  @Test
  void aGapThatNeitherTheHostNorAWaitExplainsIsTheDevices() {
    Schedule schedule =
        new Schedule(
            List.of(work("a", 1, 1, 0, 2_000, 1_000), work("b", 1, 2, 500, 90_000, 1_000)));
    assertThat(schedule.gap(1)).isEqualTo(Schedule.DEVICE);
  }

  @Test
  void workThatWasNotMeasuredMakesNoGapBesideWorkThatRuns() {
    Schedule schedule =
        new Schedule(
            List.of(
                work("kernel", 1, 1, 0, 2_000, 100_000),
                work("free", 1, 2, 3_000, 4_000, 0),
                work("next", 1, 3, 5_000, 102_100, 1_000)));
    assertThat(schedule.gap(2)).isEqualTo(Schedule.NO_GAP);
    assertThat(schedule.isCritical(0)).isTrue();
    assertThat(schedule.isCritical(1)).isFalse();
  }

  @Test
  void theCriticalPathFollowsTheWorkThatEndedLast() {
    Schedule schedule = new Schedule(works().subList(0, 4));
    assertThat(schedule.isCritical(0)).isTrue();
    assertThat(schedule.isCritical(1)).isTrue();
    assertThat(schedule.isCritical(2)).isFalse();
    assertThat(schedule.isCritical(3)).isTrue();
  }

  @Test
  void aCriticalPathThroughWorkThatSeemsToOverlapEnds() {
    List<TracedWork> cycle =
        List.of(work("a", 1, 1, 0, 5_000, 1_000, 2, 1), work("b", 2, 1, 1, 4_000, 9_000, 1, 1));
    assertThat(new Schedule(cycle).isCritical(1)).isTrue();
  }

  static JsonObject data(String page) throws IOException {
    Matcher found =
        Pattern.compile("<script id=\"data\" type=\"text/plain\">([^<]*)</script>").matcher(page);
    assertThat(found.find()).isTrue();
    byte[] bytes = Base64.getDecoder().decode(found.group(1));
    try (InputStreamReader in =
        new InputStreamReader(
            new GZIPInputStream(new ByteArrayInputStream(bytes)), StandardCharsets.UTF_8)) {
      return JsonParser.parseReader(in).getAsJsonObject();
    }
  }

  private static String page(List<TracedWork> works) throws IOException {
    StringBuilder out = new StringBuilder();
    new TimelinePage(works, List.of(), List.of(), 0).writeTo(out);
    return out.toString();
  }

  private static List<Long> column(JsonObject data, String name) {
    return StreamSupport.stream(data.getAsJsonArray(name).spliterator(), false)
        .map(JsonElement::getAsLong)
        .toList();
  }

  @Test
  void thePageContainsEachPieceOfWorkAndNeedsNothingElse() throws IOException {
    String page = page(works());
    JsonObject data = data(page);
    JsonArray texts = data.getAsJsonArray("texts");
    assertThat(column(data, "name").stream().map(i -> texts.get(i.intValue()).getAsString()))
        .containsExactly("build", "sort", "scan", "probe", "late");
    assertThat(column(data, "took")).containsExactly(50_000L, 100_000L, 10_000L, 30_000L, 5_000L);
    assertThat(column(data, "submitted")).containsExactly(0L, 1_000L, 1_000L, 1_000L, 397_000L);
    assertThat(column(data, "gap")).containsExactly(-1L, -1L, -1L, 1L, -2L);
    assertThat(column(data, "after").subList(7, 9)).containsExactly(3L, 1L);
    assertThat(page).doesNotContain("http:", "https:", "src=", "@import", "url(");
  }

  /** What is traced while a graph of two nodes and one that a condition decides about runs. */
  private static List<TracedWork> launchesOfAGraph(int launches) {
    Trace trace = Trace.inMemory(launches + 10);
    try (DeviceRuntime gpu =
            DeviceRuntime.simulated(
                SimulatedDevice.builder().build(), RuntimeOptions.defaults().withTrace(trace));
        DeviceStream a = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4], "x");
        KernelGraph step =
            gpu.graph(
                "a <step>",
                body -> {
                  x.fill(a, 1);
                  VectorKernels.on(a).increment(x, 4);
                  body.ifNonZero(x, then -> x.fill(a, 2));
                })) {
      for (int i = 0; i < launches; i++) {
        step.launch(a);
      }
      gpu.synchronize();
    }
    return trace.works().stream().filter(work -> work.graph() != null).toList();
  }

  @Test
  void thePageHasThePictureOfAGraphOnceHoweverOftenItRan() throws IOException {
    JsonObject once = data(page(launchesOfAGraph(1)));
    JsonObject often = data(page(launchesOfAGraph(100)));
    assertThat(column(often, "graph")).hasSize(100).containsOnly(0L);
    assertThat(graphs(often)).isEqualTo(graphs(once)).hasSize(2);
    assertThat(graphs(often).get(0))
        .startsWith("<svg")
        .contains("a &lt;step&gt;", "1 increment", "fill writes x, increment writes it")
        .contains("<title>decided by if</title>");
    assertThat(graphs(often).get(1).lines())
        .containsExactly(
            "0 fill (16 bytes)",
            "1 increment (grid 1 x 1 x 1 of 256 x 1 x 1)",
            "  comes after 0: fill writes x, increment writes it",
            "2 if (int[4] in - 'x' of 16 bytes at -)",
            "  comes after 1: increment writes values, if writes it",
            "3 fill (16 bytes)",
            "  is decided by 2");
    assertThat(column(data(page(works())), "graph")).containsOnly(-1L);
  }

  /**
   * The pictures of the graphs and their nodes in words, without numbers and addresses of memory.
   */
  private static List<String> graphs(JsonObject data) {
    return StreamSupport.stream(data.getAsJsonArray("graphs").spliterator(), false)
        .map(each -> each.getAsString().replaceAll("allocation \\d+|0x\\w+", "-"))
        .toList();
  }

  @Test
  void theChromeTraceHasTheNodesOfAGraphWithItsFirstLaunch() throws IOException {
    StringBuilder out = new StringBuilder();
    new ChromeTrace(launchesOfAGraph(3), List.of(), List.of()).writeTo(out);
    List<String> nodes =
        events(out.toString())
            .filter(event -> text(event, "cat").equals("GRAPH"))
            .map(event -> event.getAsJsonObject("args").get("nodes").toString())
            .toList();
    assertThat(nodes).hasSize(3);
    assertThat(nodes.get(0))
        .startsWith("[\"0 fill (16 bytes)\",")
        .contains("comes after 0: fill writes x, increment writes it")
        .contains("\"3 fill (16 bytes)\",\"  is decided by 2\"");
    assertThat(nodes.subList(1, 3))
        .containsOnly("\"with the first launch of the graph, a <step> on stream 1 (ticket 3)\"");
  }

  @Test
  void everyKindOfWorkHasAColour() throws IOException {
    String page = page(List.of());
    // A condition is a node of a graph only.
    assertThat(EnumSet.complementOf(EnumSet.of(WorkKind.CONDITION)))
        .allSatisfy(kind -> assertThat(page).contains(" " + kind.inWords() + ": '#"));
  }

  @Test
  void aHundredThousandLaunchesFitIntoFourMegabytes() throws IOException {
    List<TracedWork> works = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      int stream = 1 + i % 4;
      long ticket = 1 + i / 4;
      works.add(
          work(
              "kernel" + i % 30,
              stream,
              ticket,
              i * 3_000L + i * 7919L % 1000,
              i * 3_000L + 5_000 + i * 6007L % 2000,
              2_000 + i * 104_729L % 3000,
              1 + (i + 3) % 4,
              i < 4 ? 1 : 1 + (i - 1) / 4));
    }
    assertThat(page(works).length()).isLessThan(4 << 20);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"</script><script>alert(1)</script>", "\"\\\u2028\u0000\ud83d", "naïve – 表"})
  void namesOfAnyCharactersAreWrittenAndReadBack(String name) throws IOException {
    List<TracedWork> works = List.of(work(name, 1, 1, 0, 0, 1));
    JsonArray texts = data(page(works)).getAsJsonArray("texts");
    assertThat(
            StreamSupport.stream(texts.spliterator(), false).map(JsonElement::getAsString).toList())
        .contains(name);
    StringBuilder out = new StringBuilder();
    new ChromeTrace(works, List.of(), List.of()).writeTo(out);
    assertThat(events(out.toString()).filter(event -> text(event, "name").equals(name))).hasSize(2);
  }

  private static Stream<JsonObject> events(String json) {
    return StreamSupport.stream(
            JsonParser.parseString(json)
                .getAsJsonObject()
                .getAsJsonArray("traceEvents")
                .spliterator(),
            false)
        .map(JsonElement::getAsJsonObject);
  }

  private static String text(JsonObject event, String field) {
    return event.get(field).getAsString();
  }

  @Test
  void theChromeTraceHasALanePerStreamAndAFlowPerWait() throws IOException {
    StringBuilder out = new StringBuilder();
    new ChromeTrace(works(), List.of(), List.of()).writeTo(out);
    String json = out.toString();
    assertThat(
            events(json)
                .filter(event -> text(event, "name").equals("thread_name"))
                .map(event -> text(event.getAsJsonObject("args"), "name")))
        .containsExactly("stream 1", "Java thread main", "stream 2");
    assertThat(events(json).filter(event -> text(event, "ph").equals("s")))
        .singleElement()
        .satisfies(
            flow -> {
              assertThat(flow.get("ts").getAsDouble()).isEqualTo(152.0);
              assertThat(flow.get("tid").getAsInt()).isEqualTo(2);
            });
    assertThat(
            events(json)
                .filter(event -> text(event, "cat").equals("LAUNCH"))
                .map(event -> event.get("dur").getAsDouble()))
        .containsExactly(50.0, 100.0, 10.0, 30.0, 5.0);
  }

  @Test
  void aFileThatCannotBeWrittenIsNamed() {
    Trace trace = Trace.inMemory(1);
    Path nowhere = folder.resolve("missing").resolve("trace.html");
    assertThatThrownBy(() -> trace.writeHtml(nowhere))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(nowhere.toString());
    assertThatThrownBy(() -> trace.writeChromeJson(nowhere))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining(nowhere.toString());
  }

  @Test
  void aBrowserShowsThePage() throws Exception {
    Path browser = browser();
    Trace trace = Trace.inMemory(100);
    try (DeviceRuntime gpu =
            DeviceRuntime.simulated(
                SimulatedDevice.builder().build(),
                RuntimeOptions.defaults().withTrace(trace).withDeviceTimes(true));
        DeviceStream a = gpu.streams().acquire();
        DeviceStream b = gpu.streams().acquire();
        DeviceArray<int[]> x = gpu.memory().upload(a, new int[4])) {
      VectorKernels.on(a).increment(x, 4);
      VectorKernels.on(b).increment(x, 4);
      try (KernelGraph step =
          gpu.graph(
              "step",
              body -> {
                VectorKernels.on(a).increment(x, 4);
                body.ifNonZero(x, then -> x.fill(a, 2));
              })) {
        step.launch(a);
      }
      gpu.synchronize();
    }
    Path page = folder.resolve("trace.html");
    trace.writeHtml(page);
    String shown = dom(browser, page.toUri().toString());
    assertThat(dom(browser, page.toUri() + "#3"))
        .contains("waits for stream 1 #3: values: written by increment, written by increment");
    assertThat(dom(browser, page.toUri() + "#4"))
        .contains("The times of its nodes are not measured.")
        .contains("0 increment (grid 1 x 1 x 1 of 256 x 1 x 1)")
        .contains("2 fill (16 bytes)\n  is decided by 1")
        .contains("<title>decided by if</title>");
    assertThat(found(browser, page, "increment")).contains("data-found=\"2,3,4\"");
    assertThat(found(browser, page, "Is Decided By")).contains("data-found=\"4\"");
    assertThat(shown)
        .contains("data-ready=\"yes\"")
        .contains("6 pieces of work on 2 streams, 2 waits")
        .contains("<td>increment</td><td>2</td>");

    Trace.inMemory(1).writeHtml(page);
    assertThat(dom(browser, page.toUri().toString()))
        .contains("data-ready=\"yes\"")
        .contains("0 pieces of work on 0 streams");

    Trace waits = Trace.inMemory(1);
    ((RecordedTrace) waits)
        .add(
            new TracedPressure(
                DEVICE, Kind.WAIT, "'keys'", 64, "main", new TraceSpan(0, 500), Outcome.RETRY));
    waits.writeHtml(page);
    assertThat(dom(browser, page.toUri().toString()))
        .contains("data-ready=\"yes\"")
        .contains("1 waits for memory, 0 spills, 0 returns");
  }

  /** The page after a search, with the positions of what it has found. */
  private String found(Path browser, Path page, String text) throws Exception {
    String search =
        """
        <script>
        const waiting = setInterval(() => {
          if (document.body.dataset.ready !== 'yes') return;
          clearInterval(waiting);
          const field = document.getElementById('find');
          field.value = '%s';
          field.dispatchEvent(new Event('input'));
          document.body.dataset.found = [...Array(T.count).keys()].filter(isHit);
        }, 10);
        </script>
        """;
    Path searching = folder.resolve("searching.html");
    Files.writeString(searching, Files.readString(page) + search.formatted(text));
    return dom(browser, searching.toUri().toString());
  }

  @Test
  void aBrowserShowsAHundredThousandWaitsForMemory() throws Exception {
    Path browser = browser();
    RecordedTrace trace = (RecordedTrace) Trace.inMemory(100_000);
    for (int i = 0; i < 100_000; i++) {
      trace.add(
          new TracedPressure(
              "device " + i % 2,
              Kind.values()[i % 3],
              "'rows'",
              64,
              "thread " + i % 16,
              new TraceSpan(i * 1_000L, 900),
              i % 3 == 0 ? Outcome.MEMORY : Outcome.HOST));
    }
    Path page = folder.resolve("trace.html");
    trace.writeHtml(page);

    assertThat(dom(browser, page.toUri().toString()))
        .contains("data-ready=\"yes\"")
        .contains("33334 waits for memory, 33333 spills, 33333 returns");
  }

  private static Path browser() {
    Path found =
        Stream.of(System.getenv("PATH").split(Pattern.quote(java.io.File.pathSeparator)))
            .flatMap(entry -> Stream.of("chromium", "google-chrome").map(Path.of(entry)::resolve))
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(null);
    assumeTrue(found != null, "no Chromium on the path");
    return found;
  }

  private String dom(Path browser, String page) throws IOException, InterruptedException {
    Path shown = folder.resolve("shown.html");
    Process process =
        new ProcessBuilder(
                browser.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--user-data-dir=" + folder.resolve("profile"),
                "--virtual-time-budget=5000",
                "--dump-dom",
                page)
            .redirectOutput(shown.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return Files.readString(shown);
  }
}
