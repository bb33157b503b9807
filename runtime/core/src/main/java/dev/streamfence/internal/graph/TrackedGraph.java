// Long because launches, bindings and the close of a graph work on the same few fields.
package dev.streamfence.internal.graph;

import dev.streamfence.Completion;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.graph.GraphCode;
import dev.streamfence.graph.GraphEdge;
import dev.streamfence.graph.GraphNode;
import dev.streamfence.graph.GraphStatistics;
import dev.streamfence.graph.GraphStructure;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.graph.GraphInputs.Input;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.GraphRecording.HostTransfer;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Work;
import dev.streamfence.internal.order.Work.Coverage;
import dev.streamfence.internal.order.WorkFacts;
import dev.streamfence.internal.recording.RecordedGraph;
import dev.streamfence.internal.recording.RecordedNode;
import dev.streamfence.internal.trace.GraphPicture;
import dev.streamfence.trace.WorkKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link KernelGraph}. A launch takes the lock when it has its stream, and
 * may wait with it for launches of other threads; so no other operation waits for the lock inside
 * of a launch of its own thread.
 */
public final class TrackedGraph implements KernelGraph {
  private static final String BINDING = "binding an input of ";

  private final TrackedRuntime runtime;
  private final CudaDriver driver;
  private final @Nullable LaunchObserver observer;
  private final UseLabels labels = new Labels();

  /** Names an input in errors; one object, since binding makes none. */
  private final Function<Input, AttemptedUse> description = this::describe;

  private final Work<Submission> run =
      new Work<>(labels, this::addUses, this::launch, Coverage.AT_COMMIT);
  private final Work<Submission> coveredRun =
      new Work<>(labels, this::addUses, this::launch, Coverage.ALWAYS);
  private final ReentrantLock lock = new ReentrantLock();

  /** Written with the lock. */
  private volatile GraphContent content;

  // Guarded by the lock.
  private @Nullable Timeline lastTimeline;
  private long lastTicket;

  // Any thread reads and adds to these.
  private final AtomicLong launches = new AtomicLong();
  private final AtomicLong updatedNodes = new AtomicLong();
  private final AtomicLong updates = new AtomicLong();
  private volatile boolean isClosed;

  /** What it had before, and what could not be released yet. */
  private final Set<GraphContent> former = ConcurrentHashMap.newKeySet();

  TrackedGraph(TrackedRuntime runtime, GraphContent content) {
    this.runtime = runtime;
    this.driver = runtime.driver();
    this.observer = driver.launchObserver();
    this.content = content;
  }

