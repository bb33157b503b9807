package dev.streamfence.internal.graph;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.graph.GraphCode;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.driver.CudaDriver.GraphHandle;
import dev.streamfence.internal.jfr.FlightEvents;
import dev.streamfence.internal.order.GraphRecording;
import dev.streamfence.internal.order.Teardown;
import java.util.Objects;

/** Records graphs. Thread-safe. */
public final class GraphRecorder {
  private GraphRecorder() {}

  /** Records a graph, see {@link DeviceRuntime#graph}. */
  public static <X extends Exception> TrackedGraph record(
      DeviceRuntime on, String name, GraphCode<X> code) throws X {
    Objects.requireNonNull(code, "code");
    TrackedRuntime runtime = (TrackedRuntime) on;
    String words = "graph '" + Objects.requireNonNull(name, "name") + "'";
    runtime.life().enter();
    try {
      String act = "recording " + words;
      runtime.life().requireNotRecording(() -> act);
      runtime.requireOutsideLaunch(act);
      runtime.sticky().check();
      OpenGraphs graphs = runtime.attachment(OpenGraphs.class, OpenGraphs::new);
      Object flight = FlightEvents.beginGraphRecording();
      GraphRecording recording = new GraphRecording(words, runtime.hostMemory());
      try {
        GraphInputs inputs = run(runtime, recording, code);
        TrackedGraph graph = make(runtime, name, recording, inputs, graphs);
        FlightEvents.endGraphRecording(flight, graph.structure(), recording.impliedEdges());
        return graph;
      } catch (Exception | Error e) {
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
      TrackedRuntime runtime, GraphRecording recording, GraphCode<X> code) throws X {
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
      GraphRecording recording,
      GraphInputs inputs,
      OpenGraphs graphs) {
    try {
      inputs.end();
      recording.checks().forEach(Runnable::run);
      recording.awaitUntracked();
      GraphHandle handle = runtime.driver().createGraph(recording.outermostNodes());
      boolean isKept = false;
      try {
        TrackedGraph graph = new TrackedGraph(runtime, name, recording, inputs, handle);
        graphs.add(graph);
        isKept = true;
        return graph;
      } finally {
        if (!isKept) {
          // There was no memory for it.
          runtime.driver().destroyGraph(handle);
        }
      }
    } catch (CudaDriverException e) {
      throw e.during("making " + recording);
    }
  }

  /** Releases what a graph has that was not made. */
  private static void release(TrackedRuntime runtime, GraphRecording recording, Throwable failure) {
    Teardown teardown = new Teardown();
    recording.release(teardown, runtime.sticky().error() != null);
    try {
      teardown.finish();
    } catch (RuntimeException | Error e) {
      failure.addSuppressed(e);
    }
  }
}
