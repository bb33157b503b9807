package dev.streamfence.internal.graph;

import dev.streamfence.Completion;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.graph.GraphEdge;
import dev.streamfence.graph.GraphNode;
import dev.streamfence.graph.GraphStatistics;
import dev.streamfence.graph.GraphStructure;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.GraphHandle;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.graph.GraphInputs.Input;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.GraphRecording;
import dev.streamfence.internal.order.GraphRecording.TotalUse;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.RecordedNode;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Work;
import dev.streamfence.internal.order.Work.Coverage;
import dev.streamfence.internal.order.WorkFacts;
import dev.streamfence.internal.trace.GraphPicture;
import dev.streamfence.trace.WorkKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link KernelGraph}. A launch takes the lock when it has its stream, and
 * may wait with it for launches of other threads; so no other operation waits for the lock inside
 * of a launch of its own thread.
 */
public final class TrackedGraph implements KernelGraph {
  private static final AtomicLong RECORDED = new AtomicLong();

  private final TrackedRuntime runtime;
  private final CudaDriver driver;
  private final @Nullable LaunchObserver observer;
  private final GraphStructure structure;
  private final GraphRecording recording;
  private final GraphInputs inputs;
  private final GraphHandle handle;
  private final Runnable[] checks;
  private final UseLabels labels = new Labels();
  private final Work<Submission> run =
      new Work<>(labels, this::use, this::launch, Coverage.AT_COMMIT);
  private final Work<Submission> coveredRun =
      new Work<>(labels, this::use, this::launch, Coverage.ALWAYS);
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private final TotalUse[] uses;
  private final BitSet outdated = new BitSet();
  private @Nullable Timeline lastTimeline;
  private long lastTicket;
  private final AtomicLong launches = new AtomicLong();
  private final AtomicLong updatedNodes = new AtomicLong();
  private boolean isDestroyed;
  private volatile boolean isClosed;

  TrackedGraph(
      TrackedRuntime runtime,
      String name,
      GraphRecording recording,
      GraphInputs inputs,
      GraphHandle handle) {
    this.runtime = runtime;
    this.driver = runtime.driver();
    this.observer = driver.launchObserver();
    this.recording = recording;
    this.structure =
        new GraphStructure(
            RECORDED.incrementAndGet(),
            name,
            recording.nodes().stream().map(TrackedGraph::node).toList(),
            recording.edges());
    this.inputs = inputs;
    this.handle = handle;
    this.checks = recording.checks().toArray(new Runnable[0]);
    List<TotalUse> total = recording.totalUses();
    for (Input input : inputs.all()) {
      input.setUse(indexOf(input.region().hazards(), total));
    }
    this.uses = total.toArray(new TotalUse[0]);
    recording.end();
  }

  private static GraphNode node(RecordedNode node) {
    WorkFacts facts = node.facts();
    return new GraphNode(
        node.index(),
        facts.kind(),
        facts.name(),
        facts.detail(),
        facts.bytes(),
        node.timeline().index(),
        node.parent());
  }

  private static int indexOf(HazardState state, List<TotalUse> uses) {
    int index = uses.size() - 1;
    while (index >= 0 && uses.get(index).state() != state) {
      index--;
    }
    return index;
  }

  @Override
  public String name() {
    return structure.name();
  }

  @Override
  public void launch(DeviceStream stream) {
    submit(stream, false);
  }

  @Override
  public Completion launchWithCompletion(DeviceStream stream) {
    long ticket = submit(stream, true);
    return runtime.completion(TrackedStream.timelineOf(stream), ticket, toString());
  }