  @Override
  public String name() {
    return content.structure().name();
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
  private void addUses(Submission submission) {
    lock.lock();
    requireOpen();
    GraphContent now = content;
    for (Runnable check : now.checks()) {
      try {
        check.run();
      } catch (IllegalStateException e) {
        throw new IllegalStateException(
            this + " launches " + e.getMessage() + "; record the graph again with that", e);
      }
    }
    for (HostTransfer transfer : now.transfers()) {
      transfer.requireAllowed(this);
    }
    submission.use(now.uses());
    Timeline last = lastTimeline;
    if (last != null && last != submission.timeline()) {
      submission.after(last, lastTicket);
    }
  }

  /** Puts a run on a stream. Returns no ticket: a boxed one would be an object. Held: the lock. */
  private Submission launch(Submission submission) {
    GraphContent now = content;
    update(now);
    // Even if the driver refuses: it may have queued the run.
    lastTimeline = submission.timeline();
    lastTicket = submission.ticket();
    if (observer != null) {
      observer.launching(toString(), submission.stream(), submission.ticket(), List.of());
    }
    driver.launchGraph(now.handle(), submission.stream());
    launches.incrementAndGet();
    for (HostTransfer transfer : now.transfers()) {
      transfer.count();
    }
    return submission;
  }

  /** Gives the driver the arguments that have changed. Held: the lock. */
  private void update(GraphContent now) {
    BitSet outdated = now.outdated();
    int before = outdated.cardinality();
    if (before > 0) {
      try {
        driver.updateGraph(now.handle(), now.recording().nodes(), outdated);
      } finally {
        updatedNodes.addAndGet(before - outdated.cardinality());
      }
    }
  }

  private void requireOpen() {
    if (isClosed) {
      throw new IllegalStateException(this + " is closed");
    }
  }

  @Override
  public KernelGraph bind(String input, ReadableArray<?> array) {
    Objects.requireNonNull(input, "input");
    begin(BINDING);
    try {
      requireOpen();
      prepare(input, array);
      useNext(content.inputs());
    } finally {
      content.inputs().forgetNext();
      end();
    }
    return this;
  }

  @Override
  public KernelGraph bind(Map<String, ? extends ReadableArray<?>> arrays) {
    Objects.requireNonNull(arrays, "arrays");
    begin(BINDING);
    try {
      requireOpen();
      arrays.forEach(this::prepare);
      useNext(content.inputs());
    } finally {
      content.inputs().forgetNext();
      end();
    }
    return this;
  }

  /** Enters the runtime and takes the lock, until {@link #end}. */
  private void begin(String act) {
    runtime.life().enter();
    boolean isLocked = false;
    try {
      acquire(act);
      isLocked = true;
    } finally {
      if (!isLocked) {
        runtime.life().leave();
      }
    }
  }

  private void end() {
    lock.unlock();
    runtime.life().leave();
  }

  /** Checks an array that is about to be used for an input. Held: the lock. */
  private void prepare(String name, @Nullable ReadableArray<?> passed) {
    GraphInputs inputs = content.inputs();
    Input input = inputs.require(name);
    if (passed == null) {
      throw new KernelArgumentException(
          KernelArgumentException.Mistake.NULL, description.apply(input), " is null");
    }
    TrackedArray<?> array = TrackedArray.of(passed);
    input.setNext(array, inputs.check(input, array, description));
  }

  /** Uses the arrays that are prepared from now on, all of them or none. Held: the lock. */
  private void useNext(GraphInputs inputs) {
    RecordedGraph recording = content.recording();
    for (int i = 0; i < inputs.count(); i++) {
      inputs.requireApart(inputs.get(i), description);
    }
    int kept = 0;
    boolean isDone = false;
    try {
      for (; kept < inputs.count(); kept++) {
        Region next = inputs.get(kept).next();
        if (next != null) {
          recording.memory().keep(next.hazards());
        }
      }
      isDone = true;
    } finally {
      for (int i = 0; i < kept && !isDone; i++) {
        Region next = inputs.get(i).next();
        if (next != null) {
          recording.memory().dismiss(next.hazards());
        }
      }
    }
    for (int i = 0; i < inputs.count(); i++) {
      Input input = inputs.get(i);
      Region next = input.next();
      if (next != null) {
        rebind(input, next);
      }
    }
  }

  /** Uses another array from now on. Held: the lock. */
  private void rebind(Input input, Region next) {
    GraphContent now = content;
    HazardState before = input.region().hazards();
    if (input.use() >= 0) {
      now.setUse(input.use(), next.hazards());
    }
    if (next.address() != input.region().address()) {
      now.outdated().or(input.nodes());
    }
    now.inputs().useNext(input);
    now.recording().memory().dismiss(before);
  }

  @Override
  public KernelGraph set(int node, String parameter, Object value) {
    Objects.requireNonNull(parameter, "parameter");
    Objects.requireNonNull(value, "value");
    begin("changing a number of ");
    try {
      requireOpen();
      if (numbers(node).set(parameter, value)) {
        content.outdated().set(node);
      }
    } finally {
      end();
    }
    return this;
  }

  @Override
  public Map<String, Object> numbersOf(int node) {
    begin("reading the numbers of ");
    try {
      requireOpen();
      return Collections.unmodifiableMap(numbers(node).all());
    } finally {
      end();
    }
  }

  /** Held: the lock. */
  private RecordedNode.Numbers numbers(int index) {
    List<RecordedNode> nodes = content.recording().nodes();
    if (index < 0 || index >= nodes.size()) {
      throw new IndexOutOfBoundsException(
          this + " has no node " + index + "; it has " + nodes.size() + ", from 0");
    }
    RecordedNode node = nodes.get(index);
    RecordedNode.Numbers numbers = node.numbers();
    if (numbers == null) {
      throw new IllegalArgumentException(
          "node " + index + " (" + node.facts().name() + ") of " + this + " has no numbers");
    }
    return numbers;
  }

  /** The use of an input by a node, or the input itself if no node uses it. */
  private AttemptedUse describe(Input input) {
    String words = "input '" + input.name() + "' of ";
    if (input.use() < 0) {
      return AttemptedUse.of(words + this);
    }
    AttemptedUse use = content.use(input.use()).use();
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
    return content.structure();
  }

  @Override
  public List<String> inputs() {
    return content.inputs().names();
  }

  @Override
  public List<GraphNode> nodes() {
    return structure().nodes();
  }

  @Override
  public List<GraphEdge> edges() {
    return structure().edges();
  }

  @Override
  public GraphStatistics statistics() {
    RecordedGraph recording = content.recording();
    return new GraphStatistics(
        recording.nodes().size(),
        recording.edges().size(),
        recording.impliedEdges(),
        launches.get(),
        updatedNodes.get(),
        updates.get(),
        recording.sharedBytes());
  }

  @Override
  public String toDot() {
    return new GraphPicture(structure()).dot();
  }

  @Override
  public void writeSvg(Path file) throws IOException {
    Files.writeString(file, new GraphPicture(structure()).svg());
  }

  @Override
  public boolean isOpen() {
    return !isClosed;
  }

  @Override
  public <X extends Exception> KernelGraph recordAgain(GraphCode<X> code) throws X {
    runtime.life().requireOpen();
    requireOpen();
    GraphRecorder.recordAgain(this, runtime, code);
    if (runtime.life().tryEnter()) {
      try {
        releaseFormer("releasing what was recorded before of ");
      } finally {
        runtime.life().leave();
      }
    }
    return this;
  }

  /** Uses what was recorded again. */
  void replace(GraphContent next) {
    acquire("another recording of ");
    try {
      requireOpen();
      GraphContent before = content;
      if (next.takeOver(before)) {
        updates.incrementAndGet();
      } else {
        next.instantiate();
      }
      former.add(before);
      content = next;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    if (!runtime.life().tryEnter()) {
      // The close of the runtime releases it, and does not report it as open.
      isClosed = true;
      return;
    }
    try {
      acquire("closing ");
      try {
        isClosed = true;
        former.add(content);
      } finally {
        lock.unlock();
      }
      releaseFormer("closing ");
    } finally {
      runtime.life().leave();
    }
  }

  /** Releases what it does not use any more. What the driver refuses stays for the next call. */
  private void releaseFormer(String act) {
    Teardown all = new Teardown();
    for (GraphContent each : List.copyOf(former)) {
      // Of two threads, one has it.
      if (former.remove(each)) {
        all.step(() -> release(each, act));
      }
    }
    OpenGraphs graphs = runtime.attachment(OpenGraphs.class, OpenGraphs::new);
    if (!former.isEmpty()) {
      graphs.add(this);
    } else if (isClosed) {
      graphs.remove(this);
    }
    try {
      all.finish();
    } catch (CudaDriverException e) {
      throw e.during(act + this);
    }
  }

  private void release(GraphContent each, String act) {
    Teardown teardown = new Teardown();
    boolean isReleased = false;
    try {
      acquire(act);
      try {
        teardown.step(() -> awaitRuns(each));
        teardown.step(each::destroy);
      } finally {
        lock.unlock();
      }
      // Without the lock: it may call code of the user.
      each.release(teardown);
      teardown.finish();
      isReleased = true;
    } finally {
      if (!isReleased) {
        former.add(each);
      }
    }
  }

  /** Waits for the runs if they use memory that is then freed at once. Held: the lock. */
  private void awaitRuns(GraphContent of) {
    Timeline last = lastTimeline;
    if (last != null
        && of.recording().memory().ownsUnordered()
        && driver.sticky().error() == null) {
      last.awaitDone(lastTicket, "closing " + this);
    }
  }

  /** The graph, and the nodes that are the first to use each memory. */
  private final class Labels implements UseLabels {
    @Override
    public String purpose() {
      return TrackedGraph.this.toString();
    }

    @Override
    public AttemptedUse use(int index) {
      return content.use(index).use();
    }

    @Override
    public WorkFacts facts() {
      GraphStructure structure = structure();
      int count = structure.nodes().size();
      String nodes = count + (count == 1 ? " node" : " nodes");
      return new WorkFacts(WorkKind.GRAPH, name(), name(), 0, nodes, structure);
    }
  }

  @Override
  public String toString() {
    return content.recording().toString();
  }
}
