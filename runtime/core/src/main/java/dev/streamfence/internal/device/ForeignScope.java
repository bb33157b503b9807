package dev.streamfence.internal.device;

import dev.streamfence.Completion;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.ReadableArray;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.foreign.ForeignCall;
import dev.streamfence.foreign.ForeignCode;
import dev.streamfence.foreign.ForeignUses;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Work;
import dev.streamfence.internal.order.Work.Coverage;
import dev.streamfence.internal.order.WorkFacts;
import dev.streamfence.trace.WorkKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call of code that is not the runtime's: collects the uses, registers them in one step, lends
 * the raw handles to the code, and covers its work with an event. Confined to one thread.
 */
public final class ForeignScope implements ForeignUses, ForeignCall {
  private enum ScopePhase {
    DECLARING,
    WAITING,
    RUNNING,
    ENDED
  }

  private record DeclaredUse(TrackedArray<?> array, boolean reads, boolean writes) {}

  private final Thread thread = Thread.currentThread();
  private final TrackedRuntime runtime;
  private final CallLabels labels;
  private final Timeline timeline;
  private final List<DeclaredUse> uses = new ArrayList<>();
  private @Nullable Submission submission;
  private ScopePhase phase = ScopePhase.DECLARING;

  ForeignScope(TrackedStream stream, String name) {
    this.runtime = stream.runtime();
    this.timeline = stream.timeline();
    this.labels = new CallLabels(name, "'" + name + "' on " + timeline);
  }

  /** Carries the call out. */
  <X extends Exception> Completion run(Consumer<ForeignUses> declare, ForeignCode<X> code)
      throws X {
    try {
      // First: it is code of the caller, which must not run while the stream is held.
      declare.accept(this);
    } finally {
      phase = ScopePhase.WAITING;
    }
    // What it throws passes through the submission, which declares nothing.
    @SuppressWarnings("unchecked")
    ForeignCode<RuntimeException> passing = (ForeignCode<RuntimeException>) code;
    long ticket;
    try {
      ticket =
          timeline.submit(
              Work.of(labels, this::addUses, begun -> call(begun, passing), Coverage.ALWAYS));
    } finally {
      phase = ScopePhase.ENDED;
      submission = null;
    }
    // A window on memory that the call uses, closed inside of it.
    runtime.adopted().retry();
    if (runtime.options().synchronousLaunches()) {
      awaitWork();
    }
    return runtime.completion(timeline, ticket, labels.purpose());
  }

  private void addUses(Submission begun) {
    for (int i = 0; i < uses.size(); i++) {
      DeclaredUse use = uses.get(i);
      Region region = use.array().region();
      if (region != null && region.sizeInBytes() > 0) {
        TrackedRuntime owner = use.array().runtime();
        if (owner == runtime) {
          begun.use(region.hazards(), use.reads(), use.writes(), i);
        } else {
          begun.usePeer(owner.pool(), region.hazards(), use.reads(), use.writes(), i);
        }
      }
    }
  }

  private void call(Submission begun, ForeignCode<RuntimeException> code) {
    runtime.driver().makeCurrent();
    submission = begun;
    LaunchObserver observer = runtime.driver().launchObserver();
    if (observer != null) {
      observer.submitting(labels.purpose(), begun.stream(), begun.ticket(), declared());
    }
    phase = ScopePhase.RUNNING;
    try {
      runAndEndCapture(begun, code);
    } finally {
      phase = ScopePhase.ENDED;
      if (observer != null) {
        observer.submitted();
      }
    }
  }

  /**
   * Runs the code, and ends a capture that it leaves open: what follows on the stream has to run.
   */
  private void runAndEndCapture(Submission begun, ForeignCode<RuntimeException> code) {
    try {
      code.run(this);
    } catch (Throwable e) { // Of any kind, see the caller.
      try {
        endCapture(begun);
      } catch (RuntimeException | Error second) {
        Suppressed.add(e, second);
      }
      throw e;
    }
    endCapture(begun);
  }

