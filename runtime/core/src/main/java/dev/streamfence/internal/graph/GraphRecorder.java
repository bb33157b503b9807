package dev.streamfence.internal.graph;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.graph.GraphCode;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.jfr.FlightEvents;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.recording.GraphMemory;
import dev.streamfence.internal.recording.RecordedGraph;
import java.util.Objects;
import java.util.function.Function;

/** Records graphs. Thread-safe. */
public final class GraphRecorder {
  private GraphRecorder() {}

  /** Records a graph, see {@link DeviceRuntime#graph}. */
  public static <X extends Exception> TrackedGraph record(
      DeviceRuntime on, String name, GraphCode<X> code) throws X {
    TrackedRuntime runtime = (TrackedRuntime) on;
    OpenGraphs graphs = runtime.attachment(OpenGraphs.class, OpenGraphs::new);
    return record(
        runtime,
        Objects.requireNonNull(name, "name"),
        code,
        content -> {
          content.instantiate();
          TrackedGraph graph = new TrackedGraph(runtime, content);
          graphs.add(graph);
          return graph;
        });
  }

  /** Records what a graph consists of from now on, see {@link KernelGraph#recordAgain}. */
  static <X extends Exception> void recordAgain(
      TrackedGraph graph, TrackedRuntime runtime, GraphCode<X> code) throws X {
    record(
        runtime,
        graph.name(),
        code,
        content -> {
          graph.replace(content);
          return graph;
        });
  }

  /**
   * Records.
   *
   * @param use makes a graph of what was recorded, or gives it to one; if it throws, nothing of
   *     that is left
   */
  private static <X extends Exception> TrackedGraph record(
      TrackedRuntime runtime,
      String name,
      GraphCode<X> code,
      Function<GraphContent, TrackedGraph> use)
      throws X {
    Objects.requireNonNull(code, "code");
    String words = "graph '" + name + "'";
    runtime.life().enter();
    try {
      String act = "recording " + words;
      runtime.life().requireNotRecording(() -> act);
      runtime.requireOutsideLaunch(act);
      runtime.sticky().check();
      Object flight = FlightEvents.beginGraphRecording();
      RecordedGraph recording = new RecordedGraph(words, runtime.hostMemory());
      try {
        GraphInputs inputs = run(runtime, recording, code);
        TrackedGraph graph = make(runtime, name, recording, inputs, use);
        FlightEvents.endGraphRecording(flight, graph.structure(), recording.impliedEdges());
        return graph;
      } catch (Throwable e) {
        release(runtime, recording, e);
        throw e;
      }
    } finally {
      runtime.life().leave();
    }
  }

  /**
   * Refuses to wait for other threads in a thread that has a launch open.
   *
   * @param act the operation, for errors
   */
  public static void requireOutsideLaunch(DeviceStream stream, String act) {
    TrackedStream.of(stream).runtime().requireOutsideLaunch(act);
  }

  private static <X extends Exception> GraphInputs run(
      TrackedRuntime runtime, RecordedGraph recording, GraphCode<X> code) throws X {
    GraphInputs inputs = new GraphInputs(runtime, recording);
    TrackedGraphBody body = new TrackedGraphBody(runtime, recording, inputs);
    runtime.life().record(recording);
    try {
      code.record(body);
    } finally {
      runtime.life().record(null);
      recording.seal();
      body.end();
    }
    runtime.requireOutsideLaunch("the end of " + recording);
    return inputs;
  }

  private static TrackedGraph make(
      TrackedRuntime runtime,
      String name,
      RecordedGraph recording,
      GraphInputs inputs,
      Function<GraphContent, TrackedGraph> use) {
    try {
      recording.shareScratch();
      inputs.end();
      recording.checks().forEach(Runnable::run);
      recording.memory().awaitUntracked();
      GraphContent content = new GraphContent(runtime.driver(), name, recording, inputs);
      try {
        return use.apply(content);
      } catch (Throwable e) {
        destroy(runtime, content, e);
        throw e;
      }
    } catch (CudaDriverException e) {
      throw e.during("making " + recording);
    }
  }

  /** Destroys a graph that was not made, or lets the close of the runtime try that again. */
  private static void destroy(TrackedRuntime runtime, GraphContent content, Throwable failure) {
    try {
      content.destroy();
    } catch (Throwable e) {
      Suppressed.add(failure, e);
      runtime.attachment(OpenGraphs.class, OpenGraphs::new).destroyAtEnd(content);
    }
  }

  /** Releases what a graph has that was not made. */
  private static void release(TrackedRuntime runtime, RecordedGraph recording, Throwable failure) {
    Teardown teardown = new Teardown();
    GraphMemory memory = recording.memory();
    memory.release(teardown, runtime.sticky().error() != null);
    if (memory.isInUse()) {
      runtime.attachment(OpenGraphs.class, OpenGraphs::new).releaseAtEnd(memory);
    }
    try {
      teardown.finish();
    } catch (Throwable e) {
      Suppressed.add(failure, e);
    }
  }
}
