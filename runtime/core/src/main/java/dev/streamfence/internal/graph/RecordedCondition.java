package dev.streamfence.internal.graph;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.graph.GraphCode;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Work;
import dev.streamfence.internal.order.WorkFacts;
import dev.streamfence.internal.recording.ConditionalNodes;
import dev.streamfence.internal.recording.RecordedGraph;
import dev.streamfence.internal.recording.RecordedGraph.TotalUse;
import dev.streamfence.trace.WorkKind;
import java.util.List;
import java.util.Objects;

/**
 * A loop or a condition of a graph while it is recorded: first the nodes that it repeats or leaves
 * out, and then itself, as one piece of work that uses what they use. Confined to the thread that
 * records.
 */
final class RecordedCondition {
  /** The driver's code for what it does not have. */
  private static final int NOT_SUPPORTED = 801;

  private final TrackedRuntime runtime;
  private final RecordedGraph recording;
  private final boolean isLoop;
  private final TrackedArray<?> number;

  /** Says what it is, for errors. */
  private final String words;

  RecordedCondition(
      TrackedRuntime runtime,
      RecordedGraph recording,
      boolean isLoop,
      ReadableArray<int[]> number) {
    this.runtime = runtime;
    this.recording = recording;
    this.isLoop = isLoop;
    this.number = TrackedArray.of(Objects.requireNonNull(number, "number"));
    this.words = name() + " in " + recording;
  }

  private String name() {
    return isLoop ? "while" : "if";
  }

  <X extends Exception> void record(TrackedGraphBody body, GraphCode<X> code) throws X {
    Objects.requireNonNull(code, "code");
    body.requireActive("'" + name() + "'");
    requireSupported();
    Region region = requireNumber();
    runtime.requireOutsideLaunch("the beginning of " + words);
    ConditionalNodes nodes = recording.beginConditional();
    try {
      try {
        code.record(body);
      } finally {
        nodes.end();
      }
      runtime.requireOutsideLaunch("the end of " + words);
      add(nodes, region);
    } catch (Throwable e) {
      Teardown teardown = new Teardown();
      nodes.drop(teardown);
      teardown.suppressIn(e);
      throw e;
    }
  }

  private void requireSupported() {
    if (!runtime.info().supportsGraphConditions()) {
      throw new CudaDriverException(
          "cuGraphAddNode",
          NOT_SUPPORTED,
          "CUDA_ERROR_NOT_SUPPORTED",
          words,
          new DeviceException(
              "loops and conditions of graphs take a driver for CUDA 12.4 or later, not "
                  + runtime.info().driverVersion()));
    }
  }

  private Region requireNumber() {
    if (number.runtime() != runtime) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          "the number of "
              + words
              + " is "
              + number
              + " of "
              + number.runtime()
              + "; the graph is of "
              + runtime);
    }
    Region region = number.region();
    if (region == null || number.length() == 0) {
      throw new IllegalArgumentException(
          "the number of " + words + " is " + number + ", which has no elements");
    }
    if (!number.isOpen()) {
      throw number.useAfterFree(use());
    }
    region.requireTracked(this::purpose, 0);
    return region;
  }

  private AttemptedUse use() {
    return AttemptedUse.of("the number of " + words);
  }

  private String purpose() {
    return words;
  }

  private void add(ConditionalNodes nodes, Region region) {
    if (isLoop && !nodes.writes(region.hazards())) {
      throw new IllegalArgumentException(
          words
              + " would not end: none of its nodes writes "
              + number
              + ", whose first element decides");
    }
    if (nodes.isEmpty()) {
      return;
    }
    List<TotalUse> uses = nodes.uses();
    nodes
        .timeline()
        .submit(
            Work.of(
                new Labels(uses),
                submission -> use(submission, region, uses),
                submission -> recording.addCondition(nodes, isLoop, region.address())));
  }

  private static void use(Submission submission, Region region, List<TotalUse> uses) {
    for (int i = 0; i < uses.size(); i++) {
      TotalUse use = uses.get(i);
      submission.use(use.state(), use.reads(), use.writes(), i);
    }
    submission.use(region.hazards(), true, false, uses.size());
  }

  /** The nodes that are the first to use each memory, and the number. */
  private final class Labels implements UseLabels {
    private final List<TotalUse> uses;

    private Labels(List<TotalUse> uses) {
      this.uses = uses;
    }

    @Override
    public String purpose() {
      return words;
    }

    @Override
    public AttemptedUse use(int label) {
      return label < uses.size() ? uses.get(label).use() : RecordedCondition.this.use();
    }

    @Override
    public InGraph inGraph() {
      return InGraph.RECORDED;
    }

    @Override
    public WorkFacts facts() {
      return new WorkFacts(WorkKind.CONDITION, name(), 0, number.toString());
    }
  }
}