  private void endCapture(Submission begun) {
    CudaDriver driver = runtime.driver();
    if (driver.isCapturing(begun.stream())) {
      driver.discardCapture(begun.stream());
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.CAPTURING,
          labels.work(),
          " returns while it captures the stream, and what it has captured is discarded; end the"
              + " capture in the same call");
    }
  }

  private List<Use> declared() {
    List<Use> declared = new ArrayList<>();
    for (DeclaredUse use : uses) {
      Region region = use.array().region();
      if (region != null && region.sizeInBytes() > 0) {
        declared.add(
            new Use(
                "",
                region.address(),
                region.sizeInBytes(),
                use.reads(),
                use.writes(),
                use.array().toString(),
                0));
      }
    }
    return declared;
  }

  private void awaitWork() {
    try {
      timeline.synchronize(labels.purpose());
    } catch (RuntimeClosedException e) {
      // Another thread is closing the runtime: it waits for the work and reports its error.
    } catch (CudaDriverException e) {
      throw e.during(labels.purpose());
    }
  }

  @Override
  public ForeignUses reads(ReadableArray<?> array) {
    return use(array, true, false);
  }

  @Override
  public ForeignUses writes(DeviceArray<?> array) {
    return use(array, false, true);
  }

  @Override
  public ForeignUses readWrites(DeviceArray<?> array) {
    return use(array, true, true);
  }

  private ForeignScope use(@Nullable ReadableArray<?> array, boolean reads, boolean writes) {
    if (phase != ScopePhase.DECLARING || thread != Thread.currentThread()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OUT_OF_SCOPE,
          labels.purpose()
              + " declares a use after its declaration has ended, or in another thread");
    }
    int number = uses.size();
    if (array == null) {
      throw new IllegalArgumentException(labels.use(number) + " is null");
    }
    TrackedArray<?> used = TrackedArray.of(array);
    if (used.runtime() != runtime && !runtime.canAccess(used.runtime(), labels)) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          labels.use(number),
          " is "
              + used
              + " of "
              + used.runtime()
              + ", to whose memory "
              + runtime
              + " has no peer access; copyTo brings an array to the device of a stream");
    }
    if (used.isGone()) {
      throw used.useAfterFree(labels.use(number));
    }
    Region region = used.region();
    if (region != null && region.sizeInBytes() > 0) {
      region.requireTracked(labels, number);
    }
    uses.add(new DeclaredUse(used, reads, writes));
    return this;
  }

  @Override
  public long streamHandle() {
    requireRunning("the stream");
    return runtime.driver().rawHandle(timeline.stream());
  }

  @Override
  public long address(ReadableArray<?> array) {
    requireRunning("the address of " + array);
    for (DeclaredUse use : uses) {
      if (use.array() == array) {
        Region region = use.array().region();
        return region == null || region.sizeInBytes() == 0 ? 0 : region.address();
      }
    }
    throw new StreamMisuseException(
        StreamMisuseException.Misuse.UNTRACKED,
        labels.purpose()
            + " asks for the address of "
            + array
            + ", which it does not declare as used");
  }

  @Override
  public int device() {
    return runtime.info().ordinal();
  }

  private void requireRunning(String what) {
    Submission running = submission;
    if (phase != ScopePhase.RUNNING || running == null || !running.isHeldByCurrentThread()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OUT_OF_SCOPE,
          "the call of "
              + labels.purpose()
              + " asks for "
              + what
              + " outside of its code, or in another thread; handles are valid there alone");
    }
  }

  /** How errors name the call. It keeps no array alive. */
  private record CallLabels(String name, String purpose) implements UseLabels {
    @Override
    public WorkFacts facts() {
      return new WorkFacts(WorkKind.CALL, name, 0, "");
    }

    @Override
    public AttemptedUse use(int label) {
      return AttemptedUse.of(purpose + ": use " + (label + 1));
    }
  }

  @Override
  public String toString() {
    return labels.purpose();
  }
}
