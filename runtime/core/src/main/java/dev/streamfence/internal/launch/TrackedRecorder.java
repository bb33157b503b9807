package dev.streamfence.internal.launch;

import dev.streamfence.Completion;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.completion.RecordedCompletion;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.device.TrackedStream;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.memory.AddressTables;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.WorkFacts;
import dev.streamfence.internal.recording.RecordedGraph;
import dev.streamfence.launch.DeviceValues;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.trace.WorkKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link LaunchRecorder}. */
public final class TrackedRecorder implements LaunchRecorder {
  private final DeviceStream stream;
  private final Timeline timeline;
  private final TrackedRuntime runtime;
  private final @Nullable LaunchObserver observer;
  private final boolean strict;
  private final boolean synchronous;
  private final String purpose;
  private final LaunchName name;
  private final UseLabels labels = new Labels();
  private final ArgumentFrame frame;
  private final LoadedKernel kernel;
  private final KernelLaunch launch;
  private final LaunchArguments arguments;
  private final LaunchUses uses;
  private final @Nullable TableArguments tables;

  // Confined to the thread that holds the submission lock.
  private @Nullable BoundsCheck bounds;

  /** Whether there is a check of bounds is known from the first launch on. */
  private boolean areBoundsKnown;

  /** That of the stream, once a launch was begun. */
  private @Nullable Submission current;

  private boolean isOpen;

  TrackedRecorder(
      LoadedKernel kernel,
      DeviceStream stream,
      Timeline timeline,
      ArgumentFrame frame,
      @Nullable AddressTables tables,
      boolean strict,
      LaunchName name) {
    this.name = name;
    this.stream = stream;
    this.timeline = timeline;
    this.runtime = kernel.runtime();
    this.observer = runtime.driver().launchObserver();
    this.strict = strict;
    this.synchronous = runtime.options().synchronousLaunches();
    this.purpose = kernel.signature().entry() + " on stream " + stream.id();
    this.frame = frame;
    this.kernel = kernel;
    this.launch = kernel.launch(timeline.stream(), frame.memory());
    launch.dynamicSharedBytes(kernel.signature().dynamicSharedBytes());
    this.arguments = new LaunchArguments(kernel, stream, frame, launch, tables, strict);
    this.uses = arguments.uses();
    this.tables = arguments.tables();
  }

  @Override
  public DeviceStream stream() {
    return stream;
  }

  @Override
  public boolean isStrict() {
    return strict;
  }

  @Override
  public int recordedUses() {
    requireOpen();
    return uses.count();
  }

  @Override
  public TrackedRecorder begin() {
    Submission begun = TrackedStream.timelineOf(stream, labels).begin(labels);
    // A comparison is cheaper than storing a reference.
    if (current != begun) {
      current = begun;
    }
    isOpen = true;
    launch.stream(timeline.stream());
    requireLoaded();
    arguments.clear();
    return this;
  }

  private void requireLoaded() {
    try {
      kernel.requireLoaded();
    } catch (IllegalStateException | Error e) {
      close();
      throw e;
    }
  }

  @Override
  public TrackedRecorder value(boolean value) {
    frame.put(number(ElementType.BOOLEAN), (byte) (value ? 1 : 0));
    return this;
  }

  @Override
  public TrackedRecorder value(byte value) {
    frame.put(number(ElementType.BYTE), value);
    return this;
  }

  @Override
  public TrackedRecorder value(char value) {
    frame.put(number(ElementType.CHAR), (short) value);
    return this;
  }

  @Override
  public TrackedRecorder value(short value) {
    frame.put(number(ElementType.SHORT), value);
    return this;
  }

  @Override
  public TrackedRecorder value(int value) {
    frame.put(number(ElementType.INT), value);
    return this;
  }

  @Override
  public TrackedRecorder value(long value) {
    frame.put(number(ElementType.LONG), value);
    return this;
  }

  @Override
  public TrackedRecorder value(float value) {
    frame.put(number(ElementType.FLOAT), Float.floatToRawIntBits(value));
    return this;
  }

  @Override
  public TrackedRecorder value(double value) {
    frame.put(number(ElementType.DOUBLE), Double.doubleToRawLongBits(value));
    return this;
  }

  @Override
  public TrackedRecorder struct(Object struct) {
    requireRecording("passes an argument");
    arguments.struct(struct);
    return this;
  }

  @Override
  public TrackedRecorder array(@Nullable DeviceValues array) {
    arguments.array(array, requireRecording("passes an argument"), labels);
    return this;
  }

  @Override
  public TrackedRecorder table(DeviceValues[] arrays) {
    arguments.table(arrays, requireRecording("passes an argument"), labels);
    return this;
  }

  @Override
  public TrackedRecorder table(List<? extends DeviceValues> arrays) {
    arguments.table(arrays, requireRecording("passes an argument"), labels);
    return this;
  }

  @Override
  public TrackedRecorder table(DeviceValues.Table table) {
    arguments.table(table, requireRecording("passes an argument"), labels);
    return this;
  }

  @Override
  public TrackedRecorder untracked(long address) {
    requireRecording("passes an argument");
    arguments.untracked(address);
    return this;
  }

  @Override
  public TrackedRecorder threads(long threads) {
    requireRecording("is shaped");
    arguments.threads(threads);
    return this;
  }

  @Override
  public TrackedRecorder shape(LaunchShape shape) {
    requireRecording("is shaped");
    arguments.shape(shape);
    return this;
  }

  @Override
  public TrackedRecorder dynamicSharedBytes(int bytes) {
    requireRecording("is shaped");
    arguments.dynamicSharedBytes(bytes);
    return this;
  }

