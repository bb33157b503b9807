package dev.streamfence.internal.trace;

import dev.streamfence.graph.GraphStructure;
import dev.streamfence.trace.TraceSpan;
import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedDependency.Satisfied;
import dev.streamfence.trace.TracedMemory;
import dev.streamfence.trace.TracedPressure;
import dev.streamfence.trace.TracedUse;
import dev.streamfence.trace.TracedWork;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A trace in the Trace Event Format of Chrome and Perfetto: one process per runtime, in it one
 * thread per stream with what the device did, and one per Java thread with what the host submitted;
 * waits are flows; the bytes of arrays are a counter; waits for memory and spilled arrays are on
 * the Java threads.
 */
final class ChromeTrace {
  /** Java threads come after the streams. */
  private static final int FIRST_THREAD = 10_000;

  private final List<TracedWork> works;
  private final List<TracedMemory> memory;
  private final List<TracedPressure> pressure;
  private final EarlierWork earlier;
  private final Map<String, Integer> processes = new HashMap<>();
  private final Map<String, Integer> threads = new HashMap<>();
  private final Set<String> named = new HashSet<>();
  private final Map<Long, TracedWork> firstLaunches = new HashMap<>();
  private int flows;

  ChromeTrace(List<TracedWork> works, List<TracedMemory> memory, List<TracedPressure> pressure) {
    this.pressure = pressure;
    this.works = works;
    this.memory = memory;
    this.earlier = new EarlierWork(works);
  }

  void writeTo(Appendable out) throws IOException {
    JsonText json = new JsonText(out);
    json.open('{').name("displayTimeUnit").value("ns").name("traceEvents").open('[');
    for (TracedWork work : works) {
      write(json, work);
    }
    for (TracedPressure each : pressure) {
      write(json, each);
    }
    for (TracedMemory each : memory) {
      event(json, "C", "device memory", "memory", process(each.device(), json), 0, each.nanos());
      json.name("args").open('{').name("bytes").value(each.liveBytes()).close('}').close('}');
    }
    json.close(']').close('}');
  }

  private void write(JsonText json, TracedWork work) throws IOException {
    int process = process(work.device(), json);
    int stream = work.stream() + 1;
    thread(json, process, stream, work.streamName());
    int thread = javaThread(json, process, work.thread());
    TraceSpan span = work.span();
    event(json, "X", work.name(), work.kind().name(), process, stream, span.startNanos());
    json.name("dur").micros(span.durationNanos()).name("args").open('{');
    arguments(json, work);
    json.close('}').close('}');
    TraceSpan submission = work.submission();
    event(json, "X", work.name(), "submission", process, thread, submission.startNanos());
    json.name("dur").micros(submission.durationNanos()).close('}');
    for (TracedDependency each : work.dependencies()) {
      int before = earlier.find(work, each);
      if (before >= 0 && each.satisfied() == Satisfied.BY_WAIT) {
        flow(json, each, works.get(before), work, process);
      }
    }
  }

  private int javaThread(JsonText json, int process, String name) throws IOException {
    int thread = threads.computeIfAbsent(name, key -> FIRST_THREAD + threads.size());
    thread(json, process, thread, "Java thread " + name);
    return thread;
  }

  private void write(JsonText json, TracedPressure each) throws IOException {
    int process = process(each.device(), json);
    int thread = javaThread(json, process, each.thread());
    String name =
        switch (each.kind()) {
          case WAIT -> "wait for memory";
          case SPILL -> "spill";
          case RETURN -> "return of a spilled array";
        };
    event(json, "X", name, "memory", process, thread, each.span().startNanos());
    json.name("dur").micros(each.span().durationNanos()).name("args").open('{');
    json.name("what").value(each.what()).name("bytes").value(each.bytes());
    json.name("outcome").value(each.outcome().name()).close('}').close('}');
  }

  private void arguments(JsonText json, TracedWork work) throws IOException {
    json.name("ticket").value(work.ticket()).name("detail").value(work.detail());
    if (work.bytes() > 0) {
      json.name("bytes").value(work.bytes());
    }
    json.name("uses").open('[');
    for (TracedUse use : work.uses()) {
      json.value(use.access() + " " + use.name() + " (" + use.memory() + ")");
    }
    json.close(']').name("after").open('[');
    for (TracedDependency each : work.dependencies()) {
      json.value(each.because(work) + " (" + each.satisfied() + ")");
    }
    json.close(']');
    GraphStructure graph = work.graph();
    if (graph != null) {
      nodes(json, graph, work);
    }
  }

  /** The nodes of a graph, with its first launch: they may be many more than its launches say. */
  private void nodes(JsonText json, GraphStructure graph, TracedWork work) throws IOException {
    TracedWork first = firstLaunches.putIfAbsent(graph.number(), work);
    if (first != null) {
      json.name("nodes").value("with the first launch of the graph, " + first);
      return;
    }
    json.name("nodes").open('[');
    for (String line : new GraphPicture(graph).lines()) {
      json.value(line);
    }
    json.close(']');
  }

  private void flow(
      JsonText json, TracedDependency each, TracedWork before, TracedWork work, int process)
      throws IOException {
    String name = each.because(work);
    flows++;
    event(json, "s", name, "wait", process, before.stream() + 1, before.span().endNanos());
    json.name("id").value(flows).close('}');
    event(json, "f", name, "wait", process, work.stream() + 1, work.span().startNanos());
    json.name("id").value(flows).name("bp").value("e").close('}');
  }

  private int process(String device, JsonText json) throws IOException {
    int process = processes.computeIfAbsent(device, name -> processes.size() + 1);
    name(json, "process_name", process, 0, device);
    return process;
  }

  private void thread(JsonText json, int process, int thread, String name) throws IOException {
    name(json, "thread_name", process, thread, name);
  }

  private void name(JsonText json, String what, int process, int thread, String name)
      throws IOException {
    if (named.add(what + process + "/" + thread)) {
      event(json, "M", what, "metadata", process, thread, 0);
      json.name("args").open('{').name("name").value(name).close('}').close('}');
    }
  }

  private static void event(
      JsonText json, String phase, String name, String category, int process, int thread, long at)
      throws IOException {
    json.open('{').name("ph").value(phase).name("name").value(name).name("cat").value(category);
    json.name("pid").value(process).name("tid").value(thread).name("ts").micros(at);
  }
}