  private long submit(DeviceStream stream, boolean isCovered) {
    if (TrackedStream.of(stream).runtime() != runtime) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          labels.work(),
          " is of " + runtime + ", the launch is on " + stream + ": they belong to two runtimes");
    }
    Timeline timeline = TrackedStream.timelineOf(stream);
    long ticket;
    try {
      timeline.submit(isCovered ? coveredRun : run);
      ticket = lastTicket;
    } finally {
      if (lock.isHeldByCurrentThread()) {
        lock.unlock();
      }
    }
    if (runtime.options().synchronousLaunches()) {
      timeline.synchronize("the launch of " + this);
    }
    return ticket;
  }

  /** Takes the lock, and adds what the graph uses. */
  private void use(Submission submission) {
    lock.lock();
    requireOpen();
    for (Runnable check : checks) {
      check.run();
    }
    for (int i = 0; i < uses.length; i++) {
      TotalUse use = uses[i];
      submission.use(use.state(), use.reads(), use.writes(), i);
    }
    Timeline last = lastTimeline;
    if (last != null && last != submission.timeline()) {
      submission.after(last, lastTicket);
    }
  }

  /** Puts a run on a stream. Returns no ticket: a boxed one would be an object. Held: the lock. */
  private Submission launch(Submission submission) {
    update();
    // Even if the driver refuses: it may have queued the run.
    lastTimeline = submission.timeline();
    lastTicket = submission.ticket();
    if (observer != null) {
      observer.launching(toString(), submission.stream(), submission.ticket(), List.of());
    }
    driver.launchGraph(handle, submission.stream());
    launches.incrementAndGet();
    return submission;
  }

  /** Gives the driver the arguments that have changed. Held: the lock. */
  private void update() {
    for (int node = outdated.nextSetBit(0); node >= 0; node = outdated.nextSetBit(node)) {
      driver.updateGraph(handle, node, recording.nodes().get(node));
      outdated.clear(node);
      updatedNodes.incrementAndGet();
    }
  }

  private void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException(this + " is closed");
    }
  }

  @Override
  public KernelGraph bind(String input, ReadableArray<?> array) {
    return bind(
        Map.of(Objects.requireNonNull(input, "input"), Objects.requireNonNull(array, "array")));
  }

  @Override
  public KernelGraph bind(Map<String, ? extends ReadableArray<?>> arrays) {
    runtime.life().enter();
    try {
      acquire("binding an input of ");
      try {
        requireOpen();
        bindAll(arrays);
      } finally {
        lock.unlock();
      }
    } finally {
      runtime.life().leave();
    }
    return this;
  }

  /** An array that is about to be used for an input. */
  private record Next(Input input, TrackedArray<?> array, Region region) {}

  /** Held: the lock. */
  private void bindAll(Map<String, ? extends ReadableArray<?>> arrays) {
    List<Next> all = new ArrayList<>(arrays.size());
    int kept = 0;
    boolean isDone = false;
    try {
      for (Map.Entry<String, ? extends ReadableArray<?>> each : arrays.entrySet()) {
        Input input = inputs.require(each.getKey());
        ReadableArray<?> passed = Objects.requireNonNull(each.getValue(), "array");
        TrackedArray<?> array = TrackedArray.of(passed);
        Region region = inputs.check(input, array, () -> use(input));
        input.setNext(region);
        all.add(new Next(input, array, region));
      }
      for (Next next : all) {
        inputs.requireApart(next.input(), next.region(), next.array(), () -> use(next.input()));
      }
      for (; kept < all.size(); kept++) {
        recording.keep(all.get(kept).region().hazards());
      }
      isDone = true;
    } finally {
      for (Next next : all) {
        next.input().setNext(null);
      }
      for (int i = 0; i < kept && !isDone; i++) {
        recording.dismiss(all.get(i).region().hazards());
      }
    }
    all.forEach(this::use);
  }

  /** Uses another array from now on. Held: the lock. */
  private void use(Next next) {
    Input input = next.input();
    HazardState before = input.region().hazards();
    if (input.use() >= 0) {
      uses[input.use()] = uses[input.use()].of(next.region().hazards());
    }
    if (next.region().address() != input.region().address()) {
      outdated.or(input.nodes());
    }
    inputs.set(input, next.region(), next.array());
    recording.dismiss(before);
  }

  @Override
  public KernelGraph set(int node, String parameter, Object value) {
    Objects.requireNonNull(parameter, "parameter");
    Objects.requireNonNull(value, "value");
    runtime.life().enter();
    try {
      acquire("changing a number of ");
      try {
        requireOpen();
        RecordedNode changed =
            recording.nodes().get(Objects.checkIndex(node, recording.nodes().size()));
        RecordedNode.Numbers numbers = changed.numbers();
        if (numbers == null) {
          throw new IllegalArgumentException(
              "node "
                  + node
                  + " of "
                  + this
                  + ", a "
                  + changed.facts().name()
                  + ", has no numbers");
        }
        numbers.set(parameter, value);
        outdated.set(node);
      } finally {
        lock.unlock();
      }
    } finally {
      runtime.life().leave();
    }
    return this;
  }

  /** The use of an input by a node, or the input itself if no node uses it. */
  private AttemptedUse use(Input input) {
    String words = "input '" + input.name() + "' of ";
    if (input.use() < 0) {
      return AttemptedUse.of(words + this);
    }
    AttemptedUse use = uses[input.use()].use();
    return new AttemptedUse(use.kernel(), use.parameter(), words + use.inWords());
  }

  /**
   * Takes the lock, for an operation that may be inside of a launch or of a host access of this
   * thread, for which a thread with the lock may wait.
   */
  private void acquire(String act) {
    runtime.life().requireNotRecording(() -> act + this);
    if (runtime.life().mayWait()) {
      lock.lock();
    } else if (!lock.tryLock()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          act
              + this
              + " inside of a launch or a host access of this thread, while another thread launches"
              + " it; end that first");
    }
  }

  GraphStructure structure() {
    return structure;
  }

  @Override
  public List<String> inputs() {
    return inputs.names();
  }

  @Override
  public List<GraphNode> nodes() {
    return structure.nodes();
  }

  @Override
  public List<GraphEdge> edges() {
    return structure.edges();
  }

  @Override
  public GraphStatistics statistics() {
    return new GraphStatistics(
        recording.nodes().size(),
        recording.edges().size(),
        recording.impliedEdges(),
        launches.get(),
        updatedNodes.get());
  }

  @Override
  public String toDot() {
    return new GraphPicture(structure).dot();
  }

  @Override
  public void writeSvg(Path file) throws IOException {
    Files.writeString(file, new GraphPicture(structure).svg());
  }

  @Override
  public boolean isOpen() {
    return !isClosed;
  }

  @Override
  public void close() {
    if (!runtime.life().tryEnter()) {
      // The close of the runtime closes it.
      return;
    }
    try {
      Teardown teardown = new Teardown();
      acquire("closing ");
      try {
        isClosed = true;
        teardown.step(this::awaitRuns);
        teardown.step(this::destroy);
      } finally {
        lock.unlock();
      }
      // Without the lock: it may call code of the user.
      recording.release(teardown, driver.sticky().error() != null);
      if (!teardown.hasFailed()) {
        runtime.attachment(OpenGraphs.class, OpenGraphs::new).remove(this);
      }
      try {
        teardown.finish();
      } catch (CudaDriverException e) {
        throw e.during("closing " + this);
      }
    } finally {
      runtime.life().leave();
    }
  }

  /** Waits for the runs if they use memory that is then freed at once. Held: the lock. */
  private void awaitRuns() {
    Timeline last = lastTimeline;
    if (last != null && recording.ownsUnordered() && driver.sticky().error() == null) {
      last.awaitDone(lastTicket, "closing " + this);
    }
  }

  /** Destroys the driver's graph, unless that was done. Held: the lock. */
  private void destroy() {
    if (isDestroyed) {
      return;
    }
    if (driver.sticky().error() == null) {
      // A lost context has taken it along.
      driver.destroyGraph(handle);
    }
    isDestroyed = true;
  }

  /** The graph, and the nodes that are the first to use each memory. */
  private final class Labels implements UseLabels {
    @Override
    public String purpose() {
      return TrackedGraph.this.toString();
    }

    @Override
    public AttemptedUse use(int index) {
      return uses[index].use();
    }

    @Override
    public WorkFacts facts() {
      int count = structure.nodes().size();
      String nodes = count + (count == 1 ? " node" : " nodes");
      return new WorkFacts(WorkKind.GRAPH, name(), name(), 0, nodes, structure);
    }
  }

  @Override
  public String toString() {
    return recording.toString();
  }
}