  @Override
  public TrackedRecorder preflight() {
    Submission submission = requireRecording("runs preflight");
    arguments.requireComplete();
    // Most launches have the shape of the launch before.
    if (launch.isShapeNew()) {
      kernel.requireLaunchable(launch);
    }
    if (launch.blocks() > 0) {
      checkBounds();
    }
    launch.keepShape();
    uses.submit(submission);
    if (tables != null && launch.blocks() > 0 && submission.recording() == null) {
      tables.place();
    }
    submission.preflight();
    return this;
  }

  private void checkBounds() {
    if (!areBoundsKnown) {
      bounds = arguments.boundsCheck();
      areBoundsKnown = true;
    }
    if (bounds != null) {
      bounds.check();
    }
  }

  @Override
  public TrackedRecorder launch() {
    Submission submission = requireOpen();
    // Until it is queued, any exception explains the missing commit.
    submission.queuing();
    RecordedGraph graph = RecordedGraph.of(submission);
    if (graph != null) {
      record(graph);
    } else if (launch.blocks() > 0) {
      if (tables != null) {
        sendTables(tables, submission.ticket());
      }
      if (observer != null) {
        observer.launching(
            purpose, timeline.stream(), submission.ticket(), uses.declared(tables, false));
      }
      try {
        submission.sink().launchKernel(launch);
      } catch (CudaDriverException e) {
        throw e.during("the launch of " + purpose);
      }
    }
    submission.queued();
    return this;
  }

  /** Makes the launch a node of a graph; its tables stay in memory of the graph's own. */
  private void record(RecordedGraph graph) {
    if (launch.blocks() == 0) {
      return;
    }
    uses.requireTracked(labels);
    if (tables != null && !tables.isEmpty()) {
      // The tables are written at once, on this stream.
      timeline.requireNotCapturing(labels);
      AddressTables kept = runtime.addressTables(timeline);
      graph.memory().own(kept::close);
      graph.memory().comeAfter(timeline);
      try {
        tables.placeIn(kept);
      } catch (CudaDriverException e) {
        throw e.during("writing the tables of " + purpose);
      }
    }
    ArgumentFrame own =
        frame.copyTo(graph.frame(frame.memory().sizeInBytes()), kernel.signature().passed());
    KernelLaunch node = launch.with(own.memory());
    graph.launch(
        node,
        uses.ranges(),
        observer == null ? List.of() : uses.declared(tables, true),
        arguments.numbersOf(node, own),
        kernel.loadedCheck());
  }

  /** Queues the copies of the tables that are not in device memory, and counts them. */
  private void sendTables(TableArguments passed, long ticket) {
    try {
      long bytes = passed.send(ticket);
      if (bytes > 0) {
        runtime.memory().countTables(bytes);
      }
    } catch (CudaDriverException e) {
      throw e.during("writing the tables of " + purpose);
    }
  }

  @Override
  public TrackedRecorder commit() {
    Submission submission = requireOpen();
    submission.requireQueued("commits");
    if (launch.blocks() == 0) {
      submission.commitWithoutEvent();
    } else {
      submission.commit();
    }
    return this;
  }

  @Override
  public Completion completion() {
    Submission submission = requireOpen();
    if (submission.recording() != null) {
      return new RecordedCompletion(purpose);
    }
    submission.coverByEvent();
    return runtime.completion(timeline, submission.ticket(), purpose);
  }

  @Override
  public void abort() {
    requireOpen().requireNotQueued("is aborted");
    close();
  }

  @Override
  public void close() {
    Submission submission = current;
    if (submission != null && isOpen && submission.isHeldByCurrentThread()) {
      isOpen = false;
      uses.release(submission.recording() != null);
      if (tables != null) {
        tables.release();
      }
      boolean wait =
          synchronous
              && submission.isCommitted()
              && submission.recording() == null
              && launch.blocks() > 0;
      boolean abandoned = submission.isAbandoned();
      submission.close();
      if (abandoned) {
        runtime.noteAbandoned(purpose);
      }
      if (wait) {
        awaitKernel();
      }
    }
  }

  private void awaitKernel() {
    try {
      timeline.synchronize("the launch of " + purpose);
    } catch (RuntimeClosedException e) {
      // Another thread is closing the runtime: it waits for the kernel and reports its error.
    }
  }

  /** Kernel, stream and parameters, for errors. */
  private final class Labels implements UseLabels {
    @Override
    public String purpose() {
      return purpose;
    }

    @Override
    public AttemptedUse work() {
      return new AttemptedUse(kernel.signature().entry(), "", purpose);
    }

    @Override
    public AttemptedUse use(int array) {
      return uses.use(array);
    }

    @Override
    public InGraph inGraph() {
      return InGraph.RECORDED;
    }

    @Override
    public WorkFacts facts() {
      return new WorkFacts(
          WorkKind.LAUNCH, name.name(), name.qualified(), 0, name.detail(launch.shape()), null);
    }
  }

  private int number(ElementType type) {
    requireRecording("passes an argument");
    return arguments.value(type);
  }

  private Submission requireOpen() {
    Submission submission = current;
    if (submission == null || !isOpen || !submission.isHeldByCurrentThread()) {
      runtime.life().requireOpen();
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.WRONG_STEP,
          labels.work(),
          " is not begun; the order is begin, arguments, preflight, launch, commit");
    }
    return submission;
  }

  private Submission requireRecording(String act) {
    Submission submission = requireOpen();
    submission.requireRecording(act);
    return submission;
  }

  @Override
  public String toString() {
    return (strict ? "strict" : "permissive") + " recorder of " + purpose;
  }
}
